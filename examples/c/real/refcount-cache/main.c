// A cache of counted references that evicts what was not used for longest. BUG: the reference is counted after the lock
// is given back, when the object may have been evicted and freed.
//
//   npx heddle check examples/c/real/refcount-cache/main.c examples/c/real/refcount-cache/cache.c        → ok
//   npx heddle check -DBUG examples/c/real/refcount-cache/main.c examples/c/real/refcount-cache/cache.c  → error use-after-free at cache.c lines 38 and 39

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cache.h"

struct page {
    uint32_t number;
    unsigned char bytes[4];
};

static atomic_uint loaded;

static int load_page(uint32_t key, void **value, size_t *size)
{
    if (key > 100)
        return ENOENT;
    struct page *page = malloc(sizeof *page);
    if (page == NULL)
        return ENOMEM;
    page->number = key;
    memset(page->bytes, (int)key, sizeof page->bytes);
    *value = page;
    *size = sizeof *page;
    atomic_fetch_add_explicit(&loaded, 1, memory_order_relaxed);
    return 0;
}

struct reader {
    struct cache *cache;
    const uint32_t *keys;
    size_t count;
};

static void *read_pages(void *arg)
{
    const struct reader *reader = arg;
    for (size_t i = 0; i < reader->count; i++) {
        struct cache_object *object;
        int error = cache_get(reader->cache, reader->keys[i], &object);
        if (error != 0) {
            fprintf(stderr, "page %" PRIu32 ": %s\n", reader->keys[i], strerror(error));
            continue;
        }
        const struct page *page = cache_object_value(object);
        assert(page->number == reader->keys[i]);
        assert(page->bytes[3] == (unsigned char)page->number);
        cache_put(object);
    }
    return NULL;
}

int main(void)
{
    static const uint32_t even[] = {2, 4};
    static const uint32_t odd[] = {2, 3, 404};
    struct cache *cache = cache_create(1, load_page);
    if (cache == NULL)
        return EXIT_FAILURE;
    struct reader readers[] = {
        {.cache = cache, .keys = even, .count = sizeof even / sizeof even[0]},
        {.cache = cache, .keys = odd, .count = sizeof odd / sizeof odd[0]},
    };
    pthread_t threads[2];
    for (size_t i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, read_pages, &readers[i]);
    for (size_t i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);

    struct cache_statistics statistics;
    cache_destroy(cache, &statistics);
    assert(statistics.hits + statistics.misses == 5);
    assert(loaded == statistics.misses - 1);
    printf("%u hits, %u misses, %u evictions\n", statistics.hits, statistics.misses, statistics.evictions);
    return EXIT_SUCCESS;
}
