// The plainest program of all: one global counter, one global lock, every access inside.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static long requests, bytes;

static void account(long size)
{
    pthread_mutex_lock(&stats_lock);
    requests++;    //~ request: no-race -- every access holds the lock; locks{stats_lock}
    bytes += size; //~ byte: no-race -- every access holds the lock; locks{stats_lock}
    pthread_mutex_unlock(&stats_lock);
}

static void *handler(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++)
        account(512 + i);
    return NULL;
}

static void show(void)
{
    pthread_mutex_lock(&stats_lock);
    printf("%ld requests, ", requests); //~ show1: no-race -- every access holds the lock; locks{stats_lock}
    printf("%ld bytes\n", bytes);       //~ show2: no-race -- every access holds the lock; locks{stats_lock}
    pthread_mutex_unlock(&stats_lock);
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, handler, NULL);
    pthread_create(&two, NULL, handler, NULL);
    show();
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
