/* All of it: the WASI header leaves most out, unless it is told that it is not WASI's. */
#ifndef HEDDLE_SCHED_H
#define HEDDLE_SCHED_H

#include <__as-upstream.h>

#define __wasilibc_unmodified_upstream
#include_next <sched.h>
#undef __wasilibc_unmodified_upstream

int sched_getcpu(void);

#endif
