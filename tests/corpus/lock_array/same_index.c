// A striped counter table: bucket i is guarded by lock i.
#include <pthread.h>

#define BUCKETS 8

static pthread_mutex_t locks[BUCKETS];
static unsigned long counts[BUCKETS];

static void count(unsigned key)
{
    unsigned bucket = key % BUCKETS;
    pthread_mutex_lock(&locks[bucket]);
    counts[bucket]++; //~ w: no-race -- the same index picks lock and bucket; locks{locks[bucket]}
    pthread_mutex_unlock(&locks[bucket]);
}

static void *worker(void *argument)
{
    unsigned seed = *(unsigned *)argument;
    for (unsigned i = 0; i < 200; i++)
        count(seed + 7 * i);
    return NULL;
}

int main(void)
{
    unsigned seeds[2] = { 3, 11 };
    pthread_t threads[2];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, &seeds[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
