#include "event_loop.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "futex.h"

struct event {
    struct event *next;
    event_handler handler;
    void *arg;
};

struct event_loop {
    _Atomic(struct event *) inbox; /* the newest first */
    _Atomic(uint32_t) posts;       /* a futex: the loop sleeps here */
    bool is_stopping;              /* of the thread that runs the loop */
};

struct event_loop *event_loop_create(void)
{
    struct event_loop *loop = calloc(1, sizeof *loop);
    if (loop == NULL)
        return NULL;
    atomic_init(&loop->inbox, NULL);
    atomic_init(&loop->posts, 0);
    return loop;
}

void event_loop_destroy(struct event_loop *loop)
{
    struct event *event = atomic_load(&loop->inbox);
    while (event != NULL) {
        struct event *next = event->next;
        free(event);
        event = next;
    }
    free(loop);
}

int event_loop_post(struct event_loop *loop, event_handler handler, void *arg)
{
    struct event *event = malloc(sizeof *event);
    if (event == NULL)
        return ENOMEM;
    event->handler = handler;
    event->arg = arg;
    event->next = atomic_load_explicit(&loop->inbox, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&loop->inbox, &event->next, event, memory_order_release,
                                                  memory_order_relaxed))
        ;
    atomic_fetch_add_explicit(&loop->posts, 1, memory_order_release);
    futex_wake(&loop->posts, 1);
    return 0;
}

static void set_stopping(void *arg)
{
    struct event_loop *loop = arg;
    loop->is_stopping = true;
}

int event_loop_stop(struct event_loop *loop)
{
    return event_loop_post(loop, set_stopping, loop);
}

/* All that is in the inbox, the oldest first. */
static struct event *take_all(struct event_loop *loop)
{
    struct event *event = atomic_exchange_explicit(&loop->inbox, NULL, memory_order_acquire);
    struct event *reversed = NULL;
    while (event != NULL) {
        struct event *next = event->next;
        event->next = reversed;
        reversed = event;
        event = next;
    }
    return reversed;
}

unsigned long event_loop_run(struct event_loop *loop)
{
    unsigned long handled = 0;
    while (!loop->is_stopping) {
#ifdef BUG
        struct event *event = take_all(loop);
        uint32_t posts = atomic_load_explicit(&loop->posts, memory_order_acquire);
#else
        uint32_t posts = atomic_load_explicit(&loop->posts, memory_order_acquire); /* first: see futex_wait below */
        struct event *event = take_all(loop);
#endif
        if (event == NULL) {
            futex_wait(&loop->posts, posts);
            continue;
        }
        while (event != NULL) {
            struct event *next = event->next;
            event->handler(event->arg);
            if (event->handler != set_stopping)
                handled++;
            free(event);
            event = next;
        }
    }
    return handled;
}
