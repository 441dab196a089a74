// The result is read whether or not trying to wait succeeded.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int result;

static void *worker(void *argument)
{
    usleep(1000);
    result = 42; //~ w: race(r); locks{}
    sem_post(&finished);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&finished, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_trywait(&finished);
    int seen = result; //~ r: locks{}
    pthread_join(thread, NULL);
    return seen < 0;
}
