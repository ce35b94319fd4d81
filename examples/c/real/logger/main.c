// Threads log through a buffer that a background thread writes out. BUG: the shutdown frees the buffer before the
// background thread has ended, which still writes what is left.
//
//   npx heddle check examples/c/real/logger/main.c examples/c/real/logger/log.c        → ok
//   npx heddle check -DBUG examples/c/real/logger/main.c examples/c/real/logger/log.c  → error use-after-free at log.c lines 49 and 125

#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"

struct tally {
    unsigned long messages;
    unsigned long bytes;
};

static void count(const struct log_record *record, void *context)
{
    struct tally *tally = context;
    tally->messages++;
    tally->bytes += strlen(record->text);
}

static void *request(void *arg)
{
    int number = *(const int *)arg;
    log_debug("request %d begins", number);
    if (number % 2 == 0)
        log_warning("request %d is late", number);
    else
        log_info("request %d", number);
    return NULL;
}

int main(void)
{
    enum { REQUESTS = 2 };
    static struct tally tally;
    int numbers[REQUESTS];
    pthread_t threads[REQUESTS];

    log_set_sink(count, &tally);
    for (int i = 0; i < REQUESTS; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, request, &numbers[i]) != 0)
            return EXIT_FAILURE;
    }
    for (int i = 0; i < REQUESTS; i++)
        pthread_join(threads[i], NULL);
    log_info("bye");

    struct log_statistics statistics;
    log_shutdown(&statistics);
    assert(statistics.written + statistics.dropped == REQUESTS + 1);
    assert(statistics.written == tally.messages);
    assert(tally.bytes == strlen("request 0 is late") + strlen("request 1") + strlen("bye"));
    printf("%lu messages, %lu dropped\n", statistics.written, statistics.dropped);
    return EXIT_SUCCESS;
}
