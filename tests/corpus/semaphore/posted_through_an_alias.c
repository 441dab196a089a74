// Another thread posts the same semaphore through a pointer.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static sem_t *wake_up = &finished;
static int result;

static void *worker(void *argument)
{
    usleep(20000);
    result = 42; //~ w: race(r); locks{}
    sem_post(&finished);
    return argument;
}

static void *canceller(void *argument)
{
    sem_post(wake_up);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&finished, 0, 0);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, canceller, NULL);
    sem_wait(&finished);
    int seen = result; //~ r: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
