// The initialiser lists one number twice, so that two threads of the loop add to the same sum.
#include <pthread.h>

#define THREADS 3

static long sums[THREADS];

static void *worker(void *argument)
{
    int *number = argument;
    for (int i = 0; i < 100; i++)
        sums[*number] += i; //~ w: race(self); locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int numbers[THREADS] = { 0, 1, 1 };
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &numbers[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return sums[1] == 0;
}
