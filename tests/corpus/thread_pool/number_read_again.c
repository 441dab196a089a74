// A worker counts up under the lock, but reads the number of its job again when others may have counted on.
#include <pthread.h>

#define JOBS 64

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int next;
static long results[JOBS];

static int take(void)
{
    pthread_mutex_lock(&lock);
    if (next < JOBS - 1)
        next++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    int job = next;
    pthread_mutex_unlock(&lock);
    return job;
}

static void *worker(void *argument)
{
    for (int round = 0; round < 100; round++)
        results[take()] += round; //~ w: race(self); locks{}
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
