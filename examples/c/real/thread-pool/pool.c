#include "pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct job {
    pool_task task;
    void *arg;
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t work; /* something is queued, or the pool is stopping */
    pthread_cond_t idle; /* nothing is queued, nothing runs */
    atomic_bool stopping;
    struct pool_statistics statistics;
    size_t running;

    size_t thread_count;
    pthread_t *threads;

    size_t capacity; /* the jobs are a ring */
    size_t first;
    size_t count;
    struct job jobs[];
};

static bool take_job(struct pool *pool, struct job *job)
{
    while (pool->count == 0 && !pool->stopping)
        pthread_cond_wait(&pool->work, &pool->lock); // <- fails
    if (pool->count == 0)
        return false;
    *job = pool->jobs[pool->first];
    pool->first = (pool->first + 1) % pool->capacity;
    pool->count--;
    return true;
}

static void *worker(void *arg)
{
    struct pool *pool = arg;
    struct job job;
    pthread_mutex_lock(&pool->lock);
    while (take_job(pool, &job)) {
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        job.task(job.arg);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
        pool->statistics.executed++;
        if (pool->running == 0 && pool->count == 0)
            pthread_cond_broadcast(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

static void stop(struct pool *pool, enum pool_shutdown how)
{
#ifdef BUG
    /* stopping is atomic, so why take the lock? */
    if (how == POOL_FINISH) {
        pool->stopping = true;
        pthread_cond_broadcast(&pool->work);
        return;
    }
#endif
    pthread_mutex_lock(&pool->lock);
    if (how == POOL_DISCARD) {
        pool->statistics.discarded += pool->count;
        pool->count = 0;
    }
    pool->stopping = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
}

static void join_all(struct pool *pool)
{
    for (size_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
}

struct pool *pool_create(size_t threads, size_t capacity)
{
    int error = ENOMEM;
    struct pool *pool = calloc(1, sizeof *pool + capacity * sizeof pool->jobs[0]);
    if (pool == NULL)
        goto fail;
    pool->capacity = capacity;
    pool->threads = calloc(threads, sizeof *pool->threads);
    if (pool->threads == NULL)
        goto fail_pool;
    if ((error = pthread_mutex_init(&pool->lock, NULL)) != 0)
        goto fail_threads;
    if ((error = pthread_cond_init(&pool->work, NULL)) != 0)
        goto fail_lock;
    if ((error = pthread_cond_init(&pool->idle, NULL)) != 0)
        goto fail_work;
    for (; pool->thread_count < threads; pool->thread_count++) {
        error = pthread_create(&pool->threads[pool->thread_count], NULL, worker, pool);
        if (error != 0)
            goto fail_workers;
    }
    return pool;

fail_workers:
    stop(pool, POOL_DISCARD);
    join_all(pool);
    pthread_cond_destroy(&pool->idle);
fail_work:
    pthread_cond_destroy(&pool->work);
fail_lock:
    pthread_mutex_destroy(&pool->lock);
fail_threads:
    free(pool->threads);
fail_pool:
    free(pool);
fail:
    errno = error;
    return NULL;
}

int pool_submit(struct pool *pool, pool_task task, void *arg)
{
    int error = 0;
    pthread_mutex_lock(&pool->lock);
    if (pool->stopping) {
        error = ECANCELED;
        goto out;
    }
    if (pool->count == pool->capacity) {
        error = EAGAIN;
        goto out;
    }
    size_t last = (pool->first + pool->count) % pool->capacity;
    pool->jobs[last] = (struct job){.task = task, .arg = arg};
    pool->count++;
    pool->statistics.submitted++;
    pthread_cond_signal(&pool->work);
out:
    pthread_mutex_unlock(&pool->lock);
    return error;
}

void pool_drain(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->count > 0 || pool->running > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void pool_destroy(struct pool *pool, enum pool_shutdown how, struct pool_statistics *statistics)
{
    if (pool == NULL)
        return;
    stop(pool, how);
    join_all(pool);
    if (statistics != NULL)
        *statistics = pool->statistics;
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool);
}
