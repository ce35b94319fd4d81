// Five spin locks behind one interface, each tried by threads that increment a counter. BUG: a thread uses its node of
// the CLH lock again, at which its successor may still look.
//
//   npx heddle check examples/c/real/locks/main.c examples/c/real/locks/spin.c examples/c/real/locks/queue.c        → ok
//   npx heddle check -DBUG examples/c/real/locks/main.c examples/c/real/locks/spin.c examples/c/real/locks/queue.c  → error livelock at queue.c line 126

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lock.h"

enum { THREADS = 2 };

/* Nodes of the CLH lock change hands, which only a second round can show. */
static const struct {
    const struct lock_ops *ops;
    unsigned rounds;
} tests[] = {
    {&tas_lock_ops, 1}, {&ttas_lock_ops, 1}, {&ticket_lock_ops, 1}, {&mcs_lock_ops, 1}, {&clh_lock_ops, 2},
};

struct client {
    const struct lock_ops *ops;
    struct lock *lock;
    unsigned rounds;
    unsigned long *counter;
};

static void *run_client(void *arg)
{
    const struct client *client = arg;
    const struct lock_ops *ops = client->ops;
    struct lock_context context = {0};
    if (ops->enter != NULL && ops->enter(&context) != 0)
        return (void *)"no memory";
    for (unsigned i = 0; i < client->rounds; i++) {
        ops->acquire(client->lock, &context);
        ++*client->counter;
        ops->release(client->lock, &context);
    }
    if (ops->leave != NULL)
        ops->leave(&context);
    return NULL;
}

static int test_lock(const struct lock_ops *ops, unsigned rounds)
{
    int error = -1;
    unsigned long counter = 0;
    struct client client = {.ops = ops, .lock = ops->create(), .rounds = rounds, .counter = &counter};
    pthread_t threads[THREADS];
    size_t started = 0;
    if (client.lock == NULL)
        return error;
    for (; started < THREADS; started++)
        if (pthread_create(&threads[started], NULL, run_client, &client) != 0)
            break;
    error = started == THREADS ? 0 : -1;
    for (size_t i = 0; i < started; i++) {
        void *problem;
        pthread_join(threads[i], &problem);
        if (problem != NULL) {
            fprintf(stderr, "%s: %s\n", ops->name, (const char *)problem);
            error = -1;
        }
    }
    assert(error != 0 || counter == THREADS * rounds);
    ops->destroy(client.lock);
    return error;
}

int main(int argc, char **argv)
{
    const char *only = argc > 1 ? argv[1] : NULL;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        const struct lock_ops *ops = tests[i].ops;
        if (only != NULL && strcmp(only, ops->name) != 0)
            continue;
        if (test_lock(ops, tests[i].rounds) != 0)
            return EXIT_FAILURE;
        printf("%-8s ok\n", ops->name);
    }
    return EXIT_SUCCESS;
}
