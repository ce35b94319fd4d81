/* Locks of one word: test-and-set with back-off, test-and-test-and-set, tickets. */
#include <stdlib.h>

#include "lock.h"

enum { BACKOFF_MIN = 4, BACKOFF_MAX = 64 };

struct tas_lock {
    alignas(CACHE_LINE) atomic_flag taken;
};

struct ttas_lock {
    alignas(CACHE_LINE) atomic_bool taken;
};

struct ticket_lock {
    alignas(CACHE_LINE) atomic_uint_fast16_t next;
    atomic_uint_fast16_t serving;
};

static struct lock *tas_create(void)
{
    struct tas_lock *lock = aligned_alloc(CACHE_LINE, sizeof *lock);
    if (lock != NULL)
        atomic_flag_clear_explicit(&lock->taken, memory_order_relaxed);
    return (struct lock *)lock;
}

static void tas_acquire(struct lock *base, struct lock_context *context)
{
    struct tas_lock *lock = (struct tas_lock *)base;
    unsigned backoff = BACKOFF_MIN;
    (void)context;
    while (atomic_flag_test_and_set_explicit(&lock->taken, memory_order_acquire)) {
        for (unsigned i = 0; i < backoff; i++)
            cpu_relax();
        if (backoff < BACKOFF_MAX)
            backoff *= 2;
    }
}

static void tas_release(struct lock *base, struct lock_context *context)
{
    struct tas_lock *lock = (struct tas_lock *)base;
    (void)context;
    atomic_flag_clear_explicit(&lock->taken, memory_order_release);
}

static struct lock *ttas_create(void)
{
    struct ttas_lock *lock = aligned_alloc(CACHE_LINE, sizeof *lock);
    if (lock != NULL)
        atomic_init(&lock->taken, false);
    return (struct lock *)lock;
}

static void ttas_acquire(struct lock *base, struct lock_context *context)
{
    struct ttas_lock *lock = (struct ttas_lock *)base;
    (void)context;
    do {
        while (atomic_load_explicit(&lock->taken, memory_order_relaxed))
            cpu_relax();
    } while (atomic_exchange_explicit(&lock->taken, true, memory_order_acquire));
}

static void ttas_release(struct lock *base, struct lock_context *context)
{
    struct ttas_lock *lock = (struct ttas_lock *)base;
    (void)context;
    atomic_store_explicit(&lock->taken, false, memory_order_release);
}

static struct lock *ticket_create(void)
{
    struct ticket_lock *lock = aligned_alloc(CACHE_LINE, sizeof *lock);
    if (lock != NULL) {
        atomic_init(&lock->next, 0);
        atomic_init(&lock->serving, 0);
    }
    return (struct lock *)lock;
}

static void ticket_acquire(struct lock *base, struct lock_context *context)
{
    struct ticket_lock *lock = (struct ticket_lock *)base;
    (void)context;
    uint_fast16_t mine = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
    for (;;) {
        uint_fast16_t ahead = mine - atomic_load_explicit(&lock->serving, memory_order_acquire);
        if (ahead == 0)
            break;
        while (ahead-- > 0) /* the more wait before, the longer */
            cpu_relax();
    }
}

static void ticket_release(struct lock *base, struct lock_context *context)
{
    struct ticket_lock *lock = (struct ticket_lock *)base;
    (void)context;
    uint_fast16_t serving = atomic_load_explicit(&lock->serving, memory_order_relaxed);
    atomic_store_explicit(&lock->serving, serving + 1, memory_order_release);
}

static void free_lock(struct lock *lock)
{
    free(lock);
}

const struct lock_ops tas_lock_ops = {
    .name = "tas",
    .create = tas_create,
    .destroy = free_lock,
    .acquire = tas_acquire,
    .release = tas_release,
};

const struct lock_ops ttas_lock_ops = {
    .name = "ttas",
    .create = ttas_create,
    .destroy = free_lock,
    .acquire = ttas_acquire,
    .release = ttas_release,
};

const struct lock_ops ticket_lock_ops = {
    .name = "ticket",
    .create = ticket_create,
    .destroy = free_lock,
    .acquire = ticket_acquire,
    .release = ticket_release,
};
