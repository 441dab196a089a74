// One thread touches through the interface, another peeks through the header.
#include "cache.h"

#include <pthread.h>
#include <stddef.h>

static void *toucher(void *argument)
{
    for (int i = 0; i < 100; i++)
        cache_touch();
    return argument;
}

static void *peeker(void *argument)
{
    for (int i = 0; i < 100; i++)
        *(int *)argument += cache_is_warm();
    return NULL;
}

int main(void)
{
    int warm = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, toucher, NULL);
    pthread_create(&two, NULL, peeker, &warm);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
