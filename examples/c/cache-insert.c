// Threads that miss a cache entry make one and try to insert it. One of them wins; the broken program forgets the entry
// of the other, which nobody can reach any more. A leak is a warning unless --check-leaks is given. FIXED: the loser
// frees its entry and uses that of the winner.
//
//   npx heddle check examples/c/cache-insert.c                        → ok
//   npx heddle check --check-leaks examples/c/cache-insert.c          → error leak at line 26
//   npx heddle check --check-leaks -DFIXED examples/c/cache-insert.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct entry {
    int key;
    int value;
};

static struct entry *_Atomic slot;

static const struct entry *lookup(int key)
{
    struct entry *known = atomic_load(&slot);
    if (known != NULL)
        return known;
    struct entry *made = malloc(sizeof *made); // <- fails
    made->key = key;
    made->value = key * key;
    if (atomic_compare_exchange_strong(&slot, &known, made))
        return made;
#ifdef FIXED
    free(made);
#endif
    return known;
}

static void *user(void *unused)
{
    const struct entry *entry = lookup(12);
    assert(entry->value == 144);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(slot);
    return 0;
}
