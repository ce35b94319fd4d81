// A manual reset event: who waits for it goes on once it was set. Setting it is cheap if nobody waits: only then is the lock
// taken. The broken `wait` looks at the event before it says that it waits, so that the setter may see nobody and go: nobody wakes
// the waiter any more. That takes two preemptions: of the setter before it sets, of the waiter in the midst of `wait`. FIXED: it
// says so first.
//
//   npx heddle check --algorithm bpor --bound 1 examples/bounding/reset-event.c          → bounded
//   npx heddle check --algorithm bpor --bound 2 examples/bounding/reset-event.c          → error deadlock at line 45
//   npx heddle check --algorithm bpor --bound 2 -DFIXED examples/bounding/reset-event.c  → bounded
//   npx heddle check --model sc -DFIXED examples/bounding/reset-event.c                  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct event {
    atomic_int is_set;
    atomic_int waiting;
    pthread_mutex_t lock;
    pthread_cond_t was_set;
};

static struct event ready = {.lock = PTHREAD_MUTEX_INITIALIZER, .was_set = PTHREAD_COND_INITIALIZER};
static atomic_int price;

static void event_set(struct event *event)
{
    atomic_store(&event->is_set, 1);
    if (atomic_load(&event->waiting) == 0)
        return;
    pthread_mutex_lock(&event->lock);
    pthread_cond_broadcast(&event->was_set);
    pthread_mutex_unlock(&event->lock);
}

static void event_wait(struct event *event)
{
    pthread_mutex_lock(&event->lock);
#ifdef FIXED
    atomic_fetch_add(&event->waiting, 1);
#endif
    while (!atomic_load(&event->is_set)) {
#ifndef FIXED
        atomic_fetch_add(&event->waiting, 1);
#endif
        pthread_cond_wait(&event->was_set, &event->lock); // <- fails
    }
    pthread_mutex_unlock(&event->lock);
}

static void *buyer(void *unused)
{
    event_wait(&ready);
    assert(atomic_load(&price) == 7);
    return NULL;
}

int main(void)
{
    pthread_t buyers[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&buyers[i], NULL, buyer, NULL);
    atomic_store(&price, 7);
    event_set(&ready);
    for (int i = 0; i < 2; i++)
        pthread_join(buyers[i], NULL);
    return 0;
}
