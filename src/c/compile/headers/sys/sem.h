#ifndef HEDDLE_SYS_SEM_H
#define HEDDLE_SYS_SEM_H

#include <sys/ipc.h>

#define SEM_UNDO 0x1000
#define GETVAL 12
#define SETVAL 16

struct sembuf {
    unsigned short sem_num;
    short sem_op;
    short sem_flg;
};

int semget(key_t, int, int);
int semop(int, struct sembuf *, size_t);
int semctl(int, int, int, ...);

#endif
