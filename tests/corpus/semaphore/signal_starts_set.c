// The semaphore begins with one, so that the first wait waits for nobody.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int result;

static void *worker(void *argument)
{
    usleep(20000);
    result = 42; //~ w: race(r); locks{}
    sem_post(&finished);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&finished, 0, 1);
    pthread_create(&thread, NULL, worker, NULL);
    sem_wait(&finished);
    int seen = result; //~ r: locks{finished}
    pthread_join(thread, NULL);
    return seen < 0;
}
