#ifndef HASHMAP_H
#define HASHMAP_H

#include <stdbool.h>
#include <stddef.h>

/* A map from strings to integers for many threads. Entries are guarded by stripes: several buckets share a lock. */
struct hashmap;

enum hashmap_result {
    HASHMAP_OK,
    HASHMAP_REPLACED,
    HASHMAP_NOT_FOUND,
    HASHMAP_NO_MEMORY,
};

typedef bool (*hashmap_visitor)(const char *key, int value, void *context);

struct hashmap *hashmap_create(size_t buckets);
void hashmap_destroy(struct hashmap *map);

enum hashmap_result hashmap_put(struct hashmap *map, const char *key, int value);
enum hashmap_result hashmap_get(struct hashmap *map, const char *key, int *value);
enum hashmap_result hashmap_remove(struct hashmap *map, const char *key);

/* Until the visitor says false. Nobody changes the map meanwhile; the visitor must not, either. */
void hashmap_for_each(struct hashmap *map, hashmap_visitor visit, void *context);

size_t hashmap_count(const struct hashmap *map);

#endif
