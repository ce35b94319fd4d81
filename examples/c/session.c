// The current session, which a logout sets to NULL. The broken program looks whether there is one and then follows the
// pointer that it loads again. FIXED: it loads the pointer once. (The session itself is not freed here: see rcu.c.)
//
//   npx heddle check examples/c/session.c          → error null-dereference at line 27
//   npx heddle check -DFIXED examples/c/session.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct session {
    int user;
    atomic_int requests;
};

static struct session *_Atomic current;

static void *handle_request(void *unused)
{
#ifdef FIXED
    struct session *session = atomic_load(&current);
    if (session != NULL)
        atomic_fetch_add(&session->requests, 1);
#else
    if (atomic_load(&current) != NULL)
        atomic_fetch_add(&atomic_load(&current)->requests, 1); // <- fails
#endif
    return NULL;
}

static void *logout(void *unused)
{
    atomic_store(&current, NULL);
    return NULL;
}

int main(void)
{
    struct session session = {.user = 7};
    pthread_t threads[2];
    atomic_store(&current, &session);
    pthread_create(&threads[0], NULL, handle_request, NULL);
    pthread_create(&threads[1], NULL, logout, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert(session.requests <= 1 && session.user == 7);
    return 0;
}
