// Two barriers take turns in a loop, which is as good as meeting twice at one.
#include <pthread.h>

#define THREADS 3
#define STEPS 10

static pthread_barrier_t computed, exchanged;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *argument)
{
    int seen = 0;
    for (int step = 0; step < STEPS; step++) {
        pthread_mutex_lock(&lock);
        total += step; //~ compute: no-race -- the exchange of the last step is over; locks{lock}
        pthread_mutex_unlock(&lock);
        pthread_barrier_wait(&computed);
        seen += total; //~ exchange: no-race -- nobody computes now; locks{}
        pthread_barrier_wait(&exchanged);
    }
    *(int *)argument = seen;
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int seen[THREADS] = { 0 };
    pthread_barrier_init(&computed, NULL, THREADS);
    pthread_barrier_init(&exchanged, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &seen[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return seen[0] != seen[1];
}
