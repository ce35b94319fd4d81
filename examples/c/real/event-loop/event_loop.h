#ifndef EVENT_LOOP_H
#define EVENT_LOOP_H

struct event_loop;

typedef void (*event_handler)(void *arg);

struct event_loop *event_loop_create(void);
void event_loop_destroy(struct event_loop *loop);

/* From any thread: the handler is called by the thread that runs the loop, in the order of the posts of a thread. */
int event_loop_post(struct event_loop *loop, event_handler handler, void *arg);

/* From any thread: the loop ends after what was posted before. */
int event_loop_stop(struct event_loop *loop);

/* Calls handlers until the loop is stopped; returns how many. */
unsigned long event_loop_run(struct event_loop *loop);

#endif
