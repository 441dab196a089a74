// The total is read before the barrier, while others still add to it.
#include <pthread.h>
#include <unistd.h>

#define THREADS 3

static pthread_barrier_t added;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *argument)
{
    *(int *)argument = total; //~ r: race(add); locks{}
    usleep(1000);
    pthread_mutex_lock(&lock);
    total += 5; //~ add: locks{lock}
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&added);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int seen[THREADS] = { 0 };
    pthread_barrier_init(&added, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &seen[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&added);
    return seen[0] < 0;
}
