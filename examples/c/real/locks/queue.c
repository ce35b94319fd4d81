/* Locks with a queue, in which each thread spins on a line of its own: MCS and CLH. */
#include <errno.h>
#include <stdlib.h>

#include "lock.h"

struct mcs_node {
    alignas(CACHE_LINE) _Atomic(struct mcs_node *) next;
    atomic_bool waiting;
};

struct mcs_lock {
    _Atomic(struct mcs_node *) tail;
};

static struct lock *mcs_create(void)
{
    struct mcs_lock *lock = malloc(sizeof *lock);
    if (lock != NULL)
        atomic_init(&lock->tail, NULL);
    return (struct lock *)lock;
}

static void mcs_destroy(struct lock *lock)
{
    free(lock);
}

static int mcs_enter(struct lock_context *context)
{
    context->mcs = aligned_alloc(alignof(struct mcs_node), sizeof *context->mcs);
    return context->mcs == NULL ? ENOMEM : 0;
}

static void mcs_leave(struct lock_context *context)
{
    free(context->mcs);
    context->mcs = NULL;
}

static void mcs_acquire(struct lock *base, struct lock_context *context)
{
    struct mcs_lock *lock = (struct mcs_lock *)base;
    struct mcs_node *node = context->mcs;
    atomic_store_explicit(&node->next, NULL, memory_order_relaxed);
    atomic_store_explicit(&node->waiting, true, memory_order_relaxed);
    struct mcs_node *previous = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    if (previous == NULL)
        return;
    atomic_store_explicit(&previous->next, node, memory_order_release);
    while (atomic_load_explicit(&node->waiting, memory_order_acquire))
        cpu_relax();
}

static void mcs_release(struct lock *base, struct lock_context *context)
{
    struct mcs_lock *lock = (struct mcs_lock *)base;
    struct mcs_node *node = context->mcs;
    struct mcs_node *next = atomic_load_explicit(&node->next, memory_order_acquire);
    if (next == NULL) {
        struct mcs_node *expected = node;
        if (atomic_compare_exchange_strong_explicit(&lock->tail, &expected, NULL, memory_order_release,
                                                    memory_order_relaxed))
            return;
        while ((next = atomic_load_explicit(&node->next, memory_order_acquire)) == NULL)
            cpu_relax(); /* it has swapped the tail and is about to say so */
    }
    atomic_store_explicit(&next->waiting, false, memory_order_release);
}

struct clh_node {
    alignas(CACHE_LINE) atomic_bool taken;
};

struct clh_lock {
    _Atomic(struct clh_node *) tail;
};

static struct clh_node *clh_node_create(void)
{
    struct clh_node *node = aligned_alloc(alignof(struct clh_node), sizeof *node);
    if (node != NULL)
        atomic_init(&node->taken, false);
    return node;
}

static struct lock *clh_create(void)
{
    struct clh_lock *lock = malloc(sizeof *lock);
    if (lock == NULL)
        return NULL;
    struct clh_node *node = clh_node_create();
    if (node == NULL) {
        free(lock);
        return NULL;
    }
    atomic_init(&lock->tail, node);
    return (struct lock *)lock;
}

static void clh_destroy(struct lock *base)
{
    struct clh_lock *lock = (struct clh_lock *)base;
    free(atomic_load_explicit(&lock->tail, memory_order_relaxed));
    free(lock);
}

static int clh_enter(struct lock_context *context)
{
    context->clh = clh_node_create();
    return context->clh == NULL ? ENOMEM : 0;
}

static void clh_leave(struct lock_context *context)
{
    free(context->clh);
    context->clh = NULL;
}

static void clh_acquire(struct lock *base, struct lock_context *context)
{
    struct clh_lock *lock = (struct clh_lock *)base;
    struct clh_node *node = context->clh;
    atomic_store_explicit(&node->taken, true, memory_order_relaxed);
    context->clh_previous = atomic_exchange_explicit(&lock->tail, node, memory_order_acq_rel);
    while (atomic_load_explicit(&context->clh_previous->taken, memory_order_acquire)) // <- fails
        cpu_relax();
}

static void clh_release(struct lock *base, struct lock_context *context)
{
    struct clh_node *node = context->clh;
    (void)base;
#ifndef BUG
    context->clh = context->clh_previous; /* the successor still looks at the node, so the predecessor's is ours now */
#endif
    atomic_store_explicit(&node->taken, false, memory_order_release);
}

const struct lock_ops mcs_lock_ops = {
    .name = "mcs",
    .create = mcs_create,
    .destroy = mcs_destroy,
    .enter = mcs_enter,
    .leave = mcs_leave,
    .acquire = mcs_acquire,
    .release = mcs_release,
};

const struct lock_ops clh_lock_ops = {
    .name = "clh",
    .create = clh_create,
    .destroy = clh_destroy,
    .enter = clh_enter,
    .leave = clh_leave,
    .acquire = clh_acquire,
    .release = clh_release,
};
