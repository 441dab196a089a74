// pthread_mutex_trylock returns zero for success; the test reads it the other way round.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *holder(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        total++; //~ locked: race(unlocked); locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

static void *visitor(void *argument)
{
    for (int i = 0; i < 100; i++) {
        if (pthread_mutex_trylock(&lock))
            total--; //~ unlocked: locks{}
        else
            pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_mutex_lock(&lock);
    pthread_create(&two, NULL, visitor, NULL);
    pthread_create(&one, NULL, holder, NULL);
    for (volatile int wait = 0; wait < 1000000; wait++)
        continue;
    pthread_mutex_unlock(&lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
