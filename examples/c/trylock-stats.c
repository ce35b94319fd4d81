// Statistics that are not worth waiting for: a thread that does not get the lock leaves its count for the next time.
// The broken one unlocks on both paths, also if it has not got the lock. FIXED: only if it has.
//
//   npx heddle check examples/c/trylock-stats.c          → error lock-misuse at line 25
//   npx heddle check -DFIXED examples/c/trylock-stats.c  → ok

#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;
static _Thread_local int pending;

static void count(int requests)
{
    pending += requests;
    if (pthread_mutex_trylock(&lock) == 0) {
        total += pending;
        pending = 0;
#ifdef FIXED
        pthread_mutex_unlock(&lock);
    }
#else
    }
    pthread_mutex_unlock(&lock); // <- fails
#endif
}

static void flush(void)
{
    pthread_mutex_lock(&lock);
    total += pending;
    pending = 0;
    pthread_mutex_unlock(&lock);
}

static void *serve(void *unused)
{
    count(1);
    count(2);
    flush();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(total == 6);
    return 0;
}
