// Heat flows along a rod, one thread for each part of it, in phases that a barrier separates. The broken program
// computes in place: a thread reads its neighbour's temperature while the neighbour computes the next one.
// FIXED: two arrays, the old phase and the new one.
//
//   npx heddle check examples/c/barrier-phases.c          → error race at lines 30 and 31
//   npx heddle check -DFIXED examples/c/barrier-phases.c  → ok

#include <assert.h>
#include <pthread.h>

#define PARTS 3
#define PHASES 2

#ifdef FIXED
#define COPIES 2
#else
#define COPIES 1
#endif

/* The ends of the rod stay as they are. */
static int rod[2][PARTS + 2] = {{0, 0, 0, 0, 800}, {0, 0, 0, 0, 800}};
static pthread_barrier_t phase_end;

static void *worker(void *argument)
{
    int here = *(int *)argument;
    for (int phase = 0; phase < PHASES; phase++) {
        const int *old = rod[phase % COPIES];
        int *new = rod[(phase + 1) % COPIES];
        int left = old[here - 1], right = old[here + 1]; // <- fails
        new[here] = (left + right) / 2; // <- fails
        pthread_barrier_wait(&phase_end);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[PARTS];
    int places[PARTS];
    pthread_barrier_init(&phase_end, NULL, PARTS);
    for (int i = 0; i < PARTS; i++) {
        places[i] = i + 1;
        pthread_create(&threads[i], NULL, worker, &places[i]);
    }
    for (int i = 0; i < PARTS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&phase_end);
    const int *result = rod[PHASES % COPIES];
    assert(result[1] == 0 && result[2] == 200 && result[3] == 400);
    return 0;
}
