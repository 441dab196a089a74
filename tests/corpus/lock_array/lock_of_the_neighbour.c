// The broken twin of lock_in_each_element: the lock of the neighbouring element is taken.
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
    unsigned neighbour = (index + key / 100) % COUNTERS;
    pthread_mutex_lock(&counters[neighbour].lock);
    counters[index].value++; //~ w: race(self); locks{counters[neighbour].lock}
    pthread_mutex_unlock(&counters[neighbour].lock);
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
