// Each thread writes its own slot and the one beside it, which is another thread's.
#include <pthread.h>

#define THREADS 3

static long slots[THREADS + 1];

static void *worker(void *argument)
{
    int id = *(int *)argument;
    for (int i = 0; i < 200; i++) {
        slots[id]++;         //~ own: race(next); locks{}
        slots[id + 1] += 2;  //~ next: locks{}
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int ids[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ids[i] = i; //~ id: no-race -- its thread starts below
        pthread_create(&threads[i], NULL, worker, &ids[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
