// A hash map whose buckets share a few locks, and which grows while others use it. BUG: a bucket is chosen before its
// lock is held, so it may be one of a smaller map.
//
//   npx heddle check examples/c/real/hash-map/main.c examples/c/real/hash-map/hashmap.c        → ok
//   npx heddle check -DBUG examples/c/real/hash-map/main.c examples/c/real/hash-map/hashmap.c  → error race at hashmap.c lines 127 and 139

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "hashmap.h"

static const char *const keys[2][2] = {{"ant", "bee"}, {"cat", "dog"}};

struct client {
    struct hashmap *map;
    int number;
};

static void *run_client(void *arg)
{
    const struct client *self = arg;
    const char *first = keys[self->number][0];
    const char *second = keys[self->number][1];
    int value = -1;
    if (hashmap_put(self->map, first, self->number) != HASHMAP_OK)
        return NULL;
    if (hashmap_put(self->map, second, 10 + self->number) != HASHMAP_OK)
        return NULL;
    enum hashmap_result result = hashmap_get(self->map, first, &value);
    assert(result == HASHMAP_OK && value == self->number);
    if (self->number == 1)
        result = hashmap_remove(self->map, first);
    assert(result == HASHMAP_OK);
    return NULL;
}

static bool add_value(const char *key, int value, void *context)
{
    int *sum = context;
    printf("%s %d\n", key, value);
    *sum += value;
    return true;
}

int main(void)
{
    struct hashmap *map = hashmap_create(2);
    if (map == NULL)
        return EXIT_FAILURE;

    struct client clients[2];
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        clients[i] = (struct client){.map = map, .number = i};
        int error = pthread_create(&threads[i], NULL, run_client, &clients[i]);
        assert(error == 0);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);

    int sum = 0;
    hashmap_for_each(map, add_value, &sum);
    assert(hashmap_count(map) == 3);
    assert(sum == 0 + 10 + 11);
    hashmap_destroy(map);
    return EXIT_SUCCESS;
}
