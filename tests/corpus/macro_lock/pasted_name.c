// A macro pastes the name of the lock from the name of what it guards.
#include <pthread.h>

#define LOCK(name) pthread_mutex_lock(&name##_lock)
#define UNLOCK(name) pthread_mutex_unlock(&name##_lock)

static pthread_mutex_t hits_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t misses_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned hits, misses;

static void *lookup(void *argument)
{
    for (int i = 0; i < 200; i++) {
        LOCK(misses);
        misses++; //~ miss: no-race -- misses_lock; locks{misses_lock}
        UNLOCK(misses);
        LOCK(hits);
        hits++; //~ hit: locks{hits_lock}
        UNLOCK(hits);
    }
    return argument;
}

static void *reset(void *argument)
{
    for (int i = 0; i < 200; i++) {
        LOCK(hits);
        hits = 0; //~ reset: no-race -- hits_lock; locks{hits_lock}
        UNLOCK(hits);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, lookup, NULL);
    pthread_create(&two, NULL, reset, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
