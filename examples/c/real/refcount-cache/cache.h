#ifndef CACHE_H
#define CACHE_H

#include <stddef.h>
#include <stdint.h>

/*
 * Keeps what was loaded last. Who gets an object holds a reference to it, and may use it even after it was evicted; it
 * is freed with the last reference.
 */
struct cache;
struct cache_object;

/* Makes the value for a key. 0, or an error. */
typedef int (*cache_loader)(uint32_t key, void **value, size_t *size);

struct cache_statistics {
    unsigned hits;
    unsigned misses;
    unsigned evictions;
};

struct cache *cache_create(size_t capacity, cache_loader load);
void cache_destroy(struct cache *cache, struct cache_statistics *statistics);

int cache_get(struct cache *cache, uint32_t key, struct cache_object **object);
void cache_put(struct cache_object *object);

const void *cache_object_value(const struct cache_object *object);

#endif
