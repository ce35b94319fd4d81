// Producers and consumers share a bounded queue without locks; both try again while it is full or empty. BUG: a consumer
// hands its slot on with a sequence number that is one too low, so that no producer can use it in the next lap.
//
//   npx heddle check examples/c/real/mpmc-queue/main.c examples/c/real/mpmc-queue/mpmc.c        → ok
//   npx heddle check -DBUG examples/c/real/mpmc-queue/main.c examples/c/real/mpmc-queue/mpmc.c  → error livelock at line 43

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "mpmc.h"

#ifndef PRODUCERS
#define PRODUCERS 2
#endif
#ifndef CONSUMERS
#define CONSUMERS 1
#endif
#ifndef ITEMS
#define ITEMS 2 /* of each producer */
#endif

struct item {
    int producer;
    int number;
};

static struct mpmc_queue *queue;
static atomic_int taken;
static atomic_int sum;

static void *produce(void *arg)
{
    int producer = (int)(size_t)arg;
    for (int i = 0; i < ITEMS; i++) {
        struct item *item = malloc(sizeof *item);
        if (item == NULL)
            abort();
        *item = (struct item){.producer = producer, .number = i};
        while (!mpmc_try_push(queue, item)) // <- fails
            sched_yield();
    }
    return NULL;
}

/* Items of one producer come in their order. */
static void *consume(void *unused)
{
    int last[PRODUCERS];
    (void)unused;
    for (int i = 0; i < PRODUCERS; i++)
        last[i] = -1;
    while (atomic_fetch_add(&taken, 1) < PRODUCERS * ITEMS) {
        struct item *item;
        while ((item = mpmc_try_pop(queue)) == NULL)
            sched_yield();
        assert(item->number > last[item->producer]);
        last[item->producer] = item->number;
        atomic_fetch_add_explicit(&sum, item->number + 1, memory_order_relaxed);
        free(item);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PRODUCERS + CONSUMERS];
    queue = mpmc_create(2);
    if (queue == NULL)
        return EXIT_FAILURE;
    for (size_t i = 0; i < PRODUCERS; i++)
        pthread_create(&threads[i], NULL, produce, (void *)i);
    for (size_t i = 0; i < CONSUMERS; i++)
        pthread_create(&threads[PRODUCERS + i], NULL, consume, NULL);
    for (size_t i = 0; i < PRODUCERS + CONSUMERS; i++)
        pthread_join(threads[i], NULL);
    assert(sum == PRODUCERS * ITEMS * (ITEMS + 1) / 2);
    mpmc_destroy(queue, free);
    printf("%d producers, %d consumers, sum %d\n", PRODUCERS, CONSUMERS, sum);
    return EXIT_SUCCESS;
}
