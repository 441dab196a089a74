// Two workers of one kind post the same semaphore, and main waits for the first of them.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int slowest;

static void *worker(void *argument)
{
    if (argument) {
        usleep(20000);
        slowest = 2; //~ w: race(r); locks{}
    }
    sem_post(&finished);
    return argument;
}

int main(void)
{
    int slow = 1;
    pthread_t one, two;
    sem_init(&finished, 0, 0);
    pthread_create(&one, NULL, worker, &slow);
    pthread_create(&two, NULL, worker, NULL);
    sem_wait(&finished);
    int seen = slowest; //~ r: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
