// The worker posts first and writes its result afterwards.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int result;

static void *worker(void *argument)
{
    sem_post(&finished);
    result = 42; //~ w: race(r); locks{}
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&finished, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&finished);
    usleep(1000);
    int seen = result; //~ r: locks{}
    pthread_join(thread, NULL);
    return seen < 0;
}
