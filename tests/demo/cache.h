#ifndef CACHE_H
#define CACHE_H

#include <pthread.h>

#define BUCKETS 64

struct entry {
    char key[32];
    long value;
    unsigned long hits;
    struct entry *next;
};

/* A hash table. Each bucket has a lock of its own; `stats_lock` guards the totals. */
struct cache {
    struct entry *buckets[BUCKETS];
    pthread_mutex_t locks[BUCKETS];
    pthread_mutex_t stats_lock;
    unsigned long lookups;
    unsigned long misses;
    int closing;
};

void cache_init(struct cache *cache);
int cache_get(struct cache *cache, const char *key, long *value);
void cache_put(struct cache *cache, const char *key, long value);
double cache_miss_rate(struct cache *cache);

#endif
