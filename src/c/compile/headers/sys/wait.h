/* Processes are refused where a function is called; the macros are there. */
#ifndef HEDDLE_SYS_WAIT_H
#define HEDDLE_SYS_WAIT_H

#include <signal.h>
#include <sys/types.h>

#define WNOHANG 1
#define WUNTRACED 2
#define WCONTINUED 8

#define WEXITSTATUS(status) (((status) >> 8) & 0xff)
#define WTERMSIG(status) ((status) & 0x7f)
#define WSTOPSIG(status) WEXITSTATUS(status)
#define WIFEXITED(status) (WTERMSIG(status) == 0)
#define WIFSTOPPED(status) (((status) & 0xff) == 0x7f)
#define WIFSIGNALED(status) (!WIFEXITED(status) && !WIFSTOPPED(status))
#define WCOREDUMP(status) ((status) & 0x80)

pid_t wait(int *);
pid_t waitpid(pid_t, int *, int);

#endif
