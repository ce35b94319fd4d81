#ifndef LOG_H
#define LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR };

struct log_record {
    enum log_level level;
    const char *file;
    int line;
    char text[24];
};

struct log_statistics {
    unsigned long written;
    unsigned long dropped;
};

/* Called by the background thread alone. */
typedef void (*log_sink)(const struct log_record *record, void *context);

/* Before the first message; else messages go to standard error. */
void log_set_sink(log_sink sink, void *context);
void log_set_level(enum log_level least);

/* Never waits for the sink: if the buffer is full, the message is dropped and counted. */
void log_write(enum log_level level, const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Waits until all that was logged before is written. */
void log_flush(void);

/* Writes what is left and ends the background thread. */
void log_shutdown(struct log_statistics *statistics);

#define log_debug(...) log_write(LOG_DEBUG, __FILE__, __LINE__, __VA_ARGS__)
#define log_info(...) log_write(LOG_INFO, __FILE__, __LINE__, __VA_ARGS__)
#define log_warning(...) log_write(LOG_WARNING, __FILE__, __LINE__, __VA_ARGS__)
#define log_error(...) log_write(LOG_ERROR, __FILE__, __LINE__, __VA_ARGS__)

#endif
