/* What the WASI header leaves out: declared, so that a call is refused by its name. */
#ifndef HEDDLE_UNISTD_H
#define HEDDLE_UNISTD_H

#include_next <unistd.h>

pid_t fork(void);
int pipe(int[2]);
int dup(int);
int dup2(int, int);
unsigned alarm(unsigned);
int pause(void);
pid_t getppid(void);
pid_t gettid(void);

#endif
