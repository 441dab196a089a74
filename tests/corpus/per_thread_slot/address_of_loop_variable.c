// All threads get the address of the loop variable, which the loop goes on changing.
#include <pthread.h>

#define THREADS 4

static void *worker(void *argument)
{
    int index = *(int *)argument; //~ r: race(w); locks{}
    return index < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    int started = 0, index;
    for (index = 0; index < THREADS; index++) { //~ w: locks{}
        if (pthread_create(&threads[started], NULL, worker, &index) == 0)
            started++;
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
