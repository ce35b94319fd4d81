/*
 * Before a header of WASI that is to declare all that the C library has which it stems from. The types below are WASI's
 * own, and must not come a second time.
 */
#ifndef HEDDLE_AS_UPSTREAM_H
#define HEDDLE_AS_UPSTREAM_H

#define __NEED_size_t
#define __NEED_pid_t
#define __NEED_uid_t
#define __NEED_time_t
#define __NEED_clock_t
#define __NEED_pthread_t
#define __NEED_pthread_attr_t
#define __NEED_sigset_t
#define __NEED_struct_timespec
#define __NEED_struct_timeval
#define __NEED_struct_iovec
#include <bits/alltypes.h>

#define __DEFINED_struct_timespec
#define __DEFINED_struct_timeval
#define __DEFINED_struct_iovec
#define __DEFINED_sigset_t

#endif
