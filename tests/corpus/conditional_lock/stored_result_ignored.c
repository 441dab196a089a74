// The result of trylock is kept, but the counter is changed whether or not the lock was got.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long hits;

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++) {
        int busy = pthread_mutex_trylock(&lock);
        hits++; //~ hit: race(self); locks{}
        usleep(50);
        if (!busy)
            pthread_mutex_unlock(&lock);
    }
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
