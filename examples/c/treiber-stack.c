// Treiber's lock-free stack with nodes from malloc. The broken `pop` frees the node that it has taken off, while
// another thread that has loaded the same top may be about to read its `next`. FIXED: nodes that were popped are
// kept in a list of the thread's own and freed when all threads have ended.
//
//   npx heddle check examples/c/treiber-stack.c                        → error use-after-free at lines 35 and 45
//   npx heddle check -DFIXED --check-leaks examples/c/treiber-stack.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *next;
    struct node *next_retired;
};

static struct node *_Atomic top;

static void push(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    node->next = atomic_load_explicit(&top, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&top, &node->next, node, memory_order_release, memory_order_relaxed))
        ;
}

/* 0 if the stack is empty. */
static int pop(struct node **retired)
{
    struct node *node = atomic_load_explicit(&top, memory_order_acquire);
    while (node != NULL &&
           !atomic_compare_exchange_weak_explicit(&top, &node, node->next, // <- fails
                                                  memory_order_acquire, memory_order_acquire))
        ;
    if (node == NULL)
        return 0;
    int value = node->value;
#ifdef FIXED
    node->next_retired = *retired;
    *retired = node;
#else
    free(node); // <- fails
#endif
    return value;
}

struct worker {
    pthread_t thread;
    int value;
    struct node *retired;
};

static void *work(void *argument)
{
    struct worker *self = argument;
    push(self->value);
    self->value = pop(&self->retired);
    return NULL;
}

int main(void)
{
    struct worker workers[2] = {{.value = 1}, {.value = 2}};
    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i].thread, NULL, work, &workers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i].thread, NULL);
    assert(workers[0].value + workers[1].value == 3 && top == NULL);
    for (int i = 0; i < 2; i++) {
        for (struct node *node = workers[i].retired, *next; node != NULL; node = next) {
            next = node->next_retired;
            free(node);
        }
    }
    return 0;
}
