// A test-and-test-and-set lock: wait with loads until the lock looks free, then take it with one exchange. The
// broken one takes it with a store, so two threads that have both seen it free both get in.
//
// Both loops wait: a round of the inner one that sees the lock held changes nothing, and neither does a round of the
// outer one whose exchange writes what is there already. Such rounds are left out, so that no bound is needed, and `ok`
// is a proof.
//
//   npx heddle check examples/c/ttas-lock.c          → error race at line 46
//   npx heddle check -DFIXED examples/c/ttas-lock.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_bool held;

static void wait_until_free(void)
{
    while (atomic_load_explicit(&held, memory_order_relaxed))
        ; // spin
}

static void lock(void)
{
#ifdef FIXED
    do
        wait_until_free();
    while (atomic_exchange_explicit(&held, true, memory_order_acquire));
#else
    wait_until_free();
    atomic_store(&held, true);
#endif
}

static void unlock(void)
{
    atomic_store_explicit(&held, false, memory_order_release);
}

static int hits;

static void *worker(void *unused)
{
    lock();
    hits++; // <- fails
    unlock();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(hits == 2);
    return 0;
}
