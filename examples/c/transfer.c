// A transfer between accounts, of an amount that Heddle chooses: each value of --nondet is tried. The broken one checks
// the balance before it takes the lock, and the account can be overdrawn. FIXED: it checks under the lock. Values
// outside of the range were not tried, so the verdict is `bounded`.
//
//   npx heddle check --nondet 1..3 examples/c/transfer.c          → error assertion at line 51
//   npx heddle check --nondet 1..3 -DFIXED examples/c/transfer.c  → bounded

#include <assert.h>
#include <heddle.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int giro = 4, savings;

static bool transfer(int amount)
{
#ifndef FIXED
    if (giro < amount)
        return false;
#endif
    pthread_mutex_lock(&lock);
#ifdef FIXED
    bool is_covered = giro >= amount;
#else
    bool is_covered = true;
#endif
    if (is_covered) {
        giro -= amount;
        savings += amount;
    }
    pthread_mutex_unlock(&lock);
    return is_covered;
}

static void *customer(void *unused)
{
    transfer(__VERIFIER_nondet_int());
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(giro + savings == 4);
    assert(giro >= 0); // <- fails
    return 0;
}
