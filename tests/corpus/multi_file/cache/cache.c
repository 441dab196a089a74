// The cache locks in every one of its functions, so that no caller has to.
#include "cache.h"

#include <pthread.h>

#define SLOTS 16

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static int slots[SLOTS];

void cache_store(int key, int value)
{
    pthread_mutex_lock(&cache_lock);
    slots[key % SLOTS] = value; //~ store: no-race -- the cache's own lock; locks{cache_lock}
    pthread_mutex_unlock(&cache_lock);
}

int cache_load(int key)
{
    pthread_mutex_lock(&cache_lock);
    int value = slots[key % SLOTS]; //~ load: no-race -- the cache's own lock; locks{cache_lock}
    pthread_mutex_unlock(&cache_lock);
    return value;
}
