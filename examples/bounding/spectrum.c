// Many threads and one lock, as in a parallel Fourier transform: each computes its share of the energy of a signal and adds it to
// what all have. There is no bug; such programs are hard for bounds on preemptions, because every lock and unlock may be
// a place to switch.
//
//   npx heddle check --algorithm bpor --bound 0 examples/bounding/spectrum.c  → ok
//   npx heddle check --algorithm bpor --bound 1 examples/bounding/spectrum.c  → ok
//   npx heddle check examples/bounding/spectrum.c                             → ok

#include <assert.h>
#include <pthread.h>

#ifndef THREADS
#define THREADS 4
#endif

static const int signal_of[8] = {3, -1, 4, 1, -5, 9, 2, -6};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int energy;

static void *transform(void *argument)
{
    int share = 0;
    for (long i = (long)argument; i < 8; i += THREADS)
        share += signal_of[i] * signal_of[i];
    pthread_mutex_lock(&lock);
    energy += share;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, transform, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(energy == 173);
    return 0;
}
