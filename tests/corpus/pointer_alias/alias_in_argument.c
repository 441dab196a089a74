// One thread gets the address of a global as its argument, another one uses the global by its name.
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void *by_address(void *argument)
{
    long *counter = argument;
    for (int i = 0; i < 100; i++)
        *counter += 1; //~ address: race(name); locks{}
    return NULL;
}

static void *by_name(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&lock);
        total -= 1; //~ name: locks{lock}
        pthread_mutex_unlock(&lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, by_address, &total);
    pthread_create(&two, NULL, by_name, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return total != 0; //~ r: no-race -- after both joins; locks{}
}
