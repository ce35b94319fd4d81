// A settings cache behind a reader-writer lock. The broken `refresh` finds under the read lock that the cache is stale
// and brings it up to date right there, beside other readers. FIXED: it takes the write lock and looks again.
//
//   npx heddle check examples/c/rwlock-cache.c          → error race at lines 20 and 49
//   npx heddle check -DFIXED examples/c/rwlock-cache.c  → ok

#include <assert.h>
#include <pthread.h>

static struct {
    pthread_rwlock_t lock;
    int version;
    int width, height;
} cache = {PTHREAD_RWLOCK_INITIALIZER, 0, 4, 3};

/* Keeps width : height as 4 : 3. */
static void load_settings(int version)
{
    cache.version = version;
    cache.width = 4 * (version + 1); // <- fails
    cache.height = 3 * (version + 1);
}

static void refresh(int version)
{
    pthread_rwlock_rdlock(&cache.lock);
    int is_stale = cache.version < version;
#ifdef FIXED
    pthread_rwlock_unlock(&cache.lock);
    if (!is_stale)
        return;
    pthread_rwlock_wrlock(&cache.lock);
    is_stale = cache.version < version;
#endif
    if (is_stale)
        load_settings(version);
    pthread_rwlock_unlock(&cache.lock);
}

static void *updater(void *unused)
{
    refresh(1);
    return NULL;
}

static void *drawer(void *unused)
{
    pthread_rwlock_rdlock(&cache.lock);
    assert(3 * cache.width == 4 * cache.height); // <- fails
    pthread_rwlock_unlock(&cache.lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, updater, NULL);
    pthread_create(&threads[1], NULL, updater, NULL);
    pthread_create(&threads[2], NULL, drawer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    assert(cache.version == 1);
    return 0;
}
