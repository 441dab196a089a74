// All add to a total under a lock; behind the barrier everybody reads it without one.
#include <pthread.h>

#define THREADS 3

static pthread_barrier_t added;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    total += 5; //~ add: no-race -- under the lock, before the barrier; locks{lock}
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&added);
    *(int *)argument = total; //~ r: no-race -- behind the barrier nobody writes; locks{}
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
    return seen[0] != 15;
}
