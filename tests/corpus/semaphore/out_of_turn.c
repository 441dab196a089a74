// Main prepares the next job while the worker is still busy with the last one.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#define JOBS 20

static sem_t start, finished;
static int input, output;

static void *worker(void *argument)
{
    for (int i = 0; i < JOBS; i++) {
        sem_wait(&start);
        usleep(100);
        output = 2 * input; //~ work: race(fill); locks{}
        sem_post(&finished);
    }
    return argument;
}

int main(void)
{
    long sum = 0;
    pthread_t thread;
    sem_init(&start, 0, 0);
    sem_init(&finished, 0, 0);
    pthread_create(&thread, NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        sem_post(&start);
        input = i; //~ fill: locks{}
        sem_wait(&finished);
        sum += output; //~ use: no-race -- the worker has finished; locks{}
    }
    pthread_join(thread, NULL);
    return sum < 0;
}
