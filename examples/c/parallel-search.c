// Two threads search the halves of an array. Only the first that finds the number fills in the result, and if neither
// does, the result is what malloc left there: read all the same in the broken program. FIXED: it looks at `is_found`.
//
//   npx heddle check examples/c/parallel-search.c          → error uninitialised-read at line 58
//   npx heddle check -DFIXED examples/c/parallel-search.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static const int haystack[] = {3, 1, 4, 1, 5, 9};
#define SIZE (sizeof haystack / sizeof haystack[0])

struct result {
    atomic_flag is_found;
    int index;
};

struct task {
    pthread_t thread;
    size_t from, to;
    int needle;
    struct result *result;
};

static void *search(void *argument)
{
    struct task *task = argument;
    for (size_t i = task->from; i < task->to; i++) {
        if (haystack[i] != task->needle)
            continue;
        if (!atomic_flag_test_and_set(&task->result->is_found))
            task->result->index = (int)i;
        break;
    }
    return NULL;
}

static int find(int needle)
{
    struct result *result = malloc(sizeof *result);
    atomic_flag_clear(&result->is_found);
    struct task tasks[2] = {
        {.from = 0, .to = SIZE / 2, .needle = needle, .result = result},
        {.from = SIZE / 2, .to = SIZE, .needle = needle, .result = result},
    };
    for (int i = 0; i < 2; i++)
        pthread_create(&tasks[i].thread, NULL, search, &tasks[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(tasks[i].thread, NULL);
#ifdef FIXED
    int index = atomic_flag_test_and_set(&result->is_found) ? result->index : -1;
#else
    int index = result->index;
#endif
    free(result);
    return index; // <- fails
}

int main(void)
{
    int index = find(1);
    assert(index == 1 || index == 3);
    assert(find(7) == -1);
    return 0;
}
