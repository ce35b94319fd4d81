/* N mutexes, for each of which two threads contend. Each pair has two orders, whatever the others do: 2^N executions. */
#include <assert.h>
#include <pthread.h>

#ifndef N
#define N 3
#endif

static pthread_mutex_t mutexes[N];
static int counters[N];

static void *count(void *counter)
{
    int i = (int)((int *)counter - counters);
    pthread_mutex_lock(&mutexes[i]);
    counters[i]++;
    pthread_mutex_unlock(&mutexes[i]);
    return NULL;
}

int main(void)
{
    pthread_t threads[2 * N];
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&mutexes[i], NULL);
    for (int i = 0; i < 2 * N; i++)
        pthread_create(&threads[i], NULL, count, &counters[i / 2]);
    for (int i = 0; i < 2 * N; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < N; i++)
        assert(counters[i] == 2);
    return 0;
}
