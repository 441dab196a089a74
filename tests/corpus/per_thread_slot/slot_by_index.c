// Every thread writes the slot of its own index, which it gets at its start.
#include <pthread.h>

#define THREADS 4

struct slot {
    long handled;
    long failed;
};

static struct slot slots[THREADS];

static void *worker(void *argument)
{
    int index = *(int *)argument; //~ index: no-race -- written before its thread starts
    for (int i = 0; i < 50; i++) {
        slots[index].handled++; //~ handled: no-race -- no two threads have the same index; locks{}
        if (i % 7 == 0)
            slots[index].failed++; //~ failed: no-race -- no two threads have the same index; locks{}
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int indices[THREADS];
    for (int i = 0; i < THREADS; i++) {
        indices[i] = i; //~ number: no-race -- each number is written before its own thread starts
        pthread_create(&threads[i], NULL, worker, &indices[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return slots[0].handled != 50; //~ r: no-race -- after all joins; locks{}
}
