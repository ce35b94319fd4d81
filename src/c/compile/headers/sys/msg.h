#ifndef HEDDLE_SYS_MSG_H
#define HEDDLE_SYS_MSG_H

#include <sys/ipc.h>

struct msqid_ds;

int msgget(key_t, int);
int msgsnd(int, const void *, size_t, int);
ssize_t msgrcv(int, void *, size_t, long, int);
int msgctl(int, int, struct msqid_ds *);

#endif
