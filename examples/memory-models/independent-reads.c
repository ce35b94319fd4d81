// Independent reads of independent writes (IRIW). Two threads write, to different variables; two others read both, in
// opposite order. May the readers disagree on which write came first? Where all threads share one memory (sc, tso, pso)
// they cannot. Release and acquire do not forbid it; seq_cst does, under rc11.
//
//   npx heddle check examples/memory-models/independent-reads.c --model tso             → ok
//   npx heddle check examples/memory-models/independent-reads.c --model pso             → ok
//   npx heddle check examples/memory-models/independent-reads.c --model ra              → error assertion at line 64
//   npx heddle check examples/memory-models/independent-reads.c                         → error assertion at line 64
//   npx heddle check -DSEQ_CST examples/memory-models/independent-reads.c --model ra    → error assertion at line 64
//   npx heddle check -DSEQ_CST examples/memory-models/independent-reads.c               → ok
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef SEQ_CST
#define STORE memory_order_seq_cst
#define LOAD memory_order_seq_cst
#else
#define STORE memory_order_release
#define LOAD memory_order_acquire
#endif

static atomic_int x, y;
static int x_before_y, y_before_x;

static void *write_x(void *unused)
{
    atomic_store_explicit(&x, 1, STORE);
    return NULL;
}

static void *write_y(void *unused)
{
    atomic_store_explicit(&y, 1, STORE);
    return NULL;
}

static void *read_x_first(void *unused)
{
    int seen_x = atomic_load_explicit(&x, LOAD);
    int seen_y = atomic_load_explicit(&y, LOAD);
    x_before_y = seen_x == 1 && seen_y == 0;
    return NULL;
}

static void *read_y_first(void *unused)
{
    int seen_y = atomic_load_explicit(&y, LOAD);
    int seen_x = atomic_load_explicit(&x, LOAD);
    y_before_x = seen_y == 1 && seen_x == 0;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, write_x, NULL);
    pthread_create(&threads[1], NULL, write_y, NULL);
    pthread_create(&threads[2], NULL, read_x_first, NULL);
    read_y_first(NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(!(x_before_y && y_before_x)); // <- fails
    return 0;
}
