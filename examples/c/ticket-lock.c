// A ticket lock, as it is really written: with a loop that waits. Each thread draws a ticket and waits until it is
// served, so threads enter in the order of their tickets.
//
// The loop can go round as often as it likes, but a round in which the ticket is not served yet changes nothing, so that
// it is left out: no bound is needed, and `ok` is a proof.
//
//   npx heddle check examples/c/ticket-lock.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct ticket_lock {
    atomic_uint next;
    atomic_uint serving;
};

static void ticket_lock(struct ticket_lock *lock)
{
    unsigned mine = atomic_fetch_add_explicit(&lock->next, 1, memory_order_relaxed);
    while (atomic_load_explicit(&lock->serving, memory_order_acquire) != mine)
        ; // spin
}

static void ticket_unlock(struct ticket_lock *lock)
{
    unsigned mine = atomic_load_explicit(&lock->serving, memory_order_relaxed);
    atomic_store_explicit(&lock->serving, mine + 1, memory_order_release);
}

static struct ticket_lock lock;
static int balance = 100;

static void *deposit(void *amount)
{
    ticket_lock(&lock);
    balance += *(const int *)amount;
    ticket_unlock(&lock);
    return NULL;
}

int main(void)
{
    static const int salary = 50, refund = 7;
    pthread_t first, second;
    pthread_create(&first, NULL, deposit, (void *)&salary);
    pthread_create(&second, NULL, deposit, (void *)&refund);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(balance == 157);
    return 0;
}
