// The lock is taken and released by functions of their own, as most programs do.
#include <pthread.h>

struct cache {
    pthread_mutex_t mutex;
    int entries, lookups;
};

static void cache_lock(struct cache *cache)
{
    pthread_mutex_lock(&cache->mutex);
}

static void cache_unlock(struct cache *cache)
{
    pthread_mutex_unlock(&cache->mutex);
}

static void insert(struct cache *cache)
{
    cache_lock(cache);
    cache->entries++; //~ insert: no-race -- cache_lock holds the mutex; locks{cache->mutex}
    cache_unlock(cache);
}

static int lookup(struct cache *cache)
{
    cache_lock(cache);
    cache->lookups++;             //~ count: no-race -- cache_lock holds the mutex; locks{cache->mutex}
    int entries = cache->entries; //~ read: no-race -- cache_lock holds the mutex; locks{cache->mutex}
    cache_unlock(cache);
    return entries;
}

static void *client(void *argument)
{
    for (int i = 0; i < 50; i++) {
        insert(argument);
        lookup(argument);
    }
    return NULL;
}

int main(void)
{
    static struct cache cache = { .mutex = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, client, &cache);
    pthread_create(&two, NULL, client, &cache);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
