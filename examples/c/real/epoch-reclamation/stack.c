#include "stack.h"

#include <stdlib.h>

#include "ebr.h"

struct stack_node {
    struct stack_node *next;
    int value;
};

bool stack_push(struct stack *stack, int value)
{
    struct stack_node *node = malloc(sizeof *node);
    if (node == NULL)
        return false;
    node->value = value;
    node->next = atomic_load_explicit(&stack->top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&stack->top, &node->next, node, memory_order_release,
                                                  memory_order_relaxed))
        ;
    return true;
}

static void free_node(void *node)
{
    free(node); // <- fails
}

bool stack_pop(struct stack *stack, int *value)
{
    ebr_pin();
    struct stack_node *node = atomic_load_explicit(&stack->top, memory_order_acquire);
    while (node != NULL && !atomic_compare_exchange_weak_explicit(&stack->top, &node, node->next, // <- fails
                                                                  memory_order_acq_rel, memory_order_acquire))
        ;
    if (node != NULL) {
        *value = node->value;
        ebr_retire(node, free_node);
    }
    ebr_unpin();
    return node != NULL;
}
