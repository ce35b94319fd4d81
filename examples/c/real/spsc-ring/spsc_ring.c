#include "spsc_ring.h"

#include <errno.h>
#include <stdlib.h>

#ifdef BUG
#define PUBLISH memory_order_relaxed /* "x86 orders stores anyway" */
#else
#define PUBLISH memory_order_release
#endif

static size_t round_up_to_power_of_two(size_t n)
{
    n--;
    for (size_t shift = 1; shift < sizeof n * 8; shift <<= 1)
        n |= n >> shift;
    return n + 1;
}

int spsc_ring_init(struct spsc_ring *ring, size_t capacity)
{
    if (capacity == 0 || capacity > SIZE_MAX / 2 / sizeof *ring->slots)
        return EINVAL;
    capacity = round_up_to_power_of_two(capacity);
    ring->slots = calloc(capacity, sizeof *ring->slots);
    if (ring->slots == NULL)
        return ENOMEM;
    ring->mask = capacity - 1;
    ring->tail_seen = 0;
    ring->head_seen = 0;
    atomic_init(&ring->head, 0);
    atomic_init(&ring->tail, 0);
    return 0;
}

void spsc_ring_destroy(struct spsc_ring *ring)
{
    free(ring->slots);
    ring->slots = NULL;
}

bool spsc_ring_push(struct spsc_ring *ring, const struct message *message)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    if (tail - ring->head_seen > ring->mask) {
        ring->head_seen = atomic_load_explicit(&ring->head, memory_order_acquire);
        if (tail - ring->head_seen > ring->mask)
            return false;
    }
    ring->slots[tail & ring->mask] = *message; // <- fails
    atomic_store_explicit(&ring->tail, tail + 1, PUBLISH);
    return true;
}

bool spsc_ring_pop(struct spsc_ring *ring, struct message *message)
{
    size_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    if (head == ring->tail_seen) {
        ring->tail_seen = atomic_load_explicit(&ring->tail, memory_order_acquire);
        if (head == ring->tail_seen)
            return false;
    }
    *message = ring->slots[head & ring->mask]; // <- fails
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}
