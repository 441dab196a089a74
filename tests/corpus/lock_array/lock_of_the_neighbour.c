// Every element of an array carries a lock; one caller is off by one in the element whose lock it takes.
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

static void count(unsigned key, unsigned shift)
{
    unsigned index = key % COUNTERS;
    unsigned neighbour = (index + shift) % COUNTERS;
    pthread_mutex_lock(&counters[neighbour].lock);
    counters[index].value++; //~ w: race(self); locks{counters[neighbour].lock}
    pthread_mutex_unlock(&counters[neighbour].lock);
}

static void *upwards(void *argument)
{
    for (unsigned key = 0; key < 300; key++)
        count(key, 0);
    return argument;
}

static void *downwards(void *argument)
{
    for (unsigned key = 300; key-- > 0;)
        count(key, 1);
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
