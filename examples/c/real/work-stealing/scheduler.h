#ifndef SCHEDULER_H
#define SCHEDULER_H

#include <stddef.h>

struct scheduler;

typedef void (*scheduler_task)(void *arg);

struct scheduler_statistics {
    unsigned executed;
    unsigned stolen;
};

/* Runs a task and all that it spawns on some threads, of which the caller is one. 0, or an error. */
int scheduler_run(size_t workers, scheduler_task task, void *arg, struct scheduler_statistics *statistics);

/* Of a running task: another one, on any thread. It gets a copy of the argument. */
int scheduler_spawn(scheduler_task task, const void *arg, size_t size);

#endif
