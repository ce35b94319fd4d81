#ifndef HEDDLE_UCONTEXT_H
#define HEDDLE_UCONTEXT_H

#include <signal.h>

typedef struct ucontext_t {
    struct ucontext_t *uc_link;
    stack_t uc_stack;
    sigset_t uc_sigmask;
} ucontext_t;

int getcontext(ucontext_t *);
int setcontext(const ucontext_t *);
void makecontext(ucontext_t *, void (*)(void), int, ...);
int swapcontext(ucontext_t *, const ucontext_t *);

#endif
