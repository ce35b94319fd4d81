// A stack without locks whose nodes are freed by epochs. BUG: nodes are freed one epoch too early, while a thread that
// was pinned in the epoch before may still look at them.
//
//   npx heddle check examples/c/real/epoch-reclamation/main.c examples/c/real/epoch-reclamation/ebr.c examples/c/real/epoch-reclamation/stack.c        → ok, after a while
//   npx heddle check -DBUG examples/c/real/epoch-reclamation/main.c examples/c/real/epoch-reclamation/ebr.c examples/c/real/epoch-reclamation/stack.c  → error use-after-free at stack.c lines 27 and 34

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "ebr.h"
#include "stack.h"

enum { THREADS = 2 };

/* Two in a row, so that the first is freed while the other thread may be at work. */
static const int pops[THREADS] = {2, 1};

struct client {
    int pops;
    int sum;
};

static struct stack stack = STACK_INITIALIZER;

static void *pop_some(void *arg)
{
    struct client *client = arg;
    for (int i = 0, value; i < client->pops; i++)
        if (stack_pop(&stack, &value))
            client->sum += value;
    return NULL;
}

int main(void)
{
    struct client clients[THREADS];
    pthread_t threads[THREADS];
    int pushed = 0, popped = 0;
    unsigned nodes = 0;
    for (int i = 0; i < THREADS; i++) {
        clients[i] = (struct client){.pops = pops[i]};
        for (int j = 0; j < pops[i]; j++) {
            if (!stack_push(&stack, ++nodes))
                return EXIT_FAILURE;
            pushed += nodes;
        }
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, pop_some, &clients[i]);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        popped += clients[i].sum;
    }
    unsigned freed = ebr_shutdown();
    assert(popped == pushed);
    assert(freed == nodes);
    printf("sum %d, %u nodes freed\n", popped, freed);
    return EXIT_SUCCESS;
}
