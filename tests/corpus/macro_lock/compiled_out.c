// A build switch turns the lock macros into nothing, while the threads stay.
#include <pthread.h>

#ifdef MULTITHREADED
#define LOCK(object) pthread_mutex_lock(&(object)->guard)
#define UNLOCK(object) pthread_mutex_unlock(&(object)->guard)
#else
#define LOCK(object) ((void)(object))
#define UNLOCK(object) ((void)(object))
#endif

struct session {
    pthread_mutex_t guard;
    int requests;
};

static void *serve(void *argument)
{
    struct session *session = argument;
    for (int i = 0; i < 100; i++) {
        LOCK(session);
        session->requests++; //~ w: race(self); locks{}
        UNLOCK(session);
    }
    return NULL;
}

int main(void)
{
    static struct session session = { .guard = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, serve, &session);
    pthread_create(&two, NULL, serve, &session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
