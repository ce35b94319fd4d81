/* What the WASI header leaves out: declared, so that a call is refused by its name. */
#ifndef HEDDLE_UNISTD_H
#define HEDDLE_UNISTD_H

#include_next <unistd.h>

#define __NEED_uid_t
#define __NEED_gid_t
#include <bits/alltypes.h>

pid_t fork(void);
pid_t vfork(void);
int execve(const char *, char *const[], char *const[]);
int execv(const char *, char *const[]);
int execle(const char *, const char *, ...);
int execl(const char *, const char *, ...);
int execvp(const char *, char *const[]);
int execlp(const char *, const char *, ...);
int pipe(int[2]);
int pipe2(int[2], int);
int dup(int);
int dup2(int, int);
int dup3(int, int, int);
unsigned alarm(unsigned);
int pause(void);
pid_t getppid(void);
pid_t gettid(void);
pid_t getpgrp(void);
pid_t getpgid(pid_t);
int setpgid(pid_t, pid_t);
pid_t setsid(void);
uid_t getuid(void);
uid_t geteuid(void);
gid_t getgid(void);
gid_t getegid(void);
int setuid(uid_t);
int setgid(gid_t);
int nice(int);
void sync(void);
int daemon(int, int);
int chown(const char *, uid_t, gid_t);
int chroot(const char *);
int brk(void *);
long syscall(long, ...);

#define _SC_NPROCESSORS_CONF 83
#define _SC_NPROCESSORS_ONLN 84
#define _SC_LEVEL1_DCACHE_LINESIZE 190

#endif
