// Main and its worker take turns with one job: two semaphores pass the right to touch it to and fro.
#include <pthread.h>
#include <semaphore.h>

#define JOBS 20

static sem_t start, finished;
static int input, output;

static void *worker(void *argument)
{
    for (int i = 0; i < JOBS; i++) {
        sem_wait(&start);
        output = 2 * input; //~ work: no-race -- main waits until it is finished; locks{}
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
        input = i; //~ fill: no-race -- the worker waits for its start; locks{}
        sem_post(&start);
        sem_wait(&finished);
        sum += output; //~ use: no-race -- the worker has finished; locks{}
    }
    pthread_join(thread, NULL);
    return sum != 380;
}
