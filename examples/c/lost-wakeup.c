// A latch in C11 threads: `main` waits until the worker says that it is ready. The broken worker sets the flag and
// signals without the mutex, so both can fall between the moment at which `main` looks and the moment at which it
// waits: nobody wakes it any more. FIXED: flag and signal under the mutex.
//
//   npx heddle check examples/c/lost-wakeup.c          → error deadlock at line 36
//   npx heddle check -DFIXED examples/c/lost-wakeup.c  → ok

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <threads.h>

struct latch {
    mtx_t lock;
    cnd_t opened;
    atomic_bool is_open;
};

static void latch_open(struct latch *latch)
{
#ifdef FIXED
    mtx_lock(&latch->lock);
    latch->is_open = true;
    cnd_broadcast(&latch->opened);
    mtx_unlock(&latch->lock);
#else
    latch->is_open = true;
    cnd_broadcast(&latch->opened);
#endif
}

static void latch_wait(struct latch *latch)
{
    mtx_lock(&latch->lock);
    while (!latch->is_open)
        cnd_wait(&latch->opened, &latch->lock); // <- fails
    mtx_unlock(&latch->lock);
}

static struct latch started;
static int connections;

static int worker(void *unused)
{
    connections = 4;
    latch_open(&started);
    return 0;
}

int main(void)
{
    thrd_t thread;
    mtx_init(&started.lock, mtx_plain);
    cnd_init(&started.opened);
    if (thrd_create(&thread, worker, NULL) != thrd_success)
        return 1;
    latch_wait(&started);
    assert(connections == 4);
    thrd_join(thread, NULL);
    cnd_destroy(&started.opened);
    mtx_destroy(&started.lock);
    return 0;
}
