/* The numbers of system calls that programs with threads make (those of x86-64). */
#ifndef HEDDLE_SYS_SYSCALL_H
#define HEDDLE_SYS_SYSCALL_H

#define SYS_read 0
#define SYS_write 1
#define SYS_mmap 9
#define SYS_munmap 11
#define SYS_sched_yield 24
#define SYS_nanosleep 35
#define SYS_getpid 39
#define SYS_clone 56
#define SYS_exit 60
#define SYS_gettid 186
#define SYS_futex 202
#define SYS_sched_setaffinity 203
#define SYS_sched_getaffinity 204
#define SYS_clock_gettime 228
#define SYS_exit_group 231
#define SYS_tgkill 234
#define SYS_getcpu 309
#define SYS_getrandom 318
#define SYS_membarrier 324

#define __NR_read SYS_read
#define __NR_write SYS_write
#define __NR_mmap SYS_mmap
#define __NR_munmap SYS_munmap
#define __NR_sched_yield SYS_sched_yield
#define __NR_nanosleep SYS_nanosleep
#define __NR_getpid SYS_getpid
#define __NR_clone SYS_clone
#define __NR_exit SYS_exit
#define __NR_gettid SYS_gettid
#define __NR_futex SYS_futex
#define __NR_sched_setaffinity SYS_sched_setaffinity
#define __NR_sched_getaffinity SYS_sched_getaffinity
#define __NR_clock_gettime SYS_clock_gettime
#define __NR_exit_group SYS_exit_group
#define __NR_tgkill SYS_tgkill
#define __NR_getcpu SYS_getcpu
#define __NR_getrandom SYS_getrandom
#define __NR_membarrier SYS_membarrier

long syscall(long, ...);

#endif
