// The lock-free queue of Michael and Scott (1996), with nodes from malloc that are freed when all threads have ended.
// A thread that finds `tail` behind the last node moves it on before it goes on itself.
//
//   npx heddle check --check-leaks examples/c/ms-queue.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
    int value;
    struct node *_Atomic next;
};

static struct node *first_node; /* all nodes, also those that were taken off */
static struct node *_Atomic head, *_Atomic tail;

static struct node *new_node(int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value;
    atomic_init(&node->next, NULL);
    return node;
}

static void enqueue(int value)
{
    struct node *node = new_node(value);
    for (;;) {
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&last->next);
        if (next != NULL) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&last->next, &next, node)) {
            atomic_compare_exchange_strong(&tail, &last, node);
            return;
        }
    }
}

static bool dequeue(int *value)
{
    for (;;) {
        struct node *first = atomic_load(&head);
        struct node *last = atomic_load(&tail);
        struct node *next = atomic_load(&first->next);
        if (next == NULL)
            return false;
        if (first == last) {
            atomic_compare_exchange_strong(&tail, &last, next);
        } else if (atomic_compare_exchange_strong(&head, &first, next)) {
            *value = next->value;
            return true;
        }
    }
}

static void *producer(void *unused)
{
    enqueue(1);
    enqueue(2);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int value, previous = 0;
    first_node = new_node(0);
    atomic_init(&head, first_node);
    atomic_init(&tail, first_node);
    pthread_create(&thread, NULL, producer, NULL);
    if (dequeue(&value))
        previous = value;
    pthread_join(thread, NULL);
    while (dequeue(&value)) {
        assert(value == previous + 1);
        previous = value;
    }
    assert(previous == 2);
    for (struct node *node = first_node, *next; node != NULL; node = next) {
        next = atomic_load(&node->next);
        free(node);
    }
    return 0;
}
