// Dining philosophers. Each takes the fork on the left, then the one on the right. If all of them have taken the left
// one, each waits for its neighbour for ever. FIXED: the fork with the lower number first.
//
//   npx heddle check examples/c/philosophers.c          → error deadlock at line 25
//   npx heddle check -DFIXED examples/c/philosophers.c  → ok

#include <pthread.h>

#define SEATS 3

static pthread_mutex_t forks[SEATS];
static int meals[SEATS];

static void *philosopher(void *argument)
{
    int seat = *(int *)argument;
    int first = seat, second = (seat + 1) % SEATS;
#ifdef FIXED
    if (second < first) {
        first = second;
        second = seat;
    }
#endif
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]); // <- fails
    meals[seat]++;
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];
    int seats[SEATS];
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (int i = 0; i < SEATS; i++) {
        seats[i] = i;
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    }
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < SEATS; i++)
        pthread_mutex_destroy(&forks[i]);
    return 0;
}
