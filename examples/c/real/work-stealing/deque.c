#include "deque.h"

#include <errno.h>
#include <stdlib.h>

static inline void *get(struct deque_buffer *buffer, size_t i)
{
    return atomic_load_explicit(&buffer->items[i & buffer->mask], memory_order_relaxed);
}

static inline void set(struct deque_buffer *buffer, size_t i, void *item)
{
    atomic_store_explicit(&buffer->items[i & buffer->mask], item, memory_order_relaxed);
}

static struct deque_buffer *buffer_create(size_t size)
{
    struct deque_buffer *buffer = calloc(1, sizeof *buffer + size * sizeof buffer->items[0]);
    if (buffer != NULL)
        buffer->mask = size - 1;
    return buffer;
}

int deque_init(struct deque *deque)
{
    struct deque_buffer *buffer = buffer_create(DEQUE_FIRST_SIZE);
    if (buffer == NULL)
        return ENOMEM;
    atomic_init(&deque->top, 0);
    atomic_init(&deque->bottom, 0);
    atomic_init(&deque->buffer, buffer);
    return 0;
}

void deque_destroy(struct deque *deque)
{
    struct deque_buffer *buffer = atomic_load(&deque->buffer);
    while (buffer != NULL) {
        struct deque_buffer *older = buffer->older;
        free(buffer);
        buffer = older;
    }
}

static struct deque_buffer *grow(struct deque *deque, struct deque_buffer *old, size_t top, size_t bottom)
{
    struct deque_buffer *buffer = buffer_create(2 * (old->mask + 1));
    if (buffer == NULL)
        return NULL;
    for (size_t i = top; i != bottom; i++)
        set(buffer, i, get(old, i));
    buffer->older = old;
    atomic_store_explicit(&deque->buffer, buffer, memory_order_release);
    return buffer;
}

int deque_push(struct deque *deque, void *item)
{
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    size_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    struct deque_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    if (bottom - top > buffer->mask && (buffer = grow(deque, buffer, top, bottom)) == NULL)
        return ENOMEM;
    set(buffer, bottom, item);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    return 0;
}

void *deque_take(struct deque *deque)
{
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_relaxed);
    if ((ptrdiff_t)(bottom - atomic_load_explicit(&deque->top, memory_order_relaxed)) <= 0)
        return NULL; /* nobody else pushes, so it stays empty */
    bottom--;
    struct deque_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_relaxed);
    atomic_store_explicit(&deque->bottom, bottom, memory_order_relaxed);
#ifdef BUG
    atomic_thread_fence(memory_order_acq_rel);
#else
    atomic_thread_fence(memory_order_seq_cst); /* a thief sees the bottom, or this thread the top */
#endif
    size_t top = atomic_load_explicit(&deque->top, memory_order_relaxed);
    if ((ptrdiff_t)(bottom - top) < 0) {
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
        return NULL;
    }
    void *item = get(buffer, bottom);
    if (top == bottom) { /* the last one, for which thieves may run, too */
        if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                     memory_order_relaxed))
            item = NULL;
        atomic_store_explicit(&deque->bottom, bottom + 1, memory_order_relaxed);
    }
    return item;
}

void *deque_steal(struct deque *deque)
{
    size_t top = atomic_load_explicit(&deque->top, memory_order_acquire);
    atomic_thread_fence(memory_order_seq_cst);
    size_t bottom = atomic_load_explicit(&deque->bottom, memory_order_acquire);
    if ((ptrdiff_t)(bottom - top) <= 0)
        return NULL;
    struct deque_buffer *buffer = atomic_load_explicit(&deque->buffer, memory_order_acquire);
    void *item = get(buffer, top);
    if (!atomic_compare_exchange_strong_explicit(&deque->top, &top, top + 1, memory_order_seq_cst,
                                                 memory_order_relaxed))
        return NULL;
    return item;
}
