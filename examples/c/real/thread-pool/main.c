// A vector is summed up in chunks by a pool of threads. BUG: the pool is told to stop without its lock, so that a
// worker that has just looked misses the broadcast and sleeps for ever.
//
//   npx heddle check examples/c/real/thread-pool/main.c examples/c/real/thread-pool/pool.c        → ok, after a while
//   npx heddle check -DBUG examples/c/real/thread-pool/main.c examples/c/real/thread-pool/pool.c  → error deadlock at pool.c line 34

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pool.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct chunk {
    const int *values;
    size_t count;
    atomic_long *total;
};

static void sum_chunk(void *arg)
{
    const struct chunk *chunk = arg;
    long sum = 0;
    for (size_t i = 0; i < chunk->count; i++)
        sum += chunk->values[i];
    atomic_fetch_add_explicit(chunk->total, sum, memory_order_relaxed);
}

int main(int argc, char **argv)
{
    static const int values[] = {3, 1, 4, 1, 5, 9, 2, 6};
    size_t threads = argc > 1 ? strtoul(argv[1], NULL, 10) : 2;
    size_t chunks = argc > 2 ? strtoul(argv[2], NULL, 10) : 2;
    if (threads == 0 || chunks == 0 || chunks > COUNT_OF(values)) {
        fprintf(stderr, "usage: %s [threads [chunks]]\n", argv[0]);
        return EXIT_FAILURE;
    }

    int status = EXIT_FAILURE;
    atomic_long total = 0;
    struct chunk *work = calloc(chunks, sizeof *work);
    if (work == NULL)
        return EXIT_FAILURE;
    struct pool *pool = pool_create(threads, chunks);
    if (pool == NULL) {
        perror("pool_create");
        goto out;
    }

    size_t step = COUNT_OF(values) / chunks;
    for (size_t i = 0; i < chunks; i++) {
        size_t begin = i * step;
        size_t end = i + 1 == chunks ? COUNT_OF(values) : begin + step;
        work[i] = (struct chunk){.values = values + begin, .count = end - begin, .total = &total};
        int error = pool_submit(pool, sum_chunk, &work[i]);
        if (error != 0)
            fprintf(stderr, "pool_submit: %s\n", strerror(error));
    }
    pool_drain(pool);
    assert(atomic_load(&total) == 31);

    struct pool_statistics statistics;
    pool_destroy(pool, POOL_FINISH, &statistics);
    assert(statistics.executed + statistics.discarded == statistics.submitted);
    printf("sum %ld, %zu of %zu jobs executed\n", total, statistics.executed, statistics.submitted);
    status = EXIT_SUCCESS;
out:
    free(work);
    return status;
}
