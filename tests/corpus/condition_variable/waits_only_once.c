// The waiter does not look at the flag again: a wait may also end by itself.
#include <pthread.h>
#include <time.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t finished = PTHREAD_COND_INITIALIZER;
static int done, result;

static void *worker(void *argument)
{
    struct timespec pause = { 0, 20000000 };
    nanosleep(&pause, NULL);
    result = 42; //~ w: race(r); locks{}
    pthread_mutex_lock(&mutex);
    done = 1;
    pthread_cond_signal(&finished);
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    struct timespec soon;
    pthread_t thread;
    pthread_create(&thread, NULL, worker, NULL);
    clock_gettime(CLOCK_REALTIME, &soon);
    pthread_mutex_lock(&mutex);
    if (!done)
        pthread_cond_timedwait(&finished, &mutex, &soon);
    pthread_mutex_unlock(&mutex);
    int seen = result; //~ r: locks{}
    pthread_join(thread, NULL);
    return seen < 0;
}
