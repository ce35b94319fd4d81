// Publication as with RCU: readers follow a pointer without a lock, the updater swings it to a new object and frees the
// old one. The broken updater frees it at once, under the hands of a reader. FIXED: it waits first until no reader is
// inside (a grace period). The wait is an assumption instead of a loop.
//
//   npx heddle check examples/c/rcu.c                        → error use-after-free at lines 42 and 50
//   npx heddle check -DFIXED --check-leaks examples/c/rcu.c  → ok

#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct route {
    int gateway;
    int metric;
};

static struct route *_Atomic current;
static atomic_int readers;

static struct route *new_route(int gateway)
{
    struct route *route = malloc(sizeof *route);
    route->gateway = gateway;
    route->metric = 10 * gateway;
    return route;
}

static void synchronise(void)
{
#ifdef FIXED
    __VERIFIER_assume(atomic_load(&readers) == 0);
#endif
}

static void *updater(void *unused)
{
    struct route *old = atomic_load(&current); /* there is no other updater */
    atomic_store(&current, new_route(2));
    synchronise();
    free(old); // <- fails
    return NULL;
}

static void *reader(void *unused)
{
    atomic_fetch_add(&readers, 1);
    const struct route *route = atomic_load(&current);
    int gateway = route->gateway; // <- fails
    assert(route->metric == 10 * gateway);
    atomic_fetch_sub(&readers, 1);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    atomic_init(&current, new_route(1));
    pthread_create(&threads[0], NULL, updater, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_create(&threads[2], NULL, reader, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    free(current);
    return 0;
}
