// A thread changes the number that it was given before it uses it.
#include <pthread.h>

#define THREADS 3

static long slots[THREADS];

static void renumber(int *number)
{
    *number = 0;
}

static void *worker(void *argument)
{
    renumber(argument);
    for (int i = 0; i < 100; i++)
        slots[*(int *)argument]++; //~ w: race(self); locks{}
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
