// A striped counter table whose reader takes the lock of the neighbouring bucket.
#include <pthread.h>
#include <stdlib.h>

#define BUCKETS 8

static pthread_mutex_t locks[BUCKETS];
static unsigned long counts[BUCKETS];

static void *writer(void *argument)
{
    (void)argument;
    for (unsigned i = 0; i < 200; i++) {
        unsigned bucket = i % BUCKETS;
        pthread_mutex_lock(&locks[bucket]);
        counts[bucket]++; //~ w: race(r); locks{locks[bucket]}
        pthread_mutex_unlock(&locks[bucket]);
    }
    return NULL;
}

static void *reader(void *argument)
{
    unsigned long *sum = argument;
    for (int bucket = BUCKETS - 1; bucket >= 0; bucket--) {
        int next = (bucket + 1) % BUCKETS;
        pthread_mutex_lock(&locks[next]);
        *sum += counts[bucket]; //~ r: locks{locks[next]}
        pthread_mutex_unlock(&locks[next]);
    }
    return NULL;
}

int main(void)
{
    unsigned long *sum = calloc(1, sizeof *sum);
    pthread_t threads[2];
    for (int i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&locks[i], NULL);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, sum);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    free(sum);
    return 0;
}
