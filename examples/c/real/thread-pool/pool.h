#ifndef POOL_H
#define POOL_H

#include <stddef.h>

struct pool;

enum pool_shutdown {
    POOL_FINISH, /* tasks that wait are run first */
    POOL_DISCARD /* tasks that wait are dropped */
};

struct pool_statistics {
    size_t submitted;
    size_t executed;
    size_t discarded;
};

typedef void (*pool_task)(void *arg);

/* NULL, with errno, if there is no memory or no thread. */
struct pool *pool_create(size_t threads, size_t capacity);

/* 0, or an error: EAGAIN if the queue is full, ECANCELED if the pool is shut down. */
int pool_submit(struct pool *pool, pool_task task, void *arg);

/* Waits until nothing is queued and nothing runs. */
void pool_drain(struct pool *pool);

/* Ends all threads and frees the pool. */
void pool_destroy(struct pool *pool, enum pool_shutdown how, struct pool_statistics *statistics);

#endif
