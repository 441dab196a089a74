// A helper that drops the lock for a slow step comes back without it.
#include <pthread.h>

struct cache {
    pthread_mutex_t mutex;
    int entries, flushes;
};

static int slow_write(int entries)
{
    return entries % 2;
}

static void flush(struct cache *cache)
{
    int entries = cache->entries; //~ copy: race(drop); locks{cache->mutex}
    pthread_mutex_unlock(&cache->mutex);
    slow_write(entries);
}

static void *client(void *argument)
{
    struct cache *cache = argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&cache->mutex);
        cache->entries++; //~ add: race(drop); locks{cache->mutex}
        flush(cache);
        cache->entries--; //~ drop: race(self); locks{}
    }
    return NULL;
}

int main(void)
{
    static struct cache cache = { .mutex = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, client, &cache);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
