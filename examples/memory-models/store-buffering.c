// Store buffering (SB). Each of two threads stores to a variable of its own and then loads the other's. One of the two
// stores comes first, one should think, so that one of the threads sees a 1. But a store may wait in a buffer while
// the loads behind it go ahead, and then both threads see 0. Locks that do without atomic updates (Dekker, Peterson)
// are made of this pattern.
//
//   npx heddle check examples/memory-models/store-buffering.c --model sc                → ok
//   npx heddle check examples/memory-models/store-buffering.c --model tso               → error assertion at line 66
//   npx heddle check examples/memory-models/store-buffering.c --model pso               → error assertion at line 66
//   npx heddle check examples/memory-models/store-buffering.c --model ra                → error assertion at line 66
//   npx heddle check examples/memory-models/store-buffering.c                           → error assertion at line 66
//
// A fence between the store and the load, in both threads, lets the store wait no longer (but under ra nothing does):
//
//   npx heddle check -DFENCES examples/memory-models/store-buffering.c --model tso      → ok
//   npx heddle check -DFENCES examples/memory-models/store-buffering.c --model pso      → ok
//   npx heddle check -DFENCES examples/memory-models/store-buffering.c --model ra       → error assertion at line 66
//   npx heddle check -DFENCES examples/memory-models/store-buffering.c                  → ok
//
// So do stores and loads that are seq_cst. If the loads are weaker, rc11 promises nothing, though an x86 would:
//
//   npx heddle check -DSEQ_CST examples/memory-models/store-buffering.c --model tso     → ok
//   npx heddle check -DSEQ_CST examples/memory-models/store-buffering.c --model pso     → ok
//   npx heddle check -DSEQ_CST examples/memory-models/store-buffering.c --model ra      → error assertion at line 66
//   npx heddle check -DSEQ_CST examples/memory-models/store-buffering.c                 → ok
//   npx heddle check -DMIXED examples/memory-models/store-buffering.c --model tso       → ok
//   npx heddle check -DMIXED examples/memory-models/store-buffering.c                   → error assertion at line 66
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#if defined SEQ_CST
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#elif defined MIXED
#define STORE memory_order_seq_cst
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

static atomic_int x, y;
static int seen_y;

static void *first(void *unused)
{
    atomic_store_explicit(&x, 1, STORE);
#ifdef FENCES
    atomic_thread_fence(memory_order_seq_cst);
#endif
    seen_y = atomic_load_explicit(&y, LOAD);
    return NULL;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, first, NULL);
    atomic_store_explicit(&y, 1, STORE);
#ifdef FENCES
    atomic_thread_fence(memory_order_seq_cst);
#endif
    int seen_x = atomic_load_explicit(&x, LOAD);
    pthread_join(thread, NULL);
    assert(seen_x == 1 || seen_y == 1); // <- fails
    return 0;
}
