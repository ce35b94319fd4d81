// The oldest mistake with pthread_create: all threads get the address of the loop variable, which the loop changes
// while they read it. FIXED: each gets its number as the pointer itself.
//
//   npx heddle check examples/c/thread-argument.c          → error race at lines 21 and 30
//   npx heddle check -DFIXED examples/c/thread-argument.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define THREADS 3

static atomic_int sum;

static void *worker(void *argument)
{
#ifdef FIXED
    int number = (int)(intptr_t)argument;
#else
    int number = *(int *)argument; // <- fails
#endif
    atomic_fetch_add(&sum, number);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) { // <- fails
#ifdef FIXED
        void *argument = (void *)(intptr_t)i;
#else
        void *argument = &i;
#endif
        pthread_create(&threads[i], NULL, worker, argument);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(sum == 0 + 1 + 2);
    return 0;
}
