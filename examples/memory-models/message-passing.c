// Message passing (MP). A thread writes a message and then raises a flag. Who sees the flag should find the message;
// with relaxed accesses nothing says so. x86 keeps stores in their order, other processors do not.
//
//   npx heddle check examples/memory-models/message-passing.c --model sc                → ok
//   npx heddle check examples/memory-models/message-passing.c --model tso               → ok
//   npx heddle check examples/memory-models/message-passing.c --model pso               → error assertion at line 49
//   npx heddle check examples/memory-models/message-passing.c --model ra                → error assertion at line 49
//   npx heddle check examples/memory-models/message-passing.c                           → error assertion at line 49
//
// A release store that an acquire load reads brings along all that was written before it. Fences do the same for
// relaxed accesses behind and before them:
//
//   npx heddle check -DRELEASE examples/memory-models/message-passing.c --model pso     → ok
//   npx heddle check -DRELEASE examples/memory-models/message-passing.c --model ra      → ok
//   npx heddle check -DRELEASE examples/memory-models/message-passing.c                 → ok
//   npx heddle check -DFENCES examples/memory-models/message-passing.c --model pso      → ok
//   npx heddle check -DFENCES examples/memory-models/message-passing.c                  → ok
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef RELEASE
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

static atomic_int message, flag;

static void *sender(void *unused)
{
    atomic_store_explicit(&message, 42, memory_order_relaxed);
#ifdef FENCES
    atomic_thread_fence(memory_order_release);
#endif
    atomic_store_explicit(&flag, 1, STORE);
    return NULL;
}

static void receive(void)
{
    if (atomic_load_explicit(&flag, LOAD) == 0)
        return;
#ifdef FENCES
    atomic_thread_fence(memory_order_acquire);
#endif
    assert(atomic_load_explicit(&message, memory_order_relaxed) == 42); // <- fails
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sender, NULL);
    receive();
    pthread_join(thread, NULL);
    return 0;
}
