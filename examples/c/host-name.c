// A name that starts as a literal and can be replaced by a copy on the heap. The broken `set_name` frees the old
// name in any case, also the literal, which malloc never returned. FIXED: it knows the literal.
//
//   npx heddle check examples/c/host-name.c                        → error invalid-free at line 23
//   npx heddle check -DFIXED --check-leaks examples/c/host-name.c  → ok

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static char default_name[] = "localhost";
static char *_Atomic name = default_name;

static void set_name(const char *new_name)
{
    char *old = atomic_exchange(&name, strdup(new_name));
#ifdef FIXED
    if (old == default_name)
        return;
#endif
    free(old); // <- fails
}

static void *configure(void *new_name)
{
    set_name(new_name);
    return NULL;
}

int main(void)
{
    static char first[] = "a.example", second[] = "b.example";
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, configure, first);
    pthread_create(&threads[1], NULL, configure, second);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    assert(strcmp(name, first) == 0 || strcmp(name, second) == 0);
    free(name);
    return 0;
}
