#include "hashmap.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STRIPES = 2, MAX_LOAD = 1 }; /* a power of two; entries for each bucket */

struct entry {
    struct entry *next;
    uint32_t hash;
    int value;
    char key[];
};

struct hashmap {
    pthread_mutex_t stripes[STRIPES]; /* stripe i has all buckets b with b % STRIPES == i */
    struct entry **buckets;
    size_t mask;
    atomic_size_t count;
};

/* FNV-1a */
static uint32_t hash_of(const char *key)
{
    uint32_t hash = 2166136261u;
    for (const unsigned char *p = (const unsigned char *)key; *p != '\0'; p++)
        hash = (hash ^ *p) * 16777619u;
    return hash;
}

static inline pthread_mutex_t *stripe_of(struct hashmap *map, uint32_t hash)
{
    return &map->stripes[hash & (STRIPES - 1)];
}

static void lock_all(struct hashmap *map)
{
    for (size_t i = 0; i < STRIPES; i++)
        pthread_mutex_lock(&map->stripes[i]);
}

static void unlock_all(struct hashmap *map)
{
    for (size_t i = STRIPES; i-- > 0;)
        pthread_mutex_unlock(&map->stripes[i]);
}

/* The link that leads to the entry, or to NULL. */
static struct entry **find(struct entry **link, const char *key, uint32_t hash)
{
    while (*link != NULL && ((*link)->hash != hash || strcmp((*link)->key, key) != 0))
        link = &(*link)->next;
    return link;
}

static struct entry *entry_create(const char *key, uint32_t hash, int value)
{
    size_t size = strlen(key) + 1;
    struct entry *entry = malloc(sizeof *entry + size);
    if (entry == NULL)
        return NULL;
    memcpy(entry->key, key, size);
    entry->hash = hash;
    entry->value = value;
    entry->next = NULL;
    return entry;
}

struct hashmap *hashmap_create(size_t buckets)
{
    size_t size = STRIPES;
    while (size < buckets)
        size *= 2;
    struct hashmap *map = calloc(1, sizeof *map);
    if (map == NULL)
        return NULL;
    map->buckets = calloc(size, sizeof *map->buckets);
    if (map->buckets == NULL) {
        free(map);
        return NULL;
    }
    map->mask = size - 1;
    for (size_t i = 0; i < STRIPES; i++)
        pthread_mutex_init(&map->stripes[i], NULL);
    return map;
}

void hashmap_destroy(struct hashmap *map)
{
    if (map == NULL)
        return;
    for (size_t i = 0; i <= map->mask; i++) {
        for (struct entry *entry = map->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            free(entry);
        }
    }
    for (size_t i = 0; i < STRIPES; i++)
        pthread_mutex_destroy(&map->stripes[i]);
    free(map->buckets);
    free(map);
}

/* Without memory for it, the map stays as crowded as it is. */
static void grow(struct hashmap *map)
{
    lock_all(map);
    size_t size = map->mask + 1;
    if (atomic_load(&map->count) <= MAX_LOAD * size)
        goto out; /* someone else has done it */
    struct entry **buckets = calloc(2 * size, sizeof *buckets);
    if (buckets == NULL)
        goto out;
    for (size_t i = 0; i < size; i++) {
        for (struct entry *entry = map->buckets[i], *next; entry != NULL; entry = next) {
            next = entry->next;
            struct entry **bucket = &buckets[entry->hash & (2 * size - 1)];
            entry->next = *bucket;
            *bucket = entry;
        }
    }
    free(map->buckets);
    map->buckets = buckets;
    map->mask = 2 * size - 1; // <- fails
out:
    unlock_all(map);
}

enum hashmap_result hashmap_put(struct hashmap *map, const char *key, int value)
{
    uint32_t hash = hash_of(key);
    enum hashmap_result result = HASHMAP_OK;
    bool is_crowded = false;
    pthread_mutex_t *stripe = stripe_of(map, hash);
#ifdef BUG
    size_t bucket = hash & map->mask; // <- fails
    pthread_mutex_lock(stripe);
#else
    pthread_mutex_lock(stripe);
    size_t bucket = hash & map->mask; /* only now: the map may have grown */
#endif
    struct entry **link = find(&map->buckets[bucket], key, hash);
    if (*link != NULL) {
        (*link)->value = value;
        result = HASHMAP_REPLACED;
    } else if ((*link = entry_create(key, hash, value)) == NULL) {
        result = HASHMAP_NO_MEMORY;
    } else {
        is_crowded = atomic_fetch_add(&map->count, 1) >= MAX_LOAD * (map->mask + 1);
    }
    pthread_mutex_unlock(stripe);
    if (is_crowded)
        grow(map);
    return result;
}

enum hashmap_result hashmap_get(struct hashmap *map, const char *key, int *value)
{
    uint32_t hash = hash_of(key);
    enum hashmap_result result = HASHMAP_NOT_FOUND;
    pthread_mutex_t *stripe = stripe_of(map, hash);
    pthread_mutex_lock(stripe);
    const struct entry *entry = *find(&map->buckets[hash & map->mask], key, hash);
    if (entry != NULL) {
        *value = entry->value;
        result = HASHMAP_OK;
    }
    pthread_mutex_unlock(stripe);
    return result;
}

enum hashmap_result hashmap_remove(struct hashmap *map, const char *key)
{
    uint32_t hash = hash_of(key);
    pthread_mutex_t *stripe = stripe_of(map, hash);
    pthread_mutex_lock(stripe);
    struct entry **link = find(&map->buckets[hash & map->mask], key, hash);
    struct entry *entry = *link;
    if (entry != NULL) {
        *link = entry->next;
        atomic_fetch_sub(&map->count, 1);
    }
    pthread_mutex_unlock(stripe);
    if (entry == NULL)
        return HASHMAP_NOT_FOUND;
    free(entry);
    return HASHMAP_OK;
}

void hashmap_for_each(struct hashmap *map, hashmap_visitor visit, void *context)
{
    lock_all(map);
    for (size_t i = 0; i <= map->mask; i++)
        for (const struct entry *entry = map->buckets[i]; entry != NULL; entry = entry->next)
            if (!visit(entry->key, entry->value, context))
                goto out;
out:
    unlock_all(map);
}

size_t hashmap_count(const struct hashmap *map)
{
    return atomic_load(&map->count);
}
