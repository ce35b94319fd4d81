// A counter that two threads increment. The increment is a load and a store: each on its own is atomic, the two
// together are not, and an increment can be lost. FIXED: one atomic step.
//
//   npx heddle check examples/c/counter.c          → error assertion at line 31
//   npx heddle check -DFIXED examples/c/counter.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
#ifdef FIXED
    atomic_fetch_add(&counter, 1);
#else
    int old = atomic_load(&counter);
    atomic_store(&counter, old + 1);
#endif
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, increment, NULL);
    pthread_create(&second, NULL, increment, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(counter == 2); // <- fails
    return 0;
}
