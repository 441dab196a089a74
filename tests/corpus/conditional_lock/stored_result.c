// The result of trylock is kept and tested again where the lock is given back.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long hits, spare;

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++) {
        int busy = pthread_mutex_trylock(&lock);
        if (!busy)
            hits++; //~ hit: no-race -- only where the lock was got; locks{lock}
        __atomic_fetch_add(&spare, 1, __ATOMIC_RELAXED);
        if (!busy)
            pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    hits++; //~ last: no-race -- under the lock; locks{lock}
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
