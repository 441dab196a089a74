// A new object is published by a relaxed store of its address, which orders nothing.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct limits {
    int low, high;
};

static struct limits *_Atomic limits;

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
    pthread_t thread;
    struct limits *fresh = malloc(sizeof *fresh);
    pthread_create(&thread, NULL, user, &range);
    fresh->low = 1;  //~ low: race(use); locks{}
    fresh->high = 9; //~ high: race(use); locks{}
    atomic_store_explicit(&limits, fresh, memory_order_relaxed);
    pthread_join(thread, NULL);
    free(fresh);
    return range > 8;
}
