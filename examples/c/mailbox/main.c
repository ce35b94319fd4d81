// A module of two files and a program that uses it. The mailbox has one condition for senders and receivers, and the
// broken one wakes only one thread with each change: that may be a receiver where a sender is needed, and then all of
// them sleep. FIXED: it wakes all.
//
//   npx heddle check examples/c/mailbox/main.c examples/c/mailbox/mailbox.c          → error deadlock at mailbox.c lines 13 and 24
//   npx heddle check -DFIXED examples/c/mailbox/main.c examples/c/mailbox/mailbox.c  → ok

#include <assert.h>
#include <pthread.h>
#include "mailbox.h"

static struct mailbox box = MAILBOX_INITIALIZER;

static void *sender(void *unused)
{
    mailbox_send(&box, 1);
    mailbox_send(&box, 2);
    return NULL;
}

static void *receiver(void *unused)
{
    int message = mailbox_receive(&box);
    assert(message == 1 || message == 2);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, receiver, NULL);
    pthread_create(&threads[1], NULL, receiver, NULL);
    pthread_create(&threads[2], NULL, sender, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
