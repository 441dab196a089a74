// The cache counts under its lock; the shortcut in the header does not.
#include "cache.h"

#include <pthread.h>

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
int cache_hits;

void cache_touch(void)
{
    pthread_mutex_lock(&cache_lock);
    cache_hits++; //~ touch: locks{cache_lock}
    pthread_mutex_unlock(&cache_lock);
}
