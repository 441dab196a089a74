// A cache entry is looked up with the shared lock, which is given back before the exclusive one is taken.
#include <pthread.h>
#include <unistd.h>

#define SIZE 8

struct cache {
    pthread_rwlock_t lock;
    int keys[SIZE], misses;
};

static int fetch(int key)
{
    usleep(10);
    return key;
}

static void load(struct cache *cache, int key)
{
    int slot = key % SIZE;
    pthread_rwlock_rdlock(&cache->lock);
    int is_known = cache->keys[slot] == key; //~ look: no-race -- readers share; locks{shared cache->lock}
    pthread_rwlock_unlock(&cache->lock);
    if (is_known)
        return;
    int fetched = fetch(key);
    pthread_rwlock_wrlock(&cache->lock);
    cache->misses++;             //~ miss: no-race -- the writer is alone; locks{cache->lock}
    cache->keys[slot] = fetched; //~ store: no-race -- the writer is alone; locks{cache->lock}
    pthread_rwlock_unlock(&cache->lock);
}

static void *client(void *argument)
{
    for (int key = 1; key < 200; key++)
        load(argument, key);
    return NULL;
}

static struct cache cache = { .lock = PTHREAD_RWLOCK_INITIALIZER };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, client, &cache);
    pthread_create(&two, NULL, client, &cache);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
