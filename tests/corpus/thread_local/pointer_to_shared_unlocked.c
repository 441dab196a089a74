// A thread-local pointer leads to a shared object; the pointer is private, the object is not.
#include <pthread.h>

struct session {
    pthread_mutex_t lock;
    int requests;
};

static _Thread_local struct session *current;

static void request(void)
{
    current->requests++; //~ count: race(self); locks{}
}

static void *worker(void *argument)
{
    current = argument; //~ set: no-race -- every thread has its own pointer
    for (int i = 0; i < 100; i++)
        request();
    return NULL;
}

static struct session session = { .lock = PTHREAD_MUTEX_INITIALIZER };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &session);
    pthread_create(&two, NULL, worker, &session);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
