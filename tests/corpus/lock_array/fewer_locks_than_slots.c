// Many slots share few locks by a mask; the statistics line forgets the mask and uses one fixed lock.
#include <pthread.h>

#define LOCKS 4
#define SLOTS 16

static pthread_mutex_t stripes[LOCKS];
static int slots[SLOTS];

static void *writer(void *argument)
{
    (void)argument;
    for (int i = 0; i < 300; i++) {
        int slot = i % SLOTS;
        pthread_mutex_lock(&stripes[slot & (LOCKS - 1)]);
        slots[slot] = i; //~ w: race(r); locks{stripes[slot & (LOCKS - 1)]}
        pthread_mutex_unlock(&stripes[slot & (LOCKS - 1)]);
    }
    return NULL;
}

static void *statistics(void *argument)
{
    long *total = argument;
    for (int i = 0; i < 300; i++) {
        pthread_mutex_lock(&stripes[0]);
        *total += slots[i % SLOTS]; //~ r: locks{stripes[0]}
        pthread_mutex_unlock(&stripes[0]);
    }
    return NULL;
}

int main(void)
{
    static long total;
    pthread_t threads[3];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&stripes[i], NULL);
    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, writer, NULL);
    pthread_create(&threads[2], NULL, statistics, &total);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
