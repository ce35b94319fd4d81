#ifndef STACK_H
#define STACK_H

#include <stdatomic.h>
#include <stdbool.h>

struct stack_node;

struct stack {
    _Atomic(struct stack_node *) top;
};

#define STACK_INITIALIZER {NULL}

bool stack_push(struct stack *stack, int value);
bool stack_pop(struct stack *stack, int *value);

#endif
