// A sequence lock: readers take no lock. The writer makes the sequence number odd, writes, and makes it even again; a
// reader that sees an odd number, or different ones before and after, has not got one consistent pair. The broken
// reader does not look at the number again. FIXED: it does, and tries once more.
//
// A reader that finds the number odd would wait for the writer: that is the assumption in `read_begin`.
//
//   npx heddle check examples/c/seqlock.c          → error assertion at line 62
//   npx heddle check -DFIXED examples/c/seqlock.c  → ok

#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_uint sequence;
static atomic_int x, y; /* readers read them at any time, so they must be atomic; x == y outside of write() */

static void write_point(int value)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&x, value, memory_order_relaxed);
    atomic_store_explicit(&y, value, memory_order_relaxed);
    atomic_store_explicit(&sequence, before + 2, memory_order_release);
}

static unsigned read_begin(void)
{
    unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
    __VERIFIER_assume(before % 2 == 0);
    return before;
}

static bool read_again(unsigned before)
{
#ifdef FIXED
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(&sequence, memory_order_relaxed) != before;
#else
    return false;
#endif
}

static void *writer(void *unused)
{
    write_point(1);
    write_point(2);
    return NULL;
}

static void *reader(void *unused)
{
    int seen_x, seen_y;
    unsigned before;
    do {
        before = read_begin();
        seen_x = atomic_load_explicit(&x, memory_order_relaxed);
        seen_y = atomic_load_explicit(&y, memory_order_relaxed);
    } while (read_again(before));
    assert(seen_x == seen_y); // <- fails
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
