#include "scheduler.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "deque.h"

struct task {
    scheduler_task run;
    alignas(max_align_t) unsigned char arg[];
};

struct worker {
    alignas(64) struct deque deque;
    struct scheduler *scheduler;
    pthread_t thread;
    struct scheduler_statistics statistics;
};

struct scheduler {
    atomic_size_t unfinished; /* tasks that were spawned and have not returned */
    size_t count;
    struct worker workers[];
};

static _Thread_local struct worker *current;

int scheduler_spawn(scheduler_task task, const void *arg, size_t size)
{
    struct worker *self = current;
    assert(self != NULL);
    struct task *new = malloc(sizeof *new + size);
    if (new == NULL)
        return ENOMEM;
    new->run = task;
    memcpy(new->arg, arg, size);
    atomic_fetch_add_explicit(&self->scheduler->unfinished, 1, memory_order_relaxed);
    int error = deque_push(&self->deque, new);
    if (error != 0) {
        atomic_fetch_sub_explicit(&self->scheduler->unfinished, 1, memory_order_relaxed);
        free(new);
    }
    return error;
}

static struct task *steal(struct worker *self)
{
    struct scheduler *scheduler = self->scheduler;
    size_t me = (size_t)(self - scheduler->workers);
    for (size_t i = 1; i < scheduler->count; i++) {
        struct worker *victim = &scheduler->workers[(me + i) % scheduler->count];
        struct task *task = deque_steal(&victim->deque);
        if (task != NULL) {
            self->statistics.stolen++;
            return task;
        }
    }
    return NULL;
}

static void execute(struct worker *self, struct task *task)
{
    task->run(task->arg); // <- fails
    free(task);           // <- fails
    self->statistics.executed++;
    atomic_fetch_sub_explicit(&self->scheduler->unfinished, 1, memory_order_release);
}

static void *work(void *arg)
{
    struct worker *self = arg;
    current = self;
    while (atomic_load_explicit(&self->scheduler->unfinished, memory_order_acquire) > 0) {
        struct task *task = deque_take(&self->deque);
        if (task == NULL)
            task = steal(self);
        if (task != NULL)
            execute(self, task);
        else
            sched_yield();
    }
    current = NULL;
    return NULL;
}

int scheduler_run(size_t workers, scheduler_task task, void *arg, struct scheduler_statistics *statistics)
{
    size_t initialised = 0, started = 1;
    int error = ENOMEM;
    if (workers == 0)
        return EINVAL;
    size_t size = sizeof(struct scheduler) + workers * sizeof(struct worker);
    struct scheduler *scheduler = aligned_alloc(alignof(struct scheduler), size);
    if (scheduler == NULL)
        return error;
    memset(scheduler, 0, size);
    scheduler->count = workers;
    for (; initialised < workers; initialised++) {
        struct worker *worker = &scheduler->workers[initialised];
        worker->scheduler = scheduler;
        if ((error = deque_init(&worker->deque)) != 0)
            goto out;
    }

    atomic_init(&scheduler->unfinished, 1); /* the first task, which has not returned before the others may stop */
    for (; started < workers; started++)
        if (pthread_create(&scheduler->workers[started].thread, NULL, work, &scheduler->workers[started]) != 0)
            break; /* with fewer it works as well */
    current = &scheduler->workers[0];
    task(arg);
    atomic_fetch_sub_explicit(&scheduler->unfinished, 1, memory_order_release);
    work(&scheduler->workers[0]);
    for (size_t i = 1; i < started; i++)
        pthread_join(scheduler->workers[i].thread, NULL);
    error = 0;
    *statistics = (struct scheduler_statistics){0};
    for (size_t i = 0; i < started; i++) {
        statistics->executed += scheduler->workers[i].statistics.executed;
        statistics->stolen += scheduler->workers[i].statistics.stolen;
    }
out:
    while (initialised-- > 0)
        deque_destroy(&scheduler->workers[initialised].deque);
    free(scheduler);
    return error;
}
