// Message passing again, with a message that is an ordinary variable, as messages are. In the model of C a relaxed
// flag orders nothing, so the two accesses to the message are a data race, and the program has no meaning. Under sc
// and tso every atomic access orders what stands around it; pso finds the message not written yet.
//
//   npx heddle check examples/memory-models/relaxed-flag.c --model sc                   → ok
//   npx heddle check examples/memory-models/relaxed-flag.c --model tso                  → ok
//   npx heddle check examples/memory-models/relaxed-flag.c --model pso                  → error assertion at line 38
//   npx heddle check examples/memory-models/relaxed-flag.c --model ra                   → error race at lines 29 and 38
//   npx heddle check examples/memory-models/relaxed-flag.c                              → error race at lines 29 and 38
//   npx heddle check -DFIXED examples/memory-models/relaxed-flag.c --model pso          → ok
//   npx heddle check -DFIXED examples/memory-models/relaxed-flag.c                      → ok
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

#ifdef FIXED
#define STORE memory_order_release
#define LOAD memory_order_acquire
#else
#define STORE memory_order_relaxed
#define LOAD memory_order_relaxed
#endif

static int message;
static atomic_int flag;

static void *sender(void *unused)
{
    message = 42; // <- fails
    atomic_store_explicit(&flag, 1, STORE);
    return NULL;
}

static void receive(void)
{
    if (atomic_load_explicit(&flag, LOAD) == 0)
        return;
    assert(message == 42); // <- fails
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, sender, NULL);
    receive();
    pthread_join(thread, NULL);
    return 0;
}
