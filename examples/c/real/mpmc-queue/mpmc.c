#include "mpmc.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define CACHE_LINE 64

struct slot {
    atomic_size_t sequence;
    void *item;
};

struct mpmc_queue {
    struct slot *slots;
    size_t mask;
    alignas(CACHE_LINE) atomic_size_t tail;
    alignas(CACHE_LINE) atomic_size_t head;
};

struct mpmc_queue *mpmc_create(size_t capacity)
{
    if (capacity < 2 || (capacity & (capacity - 1)) != 0)
        return NULL;
    struct mpmc_queue *queue = aligned_alloc(CACHE_LINE, sizeof *queue);
    if (queue == NULL)
        return NULL;
    queue->slots = calloc(capacity, sizeof *queue->slots);
    if (queue->slots == NULL) {
        free(queue);
        return NULL;
    }
    queue->mask = capacity - 1;
    for (size_t i = 0; i < capacity; i++)
        atomic_store_explicit(&queue->slots[i].sequence, i, memory_order_relaxed);
    atomic_store_explicit(&queue->tail, 0, memory_order_relaxed);
    atomic_store_explicit(&queue->head, 0, memory_order_relaxed);
    return queue;
}

void mpmc_destroy(struct mpmc_queue *queue, void (*drop)(void *item))
{
    if (queue == NULL)
        return;
    for (void *item; (item = mpmc_try_pop(queue)) != NULL;)
        if (drop != NULL)
            drop(item);
    free(queue->slots);
    free(queue);
}

bool mpmc_try_push(struct mpmc_queue *queue, void *item)
{
    struct slot *slot;
    size_t position = atomic_load_explicit(&queue->tail, memory_order_relaxed);
    for (;;) {
        slot = &queue->slots[position & queue->mask];
        size_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        ptrdiff_t difference = (ptrdiff_t)sequence - (ptrdiff_t)position;
        if (difference == 0) {
            if (atomic_compare_exchange_weak_explicit(&queue->tail, &position, position + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (difference < 0) {
            return false;
        } else {
            position = atomic_load_explicit(&queue->tail, memory_order_relaxed);
        }
    }
    slot->item = item;
    atomic_store_explicit(&slot->sequence, position + 1, memory_order_release);
    return true;
}

void *mpmc_try_pop(struct mpmc_queue *queue)
{
    struct slot *slot;
    size_t position = atomic_load_explicit(&queue->head, memory_order_relaxed);
    for (;;) {
        slot = &queue->slots[position & queue->mask];
        size_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
        ptrdiff_t difference = (ptrdiff_t)sequence - (ptrdiff_t)(position + 1);
        if (difference == 0) {
            if (atomic_compare_exchange_weak_explicit(&queue->head, &position, position + 1, memory_order_relaxed,
                                                      memory_order_relaxed))
                break;
        } else if (difference < 0) {
            return NULL;
        } else {
            position = atomic_load_explicit(&queue->head, memory_order_relaxed);
        }
    }
    void *item = slot->item;
#ifdef BUG
    size_t next_lap = position + queue->mask;
#else
    size_t next_lap = position + queue->mask + 1;
#endif
    atomic_store_explicit(&slot->sequence, next_lap, memory_order_release);
    return item;
}
