// A ring buffer for one producer and one consumer, without locks. `written` and `read` only grow. The broken one
// forgets that the index must stay within the array: the third item goes past its end. FIXED: modulo its size.
//
//   npx heddle check examples/c/spsc-ring.c          → error out-of-bounds at line 30
//   npx heddle check -DFIXED examples/c/spsc-ring.c  → ok

#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define SLOTS 2
#define ITEMS 3

#ifdef FIXED
#define SLOT(n) ((n) % SLOTS)
#else
#define SLOT(n) (n)
#endif

static atomic_uint written, read;
static int slots[SLOTS];

static bool put(int item)
{
    unsigned n = atomic_load_explicit(&written, memory_order_relaxed);
    if (n - atomic_load_explicit(&read, memory_order_acquire) == SLOTS)
        return false; /* full */
    slots[SLOT(n)] = item; // <- fails
    atomic_store_explicit(&written, n + 1, memory_order_release);
    return true;
}

static bool take(int *item)
{
    unsigned n = atomic_load_explicit(&read, memory_order_relaxed);
    if (atomic_load_explicit(&written, memory_order_acquire) == n)
        return false; /* empty */
    *item = slots[SLOT(n)];
    atomic_store_explicit(&read, n + 1, memory_order_release);
    return true;
}

static void *producer(void *unused)
{
    for (int i = 0; i < ITEMS; i++)
        __VERIFIER_assume(put(i)); /* would wait while the ring is full */
    return NULL;
}

static void *consumer(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        int item;
        __VERIFIER_assume(take(&item)); /* would wait while it is empty */
        assert(item == i);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
