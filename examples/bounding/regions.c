// Regions of memory that have an owner, and only that may touch them; others get an exception. A region goes from one thread to
// the next through a box. The broken `give` puts it there first and gives up ownership then: by that time the other may own it, and
// owns it no more. FIXED: the other way round. Who finds the box empty yields and looks again.
//
//   npx heddle check --fair-bound 1 --bound 1 examples/bounding/regions.c          → bounded
//   npx heddle check --fair-bound 1 --bound 2 examples/bounding/regions.c          → error abort at line 28
//   npx heddle check --fair-bound 1 --bound 2 -DFIXED examples/bounding/regions.c  → ok

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>

enum { NOBODY, FILLER, PRINTER };

struct region {
    atomic_int owner;
    atomic_int pages;
};

static struct region region = {.owner = FILLER};
static _Atomic(struct region *) box;

static void touch(struct region *r, int who)
{
    if (atomic_load(&r->owner) != who)
        abort(); // <- fails
    atomic_fetch_add(&r->pages, 1);
}

static void give(struct region *r)
{
#ifdef FIXED
    atomic_store(&r->owner, NOBODY);
    atomic_store(&box, r);
#else
    atomic_store(&box, r);
    atomic_store(&r->owner, NOBODY);
#endif
}

static struct region *receive(int who)
{
    struct region *r;
    while ((r = atomic_load(&box)) == NULL)
        sched_yield();
    atomic_store(&r->owner, who);
    return r;
}

static void *filler(void *unused)
{
    touch(&region, FILLER);
    give(&region);
    return NULL;
}

static void *printer(void *unused)
{
    struct region *r = receive(PRINTER);
    touch(r, PRINTER);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, filler, NULL);
    pthread_create(&threads[1], NULL, printer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
