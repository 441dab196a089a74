// A lookup counts its hits while it holds the lock only for reading.
#include <pthread.h>

#define ROUTES 16

static pthread_rwlock_t routes_lock = PTHREAD_RWLOCK_INITIALIZER;
static int routes[ROUTES];
static int lookups;

static int lookup(int key)
{
    pthread_rwlock_rdlock(&routes_lock);
    int route = routes[key % ROUTES]; //~ r: no-race -- nobody writes routes; locks{shared routes_lock}
    lookups++;                        //~ w: race(self); locks{shared routes_lock}
    pthread_rwlock_unlock(&routes_lock);
    return route;
}

static void *forwarder(void *argument)
{
    for (int i = 0; i < 100; i++)
        *(int *)argument += lookup(i);
    return NULL;
}

int main(void)
{
    int forwarded[2] = { 0, 0 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, forwarder, &forwarded[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return lookups > 200;
}
