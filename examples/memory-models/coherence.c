// Coherence. The writes to one variable have one order that all threads agree on, in every model and with every memory
// order: who has seen the newer value does not see the older one again.
//
//   npx heddle check examples/memory-models/coherence.c --model pso                     → ok
//   npx heddle check examples/memory-models/coherence.c --model ra                      → ok
//   npx heddle check examples/memory-models/coherence.c                                 → ok
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x;

static void *writer(void *unused)
{
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    atomic_store_explicit(&x, 2, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, writer, NULL);
    int first = atomic_load_explicit(&x, memory_order_relaxed);
    int second = atomic_load_explicit(&x, memory_order_relaxed);
    assert(first <= second);
    pthread_join(thread, NULL);
    return 0;
}
