#ifndef HEDDLE_SYS_SHM_H
#define HEDDLE_SYS_SHM_H

#include <sys/ipc.h>

struct shmid_ds;

int shmget(key_t, size_t, int);
void *shmat(int, const void *, int);
int shmdt(const void *);
int shmctl(int, int, struct shmid_ds *);

#endif
