// One thread sends numbered messages through a ring to another. Both poll. BUG: the ring publishes a message without
// release.
//
//   npx heddle check examples/c/real/spsc-ring/main.c examples/c/real/spsc-ring/spsc_ring.c        → ok
//   npx heddle check -DBUG examples/c/real/spsc-ring/main.c examples/c/real/spsc-ring/spsc_ring.c  → error race at spsc_ring.c lines 50 and 63

#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spsc_ring.h"

enum { DEFAULT_CAPACITY = 2, DEFAULT_MESSAGES = 5 };

struct options {
    size_t capacity;
    uint32_t messages;
};

struct endpoint {
    struct spsc_ring *ring;
    uint32_t messages;
    uint64_t checksum;
};

static inline uint32_t scramble(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return x;
}

static void *produce(void *arg)
{
    struct endpoint *self = arg;
    for (uint32_t i = 0; i < self->messages; i++) {
        struct message message = {.sequence = i, .payload = scramble(i + 1)};
        while (!spsc_ring_push(self->ring, &message))
            sched_yield();
        self->checksum += message.payload;
    }
    return NULL;
}

static void *consume(void *arg)
{
    struct endpoint *self = arg;
    for (uint32_t i = 0; i < self->messages; i++) {
        struct message message;
        while (!spsc_ring_pop(self->ring, &message))
            sched_yield();
        assert(message.sequence == i);
        self->checksum += message.payload;
    }
    return NULL;
}

static int parse_options(int argc, char **argv, struct options *options)
{
    options->capacity = DEFAULT_CAPACITY;
    options->messages = DEFAULT_MESSAGES;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-c") == 0 && i + 1 < argc)
            options->capacity = strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "-n") == 0 && i + 1 < argc)
            options->messages = (uint32_t)strtoul(argv[++i], NULL, 10);
        else
            return -1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct options options;
    if (parse_options(argc, argv, &options) != 0) {
        fprintf(stderr, "usage: %s [-c capacity] [-n messages]\n", argv[0]);
        return EXIT_FAILURE;
    }

    static struct spsc_ring ring;
    int error = spsc_ring_init(&ring, options.capacity);
    if (error != 0) {
        fprintf(stderr, "spsc_ring_init: %s\n", strerror(error));
        return EXIT_FAILURE;
    }

    struct endpoint producer = {.ring = &ring, .messages = options.messages};
    struct endpoint consumer = {.ring = &ring, .messages = options.messages};
    int status = EXIT_FAILURE;
    pthread_t threads[2];
    if (pthread_create(&threads[0], NULL, produce, &producer) != 0)
        goto out;
    if (pthread_create(&threads[1], NULL, consume, &consumer) != 0)
        goto out;
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++)
        pthread_join(threads[i], NULL);

    assert(spsc_ring_size(&ring) == 0);
    assert(producer.checksum == consumer.checksum);
    printf("%" PRIu32 " messages, checksum %" PRIu64 "\n", options.messages, consumer.checksum);
    status = EXIT_SUCCESS;
out:
    spsc_ring_destroy(&ring);
    return status;
}
