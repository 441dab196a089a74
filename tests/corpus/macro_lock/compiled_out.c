// A build switch turns the lock macros into nothing, while the threads stay.
#include <pthread.h>

#ifdef MULTITHREADED
#define LOCK(object) pthread_mutex_lock(&(object)->guard)
#define UNLOCK(object) pthread_mutex_unlock(&(object)->guard)
#else
#define LOCK(object) ((void)(object))
#define UNLOCK(object) ((void)(object))
#endif

struct client {
    pthread_mutex_t guard;
    int requests;
};

static void *serve(void *argument)
{
    struct client *client = argument;
    for (int i = 0; i < 100; i++) {
        LOCK(client);
        client->requests++; //~ w: race(self); locks{}
        UNLOCK(client);
    }
    return NULL;
}

int main(void)
{
    static struct client client = { .guard = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, serve, &client);
    pthread_create(&two, NULL, serve, &client);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
