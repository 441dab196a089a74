// Whether the threads meet at all depends on a setting.
#include <pthread.h>
#include <unistd.h>

#define THREADS 3

static pthread_barrier_t added;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_careful, total;

static void *worker(void *argument)
{
    pthread_mutex_lock(&lock);
    total += 5; //~ add: race(r); locks{lock}
    pthread_mutex_unlock(&lock);
    if (is_careful)
        pthread_barrier_wait(&added);
    *(int *)argument = total; //~ r: locks{}
    usleep(1000);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int seen[THREADS] = { 0 };
    is_careful = argc > 1 && argv[1][0] == 'c';
    pthread_barrier_init(&added, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &seen[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&added);
    return seen[0] < 0;
}
