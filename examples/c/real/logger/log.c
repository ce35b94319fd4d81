#include "log.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOG_CAPACITY = 4 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t drained;
    pthread_t thread;
    struct log_record *records; /* a ring */
    uint64_t head;              /* numbers run on */
    uint64_t tail;
    bool is_running;
    struct log_statistics statistics;
    log_sink sink;
    void *context;
} logger = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .filled = PTHREAD_COND_INITIALIZER,
    .drained = PTHREAD_COND_INITIALIZER,
};

static pthread_once_t started = PTHREAD_ONCE_INIT;
static _Atomic enum log_level least_level = LOG_INFO;

static void write_to_stderr(const struct log_record *record, void *context)
{
    static const char *const names[] = {"debug", "info", "warning", "error"};
    (void)context;
    fprintf(stderr, "%s:%d: %s: %s\n", record->file, record->line, names[record->level], record->text);
}

static void *write_records(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&logger.lock);
    for (;;) {
        while (logger.head == logger.tail && logger.is_running)
            pthread_cond_wait(&logger.filled, &logger.lock);
        if (logger.head == logger.tail)
            break;
        struct log_record record = logger.records[logger.head % LOG_CAPACITY]; // <- fails
        pthread_mutex_unlock(&logger.lock);
        logger.sink(&record, logger.context);
        pthread_mutex_lock(&logger.lock);
        logger.head++;
        logger.statistics.written++;
        if (logger.head == logger.tail)
            pthread_cond_broadcast(&logger.drained);
    }
    pthread_mutex_unlock(&logger.lock);
    return NULL;
}

static void start(void)
{
    if (logger.sink == NULL)
        logger.sink = write_to_stderr;
    logger.records = calloc(LOG_CAPACITY, sizeof *logger.records);
    if (logger.records == NULL)
        return;
    pthread_mutex_lock(&logger.lock);
    logger.is_running = pthread_create(&logger.thread, NULL, write_records, NULL) == 0;
    pthread_mutex_unlock(&logger.lock);
}

void log_set_sink(log_sink sink, void *context)
{
    logger.sink = sink;
    logger.context = context;
}

void log_set_level(enum log_level least)
{
    atomic_store_explicit(&least_level, least, memory_order_relaxed);
}

void log_write(enum log_level level, const char *file, int line, const char *format, ...)
{
    struct log_record record = {.level = level, .file = file, .line = line};
    if (level < atomic_load_explicit(&least_level, memory_order_relaxed))
        return;
    pthread_once(&started, start);

    va_list args;
    va_start(args, format);
    vsnprintf(record.text, sizeof record.text, format, args);
    va_end(args);

    pthread_mutex_lock(&logger.lock);
    if (!logger.is_running || logger.tail - logger.head == LOG_CAPACITY) {
        logger.statistics.dropped++;
    } else {
        logger.records[logger.tail++ % LOG_CAPACITY] = record;
        pthread_cond_signal(&logger.filled);
    }
    pthread_mutex_unlock(&logger.lock);
}

void log_flush(void)
{
    pthread_mutex_lock(&logger.lock);
    uint64_t goal = logger.tail;
    while (logger.head < goal)
        pthread_cond_wait(&logger.drained, &logger.lock);
    pthread_mutex_unlock(&logger.lock);
}

void log_shutdown(struct log_statistics *statistics)
{
    pthread_once(&started, start);
    pthread_mutex_lock(&logger.lock);
    bool was_running = logger.is_running;
    logger.is_running = false;
    pthread_cond_signal(&logger.filled);
    pthread_mutex_unlock(&logger.lock);
#ifdef BUG
    free(logger.records); // <- fails
    if (was_running)
        pthread_join(logger.thread, NULL);
#else
    if (was_running)
        pthread_join(logger.thread, NULL);
    free(logger.records);
#endif
    if (statistics != NULL)
        *statistics = logger.statistics;
}
