// How many ways are there to put four queens on a board of 4 × 4? Two workers share the work: a task is a place of the queen in the
// first row, the other half of them being mirror images. Who finds no task that is free yields and looks again, until all are
// done: a loop with no bound, that a fair bound ends. Without FIXED a worker looks and takes in two steps, so that both may solve
// the same task. With POLITE each says that it wants the task and steps back if the other does too; if both do, nobody
// solves it, and both yield for ever.
//
//   npx heddle check --fair-bound 1 --bound 0 examples/bounding/n-queens.c            → bounded
//   npx heddle check --fair-bound 1 --bound 1 examples/bounding/n-queens.c            → error assertion at line 93
//   npx heddle check --fair-bound 1 --bound 1 -DPOLITE examples/bounding/n-queens.c   → error livelock
//   npx heddle check --fair-bound 1 --bound 2 -DFIXED examples/bounding/n-queens.c    → bounded

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

enum { SIZE = 4, TASKS = SIZE / 2 };

static atomic_bool taken[TASKS];
static atomic_bool wants[2][TASKS];
static atomic_int tasks_left = TASKS;
static atomic_int solutions;

static bool is_safe(const int *queens, int row, int column)
{
    for (int r = 0; r < row; r++) {
        int distance = queens[r] - column;
        if (distance == 0 || distance == row - r || distance == r - row)
            return false;
    }
    return true;
}

static int solutions_from(int *queens, int row)
{
    if (row == SIZE)
        return 1;
    int found = 0;
    for (int column = 0; column < SIZE; column++) {
        if (!is_safe(queens, row, column))
            continue;
        queens[row] = column;
        found += solutions_from(queens, row + 1);
    }
    return found;
}

static bool take(int worker, int task)
{
#if defined(FIXED)
    (void)worker;
    return !atomic_exchange(&taken[task], true);
#elif defined(POLITE)
    atomic_store(&wants[worker][task], true);
    return !atomic_load(&wants[1 - worker][task]);
#else
    (void)worker;
    if (atomic_load(&taken[task]))
        return false;
    atomic_store(&taken[task], true);
    return true;
#endif
}

static void *work(void *argument)
{
    int worker = (int)(long)argument;
    bool has_tried[TASKS] = {false};
    while (atomic_load(&tasks_left) > 0) {
        int task = 0;
        while (task < TASKS && (has_tried[task] || !take(worker, task)))
            has_tried[task++] = true;
        if (task == TASKS) {
            sched_yield();
            continue;
        }
        has_tried[task] = true;
        int queens[SIZE] = {task};
        atomic_fetch_add(&solutions, 2 * solutions_from(queens, 1));
        atomic_fetch_sub(&tasks_left, 1);
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    assert(atomic_load(&solutions) == 2); // <- fails
    return 0;
}
