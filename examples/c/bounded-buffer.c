// A bounded buffer with a mutex and two condition variables: one producer, two consumers. The broken one looks once
// before it waits (`if`); when it wakes, another consumer may have been faster and the buffer is empty again.
// FIXED: it looks again (`while`).
//
//   npx heddle check examples/c/bounded-buffer.c                             → error assertion at line 48
//   npx heddle check -DFIXED examples/c/bounded-buffer.c                     → ok
//   npx heddle check -DFIXED --spurious-wakeups examples/c/bounded-buffer.c  → bounded

#include <assert.h>
#include <pthread.h>

#ifdef FIXED
#define WAIT_UNLESS while
#else
#define WAIT_UNLESS if
#endif

#define CAPACITY 1
#define ITEMS 2

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    int items[CAPACITY];
    int count, first;
} buffer = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
};

static void put(int item)
{
    pthread_mutex_lock(&buffer.lock);
    WAIT_UNLESS (buffer.count == CAPACITY)
        pthread_cond_wait(&buffer.not_full, &buffer.lock);
    buffer.items[(buffer.first + buffer.count) % CAPACITY] = item;
    buffer.count++;
    pthread_cond_signal(&buffer.not_empty);
    pthread_mutex_unlock(&buffer.lock);
}

static int take(void)
{
    pthread_mutex_lock(&buffer.lock);
    WAIT_UNLESS (buffer.count == 0)
        pthread_cond_wait(&buffer.not_empty, &buffer.lock);
    assert(buffer.count > 0); // <- fails
    int item = buffer.items[buffer.first];
    buffer.first = (buffer.first + 1) % CAPACITY;
    buffer.count--;
    pthread_cond_signal(&buffer.not_full);
    pthread_mutex_unlock(&buffer.lock);
    return item;
}

static void *producer(void *unused)
{
    for (int i = 1; i <= ITEMS; i++)
        put(i);
    return NULL;
}

static void *consumer(void *taken)
{
    *(int *)taken = take();
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int taken[2];
    pthread_create(&threads[0], NULL, producer, NULL);
    pthread_create(&threads[1], NULL, consumer, &taken[0]);
    pthread_create(&threads[2], NULL, consumer, &taken[1]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(taken[0] + taken[1] == 3);
    return 0;
}
