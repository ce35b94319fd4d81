/* A set of 64 signals; the WASI header has room for 8. */
#ifndef HEDDLE_TYPEDEF_SIGSET_T_H
#define HEDDLE_TYPEDEF_SIGSET_T_H

typedef struct {
    unsigned long __bits[2];
} sigset_t;

#endif
