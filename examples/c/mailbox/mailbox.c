#include "mailbox.h"

#ifdef FIXED
#define WAKE pthread_cond_broadcast
#else
#define WAKE pthread_cond_signal
#endif

void mailbox_send(struct mailbox *box, int message)
{
    pthread_mutex_lock(&box->lock);
    while (box->is_full)
        pthread_cond_wait(&box->changed, &box->lock); // <- fails
    box->message = message;
    box->is_full = true;
    WAKE(&box->changed);
    pthread_mutex_unlock(&box->lock);
}

int mailbox_receive(struct mailbox *box)
{
    pthread_mutex_lock(&box->lock);
    while (!box->is_full)
        pthread_cond_wait(&box->changed, &box->lock); // <- fails
    box->is_full = false;
    WAKE(&box->changed);
    int message = box->message;
    pthread_mutex_unlock(&box->lock);
    return message;
}
