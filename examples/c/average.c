// A running average that another thread can reset. The broken one looks whether there are samples, and then reads their
// number again to divide by it. FIXED: it reads the number once.
//
//   npx heddle check examples/c/average.c          → error division-by-zero at line 27
//   npx heddle check -DFIXED examples/c/average.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

static atomic_int sum, samples;

static void add_sample(int value)
{
    atomic_fetch_add(&sum, value);
    atomic_fetch_add(&samples, 1);
}

static int average(void)
{
#ifdef FIXED
    int n = atomic_load(&samples);
    return n == 0 ? 0 : atomic_load(&sum) / n;
#else
    if (atomic_load(&samples) == 0)
        return 0;
    return atomic_load(&sum) / atomic_load(&samples); // <- fails
#endif
}

static void *reset(void *unused)
{
    atomic_store(&samples, 0);
    atomic_store(&sum, 0);
    return NULL;
}

static void *show(void *unused)
{
    int shown = average();
    assert(shown >= 0 && shown <= 40);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    add_sample(20);
    add_sample(20);
    pthread_create(&threads[0], NULL, reset, NULL);
    pthread_create(&threads[1], NULL, show, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
