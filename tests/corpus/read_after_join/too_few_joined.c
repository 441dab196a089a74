// One thread fewer is joined than was started, and then all results are read.
#include <pthread.h>
#include <unistd.h>

#define WORKERS 3

static long sums[WORKERS];

static void *add_up(void *argument)
{
    long *sum = argument;
    usleep(500);
    for (int i = 0; i < 100; i++)
        *sum += i; //~ w: race(r); locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    long total = 0;
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, add_up, &sums[i]);
    for (int i = 0; i < WORKERS - 1; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < WORKERS; i++)
        total += sums[i]; //~ r: locks{}
    pthread_join(threads[WORKERS - 1], NULL);
    return total < 0;
}
