#include "ebr.h"

#include <assert.h>
#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#define CACHE_LINE 64

#ifdef BUG
enum { GRACE = 1 }; /* epochs that must go by */
#else
enum { GRACE = 2 };
#endif

struct retired {
    struct retired *next;
    unsigned epoch;
    void *object;
    ebr_destructor destructor;
};

/* One for each thread that ever came here; a new thread takes over that of one that is gone. */
struct participant {
    alignas(CACHE_LINE) atomic_uint state; /* epoch * 2, + 1 while pinned */
    atomic_bool in_use;
    struct participant *next;
    unsigned nesting;
    struct retired *limbo;
    unsigned freed;
};

static alignas(CACHE_LINE) atomic_uint global_epoch;
static _Atomic(struct participant *) participants;
static pthread_key_t self_key;
static pthread_once_t self_once = PTHREAD_ONCE_INIT;

static void leave(void *arg)
{
    struct participant *self = arg;
    atomic_store_explicit(&self->in_use, false, memory_order_release);
}

static void create_key(void)
{
    if (pthread_key_create(&self_key, leave) != 0)
        abort();
}

static struct participant *adopt(void)
{
    struct participant *p = atomic_load_explicit(&participants, memory_order_acquire);
    for (; p != NULL; p = p->next) {
        bool expected = false;
        if (atomic_compare_exchange_strong_explicit(&p->in_use, &expected, true, memory_order_acquire,
                                                    memory_order_relaxed))
            return p;
    }
    return NULL;
}

static struct participant *self(void)
{
    pthread_once(&self_once, create_key);
    struct participant *p = pthread_getspecific(self_key);
    if (p != NULL)
        return p;
    if ((p = adopt()) == NULL) {
        p = aligned_alloc(CACHE_LINE, sizeof *p);
        if (p == NULL)
            abort();
        *p = (struct participant){.in_use = true};
        struct participant *head = atomic_load_explicit(&participants, memory_order_relaxed);
        do {
            p->next = head;
        } while (!atomic_compare_exchange_weak_explicit(&participants, &head, p, memory_order_release,
                                                        memory_order_relaxed));
    }
    pthread_setspecific(self_key, p);
    return p;
}

void ebr_pin(void)
{
    struct participant *p = self();
    if (p->nesting++ > 0)
        return;
    unsigned epoch = atomic_load_explicit(&global_epoch, memory_order_relaxed);
    atomic_store_explicit(&p->state, epoch << 1 | 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst); /* before any look at shared nodes */
}

void ebr_unpin(void)
{
    struct participant *p = self();
    assert(p->nesting > 0);
    if (--p->nesting > 0)
        return;
    unsigned state = atomic_load_explicit(&p->state, memory_order_relaxed);
    atomic_store_explicit(&p->state, state & ~1u, memory_order_release);
}

/* Moves the epoch on if all that are pinned have seen it. Returns the epoch then. */
static unsigned try_advance(void)
{
    unsigned epoch = atomic_load_explicit(&global_epoch, memory_order_relaxed);
    atomic_thread_fence(memory_order_seq_cst);
    struct participant *p = atomic_load_explicit(&participants, memory_order_acquire);
    for (; p != NULL; p = p->next) {
        unsigned state = atomic_load_explicit(&p->state, memory_order_relaxed);
        if ((state & 1) != 0 && state >> 1 != epoch)
            return epoch;
    }
    atomic_thread_fence(memory_order_acquire);
    if (atomic_compare_exchange_strong_explicit(&global_epoch, &epoch, epoch + 1, memory_order_release,
                                                memory_order_acquire))
        epoch++;
    return epoch;
}

static void collect(struct participant *p, unsigned epoch)
{
    for (struct retired **link = &p->limbo; *link != NULL;) {
        struct retired *retired = *link;
        if (epoch - retired->epoch < GRACE) {
            link = &retired->next;
            continue;
        }
        *link = retired->next;
        retired->destructor(retired->object);
        free(retired);
        p->freed++;
    }
}

void ebr_retire(void *object, ebr_destructor destructor)
{
    struct participant *p = self();
    struct retired *retired = malloc(sizeof *retired);
    assert(p->nesting > 0);
    if (retired == NULL)
        abort();
    atomic_thread_fence(memory_order_seq_cst);
    *retired = (struct retired){
        .next = p->limbo,
        .epoch = atomic_load_explicit(&global_epoch, memory_order_relaxed),
        .object = object,
        .destructor = destructor,
    };
    p->limbo = retired;
    collect(p, try_advance());
}

unsigned ebr_shutdown(void)
{
    unsigned freed = 0;
    struct participant *p = atomic_exchange(&participants, NULL);
    while (p != NULL) {
        struct participant *next = p->next;
        collect(p, atomic_load(&global_epoch) + GRACE);
        freed += p->freed;
        free(p);
        p = next;
    }
    pthread_once(&self_once, create_key);
    pthread_setspecific(self_key, NULL);
    return freed;
}
