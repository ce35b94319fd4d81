// A table that is made when it is first needed. The broken one asks a plain flag before it takes the lock
// (double-checked locking): the flag is read while another thread sets it. FIXED: pthread_once.
//
//   npx heddle check examples/c/lazy-init.c          → error race at lines 40 and 44
//   npx heddle check -DFIXED examples/c/lazy-init.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

#define SIZE 3

static unsigned table[SIZE];
static int times_made;

static void make_table(void)
{
    for (unsigned i = 0; i < SIZE; i++)
        table[i] = i * i;
    times_made++;
}

#ifdef FIXED

static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static unsigned square(unsigned n)
{
    pthread_once(&table_once, make_table);
    return table[n];
}

#else

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static bool table_is_made;

static unsigned square(unsigned n)
{
    if (!table_is_made) { // <- fails
        pthread_mutex_lock(&table_lock);
        if (!table_is_made) {
            make_table();
            table_is_made = true; // <- fails
        }
        pthread_mutex_unlock(&table_lock);
    }
    return table[n];
}

#endif

static void *user(void *unused)
{
    assert(square(2) == 4);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, user, NULL);
    pthread_create(&second, NULL, user, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    assert(times_made == 1);
    return 0;
}
