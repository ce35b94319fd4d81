#ifndef MPMC_H
#define MPMC_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A bounded queue for any number of producers and consumers, after Dmitry Vyukov: each slot has a sequence number that
 * says whose turn it is.
 */
struct mpmc_queue;

/* The capacity must be a power of two, 2 or more. NULL if it is not, or if there is no memory. */
struct mpmc_queue *mpmc_create(size_t capacity);

/* What is left in it is handed to the callback. */
void mpmc_destroy(struct mpmc_queue *queue, void (*drop)(void *item));

/* False if the queue is full. */
bool mpmc_try_push(struct mpmc_queue *queue, void *item);

/* NULL if the queue is empty. */
void *mpmc_try_pop(struct mpmc_queue *queue);

#endif
