/* All of it: the WASI header leaves most out, unless it is told that it is not WASI's. */
#ifndef HEDDLE_SYS_RESOURCE_H
#define HEDDLE_SYS_RESOURCE_H

#include <__as-upstream.h>
#include <sys/time.h>

#define __wasilibc_unmodified_upstream
#include_next <sys/resource.h>
#undef __wasilibc_unmodified_upstream

#endif
