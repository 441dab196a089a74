/* Four workers share a cache; the main thread shows how they are doing. */
#include "cache.h"

#include <stdio.h>
#include <unistd.h>

#define WORKERS 4

static struct cache cache;

static void *worker(void *argument)
{
    long number = (long)argument;
    char key[32];
    long value;

    for (int round = 0; !cache.closing && round < 100000; round++) {
        snprintf(key, sizeof key, "key-%ld", (round * 7 + number) % 500);
        if (!cache_get(&cache, key, &value))
            cache_put(&cache, key, round);
    }
    return NULL;
}

int main(void)
{
    pthread_t workers[WORKERS];

    cache_init(&cache);
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, worker, (void *)i);
    for (int second = 0; second < 2; second++) {
        usleep(20000);
        printf("miss rate %.1f %%\n", 100.0 * cache_miss_rate(&cache));
    }
    cache.closing = 1;
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("%lu lookups, %lu misses\n", cache.lookups, cache.misses);
    return 0;
}
