// A routing table: many readers share the lock, the writer has it alone.
#include <pthread.h>

#define ROUTES 16

static pthread_rwlock_t routes_lock = PTHREAD_RWLOCK_INITIALIZER;
static int routes[ROUTES];

static int lookup(int key)
{
    pthread_rwlock_rdlock(&routes_lock);
    int route = routes[key % ROUTES]; //~ r: no-race -- readers exclude the writer; locks{shared routes_lock}
    pthread_rwlock_unlock(&routes_lock);
    return route;
}

static void update(int key, int route)
{
    pthread_rwlock_wrlock(&routes_lock);
    routes[key % ROUTES] = route; //~ w: no-race -- the writer is alone; locks{routes_lock}
    pthread_rwlock_unlock(&routes_lock);
}

static void *forwarder(void *argument)
{
    for (int i = 0; i < 50; i++)
        *(int *)argument += lookup(i);
    return NULL;
}

static void *learner(void *argument)
{
    for (int i = 0; i < 50; i++)
        update(i, 2 * i);
    return argument;
}

int main(void)
{
    int forwarded[2] = { 0, 0 };
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, forwarder, &forwarded[0]);
    pthread_create(&threads[1], NULL, forwarder, &forwarded[1]);
    pthread_create(&threads[2], NULL, learner, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
