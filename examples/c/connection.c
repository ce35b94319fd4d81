// A connection that one thread opens and another one may close at any time. What must not happen ends in abort(). The
// broken `connected` overwrites the state without looking, and so brings a closed connection back to life. FIXED: the
// state changes only from the one that it must be in.
//
//   npx heddle check examples/c/connection.c          → error abort at line 53
//   npx heddle check -DFIXED examples/c/connection.c  → ok

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum state { CONNECTING, OPEN, CLOSED };

static _Atomic enum state state = CONNECTING;

static void connected(void)
{
    enum state expected = CONNECTING;
#ifdef FIXED
    atomic_compare_exchange_strong(&state, &expected, OPEN);
#else
    if (atomic_load(&state) == expected)
        atomic_store(&state, OPEN);
#endif
}

static void *network(void *unused)
{
    connected();
    return NULL;
}

static void *user(void *unused)
{
    atomic_store(&state, CLOSED);
    printf("closing\n");
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, network, NULL);
    pthread_create(&threads[1], NULL, user, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    switch (atomic_load(&state)) {
    case CLOSED:
        return 0;
    default:
        fprintf(stderr, "closed, but in state %d\n", atomic_load(&state));
        abort(); // <- fails
    }
}
