// An event loop that sleeps on a futex while there is nothing to do; other threads post events. BUG: it looks at the
// number of posts after it has found its inbox empty, so that it sleeps over what came in between.
//
//   npx heddle check examples/c/real/event-loop/main.c examples/c/real/event-loop/event_loop.c        → ok
//   npx heddle check -DBUG examples/c/real/event-loop/main.c examples/c/real/event-loop/event_loop.c  → error deadlock at futex.h line 15

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "event_loop.h"

#ifndef EVENTS
#define EVENTS 1
#endif

struct client {
    struct event_loop *loop;
    int *balance; /* of the thread that runs the loop, so it needs no lock */
    int deposits;
};

static void deposit(void *arg)
{
    struct client *client = arg;
    *client->balance += 10 * ++client->deposits;
}

static void *run_client(void *arg)
{
    struct client *client = arg;
    for (int i = 0; i < EVENTS; i++)
        if (event_loop_post(client->loop, deposit, client) != 0)
            break;
    if (event_loop_stop(client->loop) != 0)
        abort();
    return NULL;
}

int main(void)
{
    int status = EXIT_FAILURE;
    int balance = 0;
    struct event_loop *loop = event_loop_create();
    if (loop == NULL)
        return EXIT_FAILURE;
    struct client client = {.loop = loop, .balance = &balance};
    pthread_t thread;
    if (pthread_create(&thread, NULL, run_client, &client) != 0)
        goto out;
    unsigned long handled = event_loop_run(loop);
    pthread_join(thread, NULL);
    assert(handled == EVENTS);
    assert(balance == 10 * EVENTS * (EVENTS + 1) / 2);
    printf("%lu events, balance %d\n", handled, balance);
    status = EXIT_SUCCESS;
out:
    event_loop_destroy(loop);
    return status;
}
