// Load buffering (LB). Each thread loads a variable and then stores to the one that the other thread loads. For both to
// load a 1, each load would have to read from a store that comes after it. C11 allows that for relaxed accesses, and
// some processors do it; no model of Heddle does.
//
//   npx heddle check examples/memory-models/load-buffering.c --model pso                → ok
//   npx heddle check examples/memory-models/load-buffering.c --model ra                 → ok
//   npx heddle check examples/memory-models/load-buffering.c                            → ok
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int x, y;
static int seen_y;

static void *other(void *unused)
{
    seen_y = atomic_load_explicit(&y, memory_order_relaxed);
    atomic_store_explicit(&x, 1, memory_order_relaxed);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, other, NULL);
    int seen_x = atomic_load_explicit(&x, memory_order_relaxed);
    atomic_store_explicit(&y, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    assert(seen_x == 0 || seen_y == 0);
    return 0;
}
