#include "cache.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "list.h"

struct cache_object {
    struct list recent;
    atomic_uint references; /* one is the cache's own */
    uint32_t key;
    size_t size;
    void *value;
};

struct cache {
    pthread_mutex_t lock;
    struct list recent; /* the most recently used first */
    size_t count;
    size_t capacity;
    cache_loader load;
    struct cache_statistics statistics;
};

static inline struct cache_object *reference(struct cache_object *object)
{
    atomic_fetch_add_explicit(&object->references, 1, memory_order_relaxed);
    return object;
}

void cache_put(struct cache_object *object)
{
    if (atomic_fetch_sub_explicit(&object->references, 1, memory_order_release) != 1)
        return;
    atomic_thread_fence(memory_order_acquire);
    free(object->value); // <- fails
    free(object); // <- fails
}

static struct cache_object *find(struct cache *cache, uint32_t key)
{
    list_for_each(node, &cache->recent)
    {
        struct cache_object *object = list_entry(node, struct cache_object, recent);
        if (object->key == key)
            return object;
    }
    return NULL;
}

static struct cache_object *evict(struct cache *cache)
{
    struct cache_object *victim = list_entry(cache->recent.previous, struct cache_object, recent);
    list_remove(&victim->recent);
    cache->count--;
    cache->statistics.evictions++;
    return victim;
}

static int create_object(struct cache *cache, uint32_t key, struct cache_object **object)
{
    struct cache_object *new = calloc(1, sizeof *new);
    if (new == NULL)
        return ENOMEM;
    int error = cache->load(key, &new->value, &new->size);
    if (error != 0) {
        free(new);
        return error;
    }
    new->key = key;
    atomic_init(&new->references, 1);
    *object = new;
    return 0;
}

struct cache *cache_create(size_t capacity, cache_loader load)
{
    struct cache *cache = calloc(1, sizeof *cache);
    if (cache == NULL)
        return NULL;
    if (pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        return NULL;
    }
    list_init(&cache->recent);
    cache->capacity = capacity;
    cache->load = load;
    return cache;
}

void cache_destroy(struct cache *cache, struct cache_statistics *statistics)
{
    while (!list_is_empty(&cache->recent)) {
        struct cache_object *object = list_entry(cache->recent.next, struct cache_object, recent);
        list_remove(&object->recent);
        cache_put(object);
    }
    if (statistics != NULL)
        *statistics = cache->statistics;
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

int cache_get(struct cache *cache, uint32_t key, struct cache_object **object)
{
    struct cache_object *victim = NULL;
    int error = 0;
    pthread_mutex_lock(&cache->lock);
    struct cache_object *found = find(cache, key);
    if (found != NULL) {
        cache->statistics.hits++;
        list_remove(&found->recent);
    } else {
        cache->statistics.misses++;
        if ((error = create_object(cache, key, &found)) != 0)
            goto out;
        if (cache->count == cache->capacity)
            victim = evict(cache);
        cache->count++;
    }
    list_push_front(&cache->recent, &found->recent);
#ifndef BUG
    *object = reference(found);
#endif
out:
    pthread_mutex_unlock(&cache->lock);
#ifdef BUG
    if (error == 0)
        *object = reference(found); /* atomic, so it needs no lock */
#endif
    if (victim != NULL)
        cache_put(victim);
    return error;
}

const void *cache_object_value(const struct cache_object *object)
{
    return object->value;
}
