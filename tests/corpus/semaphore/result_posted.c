// The worker posts a semaphore when its result is there; nobody has to join it before reading.
#include <pthread.h>
#include <semaphore.h>

static sem_t finished;
static int result;

static void *worker(void *argument)
{
    result = 42; //~ w: no-race -- before the post; locks{}
    sem_post(&finished);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&finished, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&finished);
    int seen = result; //~ r: no-race -- after the wait; locks{}
    pthread_join(thread, NULL);
    return seen != 42;
}
