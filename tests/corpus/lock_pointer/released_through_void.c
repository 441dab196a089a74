// A helper gives back whatever lock its void pointer means, and here that is the lock of the list.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static void *latest = &list_lock;
static long listed;

static void unlock(void *lock)
{
    pthread_mutex_unlock((pthread_mutex_t *)lock);
}

static void *counter(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&list_lock);
        unlock(latest);
        listed++; //~ count: race(self); locks{}
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, counter, NULL);
    pthread_create(&two, NULL, counter, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
