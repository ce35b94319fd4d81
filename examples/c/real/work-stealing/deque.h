#ifndef DEQUE_H
#define DEQUE_H

#include <stdatomic.h>
#include <stddef.h>

/*
 * The deque of Chase and Lev, with the memory orders of Lê, Pop, Cohen and Zappa Nardelli: its owner pushes and takes at
 * the bottom, others steal at the top.
 */
struct deque_buffer {
    struct deque_buffer *older; /* thieves may still look at it */
    size_t mask;
    _Atomic(void *) items[];
};

struct deque {
    atomic_size_t top;
    atomic_size_t bottom;
    _Atomic(struct deque_buffer *) buffer;
};

enum { DEQUE_FIRST_SIZE = 2 };

int deque_init(struct deque *deque);
void deque_destroy(struct deque *deque);

/* Of the owner. */
int deque_push(struct deque *deque, void *item);
void *deque_take(struct deque *deque);

/* NULL if it is empty, or if another thief was faster. */
void *deque_steal(struct deque *deque);

#endif
