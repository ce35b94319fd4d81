#ifndef LOCK_H
#define LOCK_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CACHE_LINE 64

/* What a thread brings along; which part of it is used is the lock's affair. */
struct lock_context {
    struct mcs_node *mcs;
    struct clh_node *clh;
    struct clh_node *clh_previous;
};

struct lock;

struct lock_ops {
    const char *name;
    struct lock *(*create)(void);
    void (*destroy)(struct lock *lock);
    int (*enter)(struct lock_context *context); /* a thread begins to use locks of this kind; may be NULL */
    void (*leave)(struct lock_context *context);
    void (*acquire)(struct lock *lock, struct lock_context *context);
    void (*release)(struct lock *lock, struct lock_context *context);
};

extern const struct lock_ops tas_lock_ops;
extern const struct lock_ops ttas_lock_ops;
extern const struct lock_ops ticket_lock_ops;
extern const struct lock_ops mcs_lock_ops;
extern const struct lock_ops clh_lock_ops;

static inline void cpu_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#else
    atomic_signal_fence(memory_order_seq_cst);
#endif
}

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

#endif
