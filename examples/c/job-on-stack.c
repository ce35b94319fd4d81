// A function starts a thread, hands it a job that lies on its own stack, and returns: when the thread looks at the job,
// the function's variables may be gone. FIXED: the job lies on the heap, and the thread frees it.
//
//   npx heddle check examples/c/job-on-stack.c                        → error use-after-free at lines 20 and 39
//   npx heddle check -DFIXED --check-leaks examples/c/job-on-stack.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct job {
    int first, last;
};

static int sum;

static void *run(void *argument)
{
    struct job *job = argument;
    for (int i = job->first; i <= job->last; i++) // <- fails
        sum += i;
#ifdef FIXED
    free(job);
#endif
    return NULL;
}

static pthread_t start(int first, int last)
{
    pthread_t thread;
#ifdef FIXED
    struct job *job = malloc(sizeof *job);
    *job = (struct job){first, last};
    pthread_create(&thread, NULL, run, job);
#else
    struct job job = {first, last};
    pthread_create(&thread, NULL, run, &job);
#endif
    return thread; // <- fails
}

int main(void)
{
    pthread_t thread = start(1, 3);
    pthread_join(thread, NULL);
    assert(sum == 6);
    return 0;
}
