#ifndef SPSC_RING_H
#define SPSC_RING_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

struct message {
    uint32_t sequence;
    uint32_t payload;
};

/*
 * A queue for one producer and one consumer. Indices run on and are masked where a slot is chosen. Each side keeps the
 * index of the other as it saw it last, and looks again only if that is not enough.
 */
struct spsc_ring {
    alignas(CACHE_LINE) _Atomic(size_t) head; /* written by the consumer */
    size_t tail_seen;                         /* the consumer's own */
    alignas(CACHE_LINE) _Atomic(size_t) tail; /* written by the producer */
    size_t head_seen;                         /* the producer's own */
    alignas(CACHE_LINE) size_t mask;
    struct message *slots;
};

int spsc_ring_init(struct spsc_ring *ring, size_t capacity);
void spsc_ring_destroy(struct spsc_ring *ring);

bool spsc_ring_push(struct spsc_ring *ring, const struct message *message);
bool spsc_ring_pop(struct spsc_ring *ring, struct message *message);

/* What is in it now; a guess if the other side is at work. */
static inline size_t spsc_ring_size(const struct spsc_ring *ring)
{
    size_t tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    size_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
    return tail - head;
}

#endif
