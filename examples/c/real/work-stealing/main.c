// A vector is summed up by tasks that split their range and spawn the other half; idle threads steal. BUG: the fence in
// deque_take is too weak, so that owner and thief can get the same task.
//
//   npx heddle check examples/c/real/work-stealing/main.c examples/c/real/work-stealing/scheduler.c examples/c/real/work-stealing/deque.c        → ok, after a while
//   npx heddle check -DBUG examples/c/real/work-stealing/main.c examples/c/real/work-stealing/scheduler.c examples/c/real/work-stealing/deque.c  → error use-after-free at scheduler.c lines 70 and 71

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler.h"

static const int values[] = {2, 7, 1, 8};

struct range {
    size_t begin;
    size_t end;
    atomic_int *sum;
};

static void add_range(void *arg)
{
    struct range range = *(struct range *)arg;
    while (range.end - range.begin > 1) {
        size_t middle = range.begin + (range.end - range.begin) / 2;
        struct range right = {.begin = middle, .end = range.end, .sum = range.sum};
        if (scheduler_spawn(add_range, &right, sizeof right) != 0)
            add_range(&right);
        range.end = middle;
    }
    atomic_fetch_add_explicit(range.sum, values[range.begin], memory_order_relaxed);
}

int main(int argc, char **argv)
{
    size_t workers = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
    size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 4;
    int expected = 0;
    for (size_t i = 0; i < count; i++)
        expected += values[i];
    atomic_int sum = 0;
    struct range all = {.begin = 0, .end = count, .sum = &sum};
    struct scheduler_statistics statistics;
    int error = scheduler_run(workers, add_range, &all, &statistics);
    if (error != 0) {
        fprintf(stderr, "%s: %s\n", argv[0], strerror(error));
        return EXIT_FAILURE;
    }
    assert(atomic_load(&sum) == expected);
    assert(statistics.executed == count - 1);
    printf("sum %d, %u tasks, %u stolen\n", sum, statistics.executed, statistics.stolen);
    return EXIT_SUCCESS;
}
