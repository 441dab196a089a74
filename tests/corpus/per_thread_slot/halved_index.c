// Each thread writes the slot of half its number, so that two threads share each slot.
#include <pthread.h>

#define THREADS 4

static long slots[THREADS];

static void *worker(void *argument)
{
    int id = *(int *)argument;
    for (int i = 0; i < 100; i++)
        slots[id / 2]++; //~ w: race(self); locks{}
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
