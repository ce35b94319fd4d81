/* All of it: the WASI header leaves most out, unless it is told that it is not WASI's. */
#ifndef HEDDLE_SIGNAL_H
#define HEDDLE_SIGNAL_H

#include <__as-upstream.h>

#define __wasilibc_unmodified_upstream
#include_next <signal.h>
#undef __wasilibc_unmodified_upstream

struct sigaltstack {
    void *ss_sp;
    int ss_flags;
    size_t ss_size;
};

#define SA_NOCLDSTOP 1
#define SA_NOCLDWAIT 2
#define SA_SIGINFO 4
#define SA_ONSTACK 0x08000000
#define SA_RESTART 0x10000000
#define SA_NODEFER 0x40000000
#define SA_RESETHAND 0x80000000
#define SA_RESTORER 0x04000000
#define MINSIGSTKSZ 2048
#define SIGSTKSZ 8192

#endif
