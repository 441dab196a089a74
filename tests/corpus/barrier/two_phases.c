// Two phases with a barrier in between: all write their own cell, then all read the neighbour's.
#include <pthread.h>

#define THREADS 3

static pthread_barrier_t written;
static int cells[THREADS], sums[THREADS];

static void *worker(void *argument)
{
    int index = *(int *)argument; //~ index: no-race -- written before its thread starts
    cells[index] = 10 * index; //~ w: no-race -- own cell, before the barrier; locks{}
    pthread_barrier_wait(&written);
    int neighbour = (index + 1) % THREADS;
    sums[index] = cells[neighbour]; //~ r: no-race -- after the barrier nobody writes; locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int indices[THREADS];
    pthread_barrier_init(&written, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        indices[i] = i; //~ number: no-race -- each number is written before its own thread starts
        pthread_create(&threads[i], NULL, worker, &indices[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&written);
    return sums[0] != 10;
}
