// A release sequence. The receiver reads the flag not from the sender, who releases the message, but from a helper,
// who changes the flag with a relaxed update. Updates pass on what the write that they read has released, so the
// message arrives.
//
//   npx heddle check examples/memory-models/release-sequence.c --model ra               → ok
//   npx heddle check examples/memory-models/release-sequence.c                          → ok
//
// A store does not, not even one of the sender's own: in C11 it did, in C++20 it does not.
//
//   npx heddle check -DSTORE examples/memory-models/release-sequence.c --model tso      → ok
//   npx heddle check -DSTORE examples/memory-models/release-sequence.c --model ra       → error race at lines 22 and 43
//   npx heddle check -DSTORE examples/memory-models/release-sequence.c                  → error race at lines 22 and 43
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static int message;
static atomic_int flag;

static void *sender(void *unused)
{
    message = 42; // <- fails
    atomic_store_explicit(&flag, 1, memory_order_release);
#ifdef STORE
    atomic_store_explicit(&flag, 2, memory_order_relaxed);
#endif
    return NULL;
}

static void *helper(void *unused)
{
#ifndef STORE
    int one = 1;
    atomic_compare_exchange_strong_explicit(&flag, &one, 2, memory_order_relaxed, memory_order_relaxed);
#endif
    return NULL;
}

static void receive(void)
{
    if (atomic_load_explicit(&flag, memory_order_acquire) != 2)
        return;
    assert(message == 42); // <- fails
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, sender, NULL);
    pthread_create(&threads[1], NULL, helper, NULL);
    receive();
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
