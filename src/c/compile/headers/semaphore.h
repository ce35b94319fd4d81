/* What the WASI header leaves out. */
#ifndef HEDDLE_SEMAPHORE_H
#define HEDDLE_SEMAPHORE_H

#include_next <semaphore.h>

#define __NEED_clockid_t
#include <bits/alltypes.h>

int sem_clockwait(sem_t *__restrict, clockid_t, const struct timespec *__restrict);

#endif
