// Every element of an array carries its own lock.
#include <pthread.h>

#define COUNTERS 4

struct counter {
    pthread_mutex_t lock;
    unsigned long value;
};

static struct counter counters[COUNTERS] = {
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
    { PTHREAD_MUTEX_INITIALIZER, 0 },
};

static void count(unsigned key)
{
    unsigned index = key % COUNTERS;
    pthread_mutex_lock(&counters[index].lock);
    counters[index].value++; //~ w: no-race -- the lock of the same element; locks{counters[index].lock}
    pthread_mutex_unlock(&counters[index].lock);
}

static void *upwards(void *argument)
{
    for (unsigned key = 0; key < 300; key++)
        count(key);
    return argument;
}

static void *downwards(void *argument)
{
    for (unsigned key = 300; key > 0; key--)
        count(key);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, upwards, NULL);
    pthread_create(&two, NULL, downwards, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
