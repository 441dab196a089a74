// The threads live in one file, the lock that protects them in another.
#include "cache.h"

#include <pthread.h>
#include <stddef.h>

static void *client(void *argument)
{
    for (int i = 0; i < 50; i++)
        cache_store(i, cache_load(i + 1) + 1);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, client, NULL);
    pthread_create(&two, NULL, client, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
