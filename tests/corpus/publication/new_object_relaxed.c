// A new object is published by a relaxed store of its address, which orders nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

struct limits {
    int low, high;
};

static struct limits *_Atomic limits;

static void *setter(void *argument)
{
    struct limits fresh;
    fresh.low = 1;  //~ low: race(use); locks{}
    fresh.high = 9; //~ high: race(use); locks{}
    atomic_store_explicit(&limits, &fresh, memory_order_relaxed);
    usleep(20000);
    return argument;
}

static void *user(void *argument)
{
    struct limits *found;
    do
        found = atomic_load_explicit(&limits, memory_order_relaxed);
    while (found == NULL);
    *(int *)argument = found->high - found->low; //~ use: locks{}
    return NULL;
}

int main(void)
{
    int range = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, setter, NULL);
    pthread_create(&two, NULL, user, &range);
    pthread_join(two, NULL);
    pthread_join(one, NULL);
    return range > 8;
}
