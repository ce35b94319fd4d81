// A free list of numbered blocks: a lock-free stack that uses its nodes again. A thread has loaded the first block and
// its successor; before it exchanges, others take both and give the first one back. It is the first again, the exchange
// succeeds, and a block that is in use becomes the first: the ABA problem. FIXED: the head is an atomic struct of 8
// bytes, with a tag that every change counts up.
//
//   npx heddle check examples/c/aba-pool.c          → error assertion at line 43
//   npx heddle check -DFIXED examples/c/aba-pool.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#define BLOCKS 2
#define NONE (-1)

struct head {
    int block;
    unsigned tag;
};

static _Atomic struct head head;
static atomic_int next[BLOCKS];
static atomic_bool in_use[BLOCKS];

static struct head changed(struct head old, int block)
{
#ifdef FIXED
    return (struct head){block, old.tag + 1};
#else
    return (struct head){block, old.tag};
#endif
}

static int acquire(void)
{
    struct head old = atomic_load(&head);
    do {
        if (old.block == NONE)
            return NONE;
    } while (!atomic_compare_exchange_strong(&head, &old, changed(old, atomic_load(&next[old.block]))));
    bool was_in_use = atomic_exchange(&in_use[old.block], true);
    assert(!was_in_use); // <- fails
    return old.block;
}

static void release(int block)
{
    atomic_store(&in_use[block], false);
    struct head old = atomic_load(&head);
    do
        atomic_store(&next[block], old.block);
    while (!atomic_compare_exchange_strong(&head, &old, changed(old, block)));
}

static void *one(void *unused)
{
    acquire();
    acquire();
    return NULL;
}

static void *two(void *unused)
{
    int first = acquire();
    acquire();
    if (first != NONE)
        release(first);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    atomic_init(&next[0], 1);
    atomic_init(&next[1], NONE);
    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
