// A buffer with two users; the last one to leave frees it. The broken `leave` counts down and then looks at the count:
// both users may have counted down before either looks, and both find 0. FIXED: it goes by the value that its own
// decrement found.
//
//   npx heddle check examples/c/shared-buffer.c                        → error double-free at line 26
//   npx heddle check -DFIXED --check-leaks examples/c/shared-buffer.c  → ok

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static struct {
    atomic_int users;
    char *bytes;
} buffer;

static void leave(void)
{
#ifdef FIXED
    if (atomic_fetch_sub(&buffer.users, 1) == 1)
        free(buffer.bytes);
#else
    atomic_fetch_sub(&buffer.users, 1);
    if (atomic_load(&buffer.users) == 0)
        free(buffer.bytes); // <- fails
#endif
}

static void *reader(void *unused)
{
    size_t length = strlen(buffer.bytes);
    leave();
    return (void *)length;
}

int main(void)
{
    pthread_t threads[2];
    buffer.bytes = malloc(3);
    strcpy(buffer.bytes, "hi");
    atomic_init(&buffer.users, 2);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, reader, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
