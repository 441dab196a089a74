// The slots of a lock array have names; sender and receiver use the same one.
#include <pthread.h>

enum { INCOMING, OUTGOING, QUEUES };

static pthread_mutex_t locks[QUEUES] = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER };
static int waiting[QUEUES];

static void *sender(void *argument)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&locks[OUTGOING]);
        waiting[OUTGOING]++; //~ send: locks{locks[OUTGOING]}
        pthread_mutex_unlock(&locks[OUTGOING]);
    }
    return argument;
}

static void *receiver(void *argument)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_lock(&locks[OUTGOING]);
        if (waiting[OUTGOING] > 0) //~ receive: no-race -- the lock of the outgoing queue; locks{locks[OUTGOING]}
            waiting[INCOMING] = i; //~ note: no-race -- only the receiver writes it; locks{locks[OUTGOING]}
        pthread_mutex_unlock(&locks[OUTGOING]);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sender, NULL);
    pthread_create(&two, NULL, receiver, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
