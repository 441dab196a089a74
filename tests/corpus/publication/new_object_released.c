// A new object is published by a release store of its address and found by an acquire load.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct limits {
    int low, high;
};

static struct limits *_Atomic limits;

static void *setter(void *argument)
{
    struct limits *fresh = malloc(sizeof *fresh);
    fresh->low = 1;  //~ low: no-race -- before the release store; locks{}
    fresh->high = 9; //~ high: no-race -- before the release store; locks{}
    atomic_store_explicit(&limits, fresh, memory_order_release);
    return argument;
}

static void *user(void *argument)
{
    struct limits *found;
    do
        found = atomic_load_explicit(&limits, memory_order_acquire);
    while (found == NULL);
    *(int *)argument = found->high - found->low; //~ use: no-race -- after the acquire load; locks{}
    return NULL;
}

int main(void)
{
    int range = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, setter, NULL);
    pthread_create(&two, NULL, user, &range);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return range != 8;
}
