/*
 * Lists and queues whose links lie in the elements, by the names that BSD gave them: SLIST (single links), STAILQ (the
 * same, with an end), LIST (elements can be removed) and TAILQ (both ends). SIMPLEQ is another name for STAILQ.
 */
#ifndef HEDDLE_SYS_QUEUE_H
#define HEDDLE_SYS_QUEUE_H

#include <stddef.h>

/* Single links: a stack. */

#define SLIST_HEAD(name, type) \
    struct name { \
        struct type *slh_first; \
    }
#define SLIST_HEAD_INITIALIZER(head) {NULL}
#define SLIST_ENTRY(type) \
    struct { \
        struct type *sle_next; \
    }
#define SLIST_INIT(head) ((void)((head)->slh_first = NULL))
#define SLIST_EMPTY(head) ((head)->slh_first == NULL)
#define SLIST_FIRST(head) ((head)->slh_first)
#define SLIST_NEXT(item, field) ((item)->field.sle_next)
#define SLIST_FOREACH(item, head, field) \
    for ((item) = SLIST_FIRST(head); (item) != NULL; (item) = SLIST_NEXT(item, field))
#define SLIST_FOREACH_SAFE(item, head, field, next) \
    for ((item) = SLIST_FIRST(head); (item) != NULL && ((next) = SLIST_NEXT(item, field), 1); (item) = (next))
#define SLIST_INSERT_HEAD(head, item, field) \
    do { \
        SLIST_NEXT(item, field) = SLIST_FIRST(head); \
        SLIST_FIRST(head) = (item); \
    } while (0)
#define SLIST_INSERT_AFTER(before, item, field) \
    do { \
        SLIST_NEXT(item, field) = SLIST_NEXT(before, field); \
        SLIST_NEXT(before, field) = (item); \
    } while (0)
#define SLIST_REMOVE_HEAD(head, field) ((void)(SLIST_FIRST(head) = SLIST_NEXT(SLIST_FIRST(head), field)))
#define SLIST_REMOVE_AFTER(before, field) \
    ((void)(SLIST_NEXT(before, field) = SLIST_NEXT(SLIST_NEXT(before, field), field)))
#define SLIST_REMOVE(head, item, type, field) \
    do { \
        struct type **slist_link = &SLIST_FIRST(head); \
        while (*slist_link != (item)) \
            slist_link = &SLIST_NEXT(*slist_link, field); \
        *slist_link = SLIST_NEXT(item, field); \
    } while (0)

/* Single links, and the address of the last one: a queue. */

#define STAILQ_HEAD(name, type) \
    struct name { \
        struct type *stqh_first; \
        struct type **stqh_last; \
    }
#define STAILQ_HEAD_INITIALIZER(head) {NULL, &(head).stqh_first}
#define STAILQ_ENTRY(type) \
    struct { \
        struct type *stqe_next; \
    }
#define STAILQ_INIT(head) \
    do { \
        (head)->stqh_first = NULL; \
        (head)->stqh_last = &(head)->stqh_first; \
    } while (0)
#define STAILQ_EMPTY(head) ((head)->stqh_first == NULL)
#define STAILQ_FIRST(head) ((head)->stqh_first)
#define STAILQ_NEXT(item, field) ((item)->field.stqe_next)
#define STAILQ_LAST(head, type, field) \
    (STAILQ_EMPTY(head) \
         ? NULL \
         : (struct type *)((char *)(head)->stqh_last - __builtin_offsetof(struct type, field.stqe_next)))
#define STAILQ_FOREACH(item, head, field) \
    for ((item) = STAILQ_FIRST(head); (item) != NULL; (item) = STAILQ_NEXT(item, field))
#define STAILQ_FOREACH_SAFE(item, head, field, next) \
    for ((item) = STAILQ_FIRST(head); (item) != NULL && ((next) = STAILQ_NEXT(item, field), 1); (item) = (next))
#define STAILQ_INSERT_HEAD(head, item, field) \
    do { \
        if ((STAILQ_NEXT(item, field) = STAILQ_FIRST(head)) == NULL) \
            (head)->stqh_last = &STAILQ_NEXT(item, field); \
        STAILQ_FIRST(head) = (item); \
    } while (0)
#define STAILQ_INSERT_TAIL(head, item, field) \
    do { \
        STAILQ_NEXT(item, field) = NULL; \
        *(head)->stqh_last = (item); \
        (head)->stqh_last = &STAILQ_NEXT(item, field); \
    } while (0)
#define STAILQ_INSERT_AFTER(head, before, item, field) \
    do { \
        STAILQ_NEXT(item, field) = STAILQ_NEXT(before, field); \
        STAILQ_NEXT(before, field) = (item); \
        if (STAILQ_NEXT(item, field) == NULL) \
            (head)->stqh_last = &STAILQ_NEXT(item, field); \
    } while (0)
#define STAILQ_REMOVE_HEAD(head, field) \
    do { \
        if ((STAILQ_FIRST(head) = STAILQ_NEXT(STAILQ_FIRST(head), field)) == NULL) \
            (head)->stqh_last = &STAILQ_FIRST(head); \
    } while (0)
#define STAILQ_REMOVE(head, item, type, field) \
    do { \
        struct type **stailq_link = &STAILQ_FIRST(head); \
        while (*stailq_link != (item)) \
            stailq_link = &STAILQ_NEXT(*stailq_link, field); \
        if ((*stailq_link = STAILQ_NEXT(item, field)) == NULL) \
            (head)->stqh_last = stailq_link; \
    } while (0)
#define STAILQ_CONCAT(head, other) \
    do { \
        if (!STAILQ_EMPTY(other)) { \
            *(head)->stqh_last = (other)->stqh_first; \
            (head)->stqh_last = (other)->stqh_last; \
            STAILQ_INIT(other); \
        } \
    } while (0)

#define SIMPLEQ_HEAD STAILQ_HEAD
#define SIMPLEQ_HEAD_INITIALIZER STAILQ_HEAD_INITIALIZER
#define SIMPLEQ_ENTRY STAILQ_ENTRY
#define SIMPLEQ_INIT STAILQ_INIT
#define SIMPLEQ_EMPTY STAILQ_EMPTY
#define SIMPLEQ_FIRST STAILQ_FIRST
#define SIMPLEQ_NEXT STAILQ_NEXT
#define SIMPLEQ_FOREACH STAILQ_FOREACH
#define SIMPLEQ_INSERT_HEAD STAILQ_INSERT_HEAD
#define SIMPLEQ_INSERT_TAIL STAILQ_INSERT_TAIL
#define SIMPLEQ_INSERT_AFTER STAILQ_INSERT_AFTER
#define SIMPLEQ_REMOVE_HEAD STAILQ_REMOVE_HEAD

/* A link forward, and the address of the link that leads here. */

#define LIST_HEAD(name, type) \
    struct name { \
        struct type *lh_first; \
    }
#define LIST_HEAD_INITIALIZER(head) {NULL}
#define LIST_ENTRY(type) \
    struct { \
        struct type *le_next; \
        struct type **le_prev; \
    }
#define LIST_INIT(head) ((void)((head)->lh_first = NULL))
#define LIST_EMPTY(head) ((head)->lh_first == NULL)
#define LIST_FIRST(head) ((head)->lh_first)
#define LIST_NEXT(item, field) ((item)->field.le_next)
#define LIST_FOREACH(item, head, field) \
    for ((item) = LIST_FIRST(head); (item) != NULL; (item) = LIST_NEXT(item, field))
#define LIST_FOREACH_SAFE(item, head, field, next) \
    for ((item) = LIST_FIRST(head); (item) != NULL && ((next) = LIST_NEXT(item, field), 1); (item) = (next))
#define LIST_LINK_(link, item, field) \
    do { \
        (item)->field.le_prev = (link); \
        if ((LIST_NEXT(item, field) = *(link)) != NULL) \
            LIST_NEXT(item, field)->field.le_prev = &LIST_NEXT(item, field); \
        *(link) = (item); \
    } while (0)
#define LIST_INSERT_HEAD(head, item, field) LIST_LINK_(&LIST_FIRST(head), item, field)
#define LIST_INSERT_AFTER(before, item, field) LIST_LINK_(&LIST_NEXT(before, field), item, field)
#define LIST_INSERT_BEFORE(after, item, field) \
    do { \
        (item)->field.le_prev = (after)->field.le_prev; \
        LIST_NEXT(item, field) = (after); \
        (after)->field.le_prev = &LIST_NEXT(item, field); \
        *(item)->field.le_prev = (item); \
    } while (0)
#define LIST_REMOVE(item, field) \
    do { \
        if (LIST_NEXT(item, field) != NULL) \
            LIST_NEXT(item, field)->field.le_prev = (item)->field.le_prev; \
        *(item)->field.le_prev = LIST_NEXT(item, field); \
    } while (0)

/* The same, and the address of the last link. A head and the links of an element have the same shape. */

#define TAILQ_HEAD(name, type) \
    struct name { \
        struct type *tqh_first; \
        struct type **tqh_last; \
    }
#define TAILQ_HEAD_INITIALIZER(head) {NULL, &(head).tqh_first}
#define TAILQ_ENTRY(type) \
    struct { \
        struct type *tqe_next; \
        struct type **tqe_prev; \
    }
#define TAILQ_INIT(head) \
    do { \
        (head)->tqh_first = NULL; \
        (head)->tqh_last = &(head)->tqh_first; \
    } while (0)
#define TAILQ_EMPTY(head) ((head)->tqh_first == NULL)
#define TAILQ_FIRST(head) ((head)->tqh_first)
#define TAILQ_NEXT(item, field) ((item)->field.tqe_next)
#define TAILQ_LAST(head, headname) (*(((struct headname *)((head)->tqh_last))->tqh_last))
#define TAILQ_PREV(item, headname, field) (*(((struct headname *)((item)->field.tqe_prev))->tqh_last))
#define TAILQ_FOREACH(item, head, field) \
    for ((item) = TAILQ_FIRST(head); (item) != NULL; (item) = TAILQ_NEXT(item, field))
#define TAILQ_FOREACH_SAFE(item, head, field, next) \
    for ((item) = TAILQ_FIRST(head); (item) != NULL && ((next) = TAILQ_NEXT(item, field), 1); (item) = (next))
#define TAILQ_FOREACH_REVERSE(item, head, headname, field) \
    for ((item) = TAILQ_LAST(head, headname); (item) != NULL; (item) = TAILQ_PREV(item, headname, field))
#define TAILQ_LINK_BACK_(head, item, field) \
    (*(TAILQ_NEXT(item, field) != NULL ? &TAILQ_NEXT(item, field)->field.tqe_prev : &(head)->tqh_last))
#define TAILQ_LINK_(head, link, item, field) \
    do { \
        (item)->field.tqe_prev = (link); \
        TAILQ_NEXT(item, field) = *(link); \
        TAILQ_LINK_BACK_(head, item, field) = &TAILQ_NEXT(item, field); \
        *(item)->field.tqe_prev = (item); \
    } while (0)
#define TAILQ_INSERT_HEAD(head, item, field) TAILQ_LINK_(head, &TAILQ_FIRST(head), item, field)
#define TAILQ_INSERT_TAIL(head, item, field) TAILQ_LINK_(head, (head)->tqh_last, item, field)
#define TAILQ_INSERT_AFTER(head, before, item, field) TAILQ_LINK_(head, &TAILQ_NEXT(before, field), item, field)
#define TAILQ_INSERT_BEFORE(after, item, field) \
    do { \
        (item)->field.tqe_prev = (after)->field.tqe_prev; \
        TAILQ_NEXT(item, field) = (after); \
        (after)->field.tqe_prev = &TAILQ_NEXT(item, field); \
        *(item)->field.tqe_prev = (item); \
    } while (0)
#define TAILQ_REMOVE(head, item, field) \
    do { \
        TAILQ_LINK_BACK_(head, item, field) = (item)->field.tqe_prev; \
        *(item)->field.tqe_prev = TAILQ_NEXT(item, field); \
    } while (0)
#define TAILQ_CONCAT(head, other, field) \
    do { \
        if (!TAILQ_EMPTY(other)) { \
            *(head)->tqh_last = (other)->tqh_first; \
            (other)->tqh_first->field.tqe_prev = (head)->tqh_last; \
            (head)->tqh_last = (other)->tqh_last; \
            TAILQ_INIT(other); \
        } \
    } while (0)

#endif
