#ifndef LIST_H
#define LIST_H

#include <stdbool.h>
#include <stddef.h>

/* A circular list with a head, as members of what is listed. */
struct list {
    struct list *next;
    struct list *previous;
};

static inline void list_init(struct list *head)
{
    head->next = head;
    head->previous = head;
}

static inline bool list_is_empty(const struct list *head)
{
    return head->next == head;
}

static inline void list_remove(struct list *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
}

static inline void list_push_front(struct list *head, struct list *node)
{
    node->next = head->next;
    node->previous = head;
    head->next->previous = node;
    head->next = node;
}

#define list_entry(node, type, member) ((type *)((char *)(node) - offsetof(type, member)))

#define list_for_each(node, head) for (struct list *node = (head)->next; node != (head); node = node->next)

#endif
