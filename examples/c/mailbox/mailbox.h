#ifndef MAILBOX_H
#define MAILBOX_H

#include <pthread.h>
#include <stdbool.h>

/* Holds one message at a time. */
struct mailbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_full;
    int message;
};

#define MAILBOX_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false, 0}

/* Waits while it is full. */
void mailbox_send(struct mailbox *box, int message);

/* Waits while it is empty. */
int mailbox_receive(struct mailbox *box);

#endif
