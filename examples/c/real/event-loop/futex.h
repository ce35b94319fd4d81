#ifndef FUTEX_H
#define FUTEX_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Sleeps unless the word has another value than expected. */
static inline long futex_wait(_Atomic(uint32_t) *word, uint32_t expected)
{
    return syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, NULL, NULL, 0); // <- fails
}

static inline long futex_wake(_Atomic(uint32_t) *word, int waiters)
{
    return syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, waiters, NULL, NULL, 0);
}

#endif
