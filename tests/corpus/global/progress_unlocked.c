// Workers count under a lock; the progress display reads the counter without it.
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static long requests;

static void *handler(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&stats_lock);
        requests++; //~ w: race(r); locks{stats_lock}
        pthread_mutex_unlock(&stats_lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, handler, NULL);
    pthread_create(&two, NULL, handler, NULL);
    for (int i = 0; i < 20; i++)
        printf("%ld so far\n", requests); //~ r: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%ld\n", requests); //~ total: no-race -- after both joins; locks{}
    return 0;
}
