// Each thread gets an element of its own, which says which part of the work is its own.
#include <pthread.h>

#define THREADS 4

struct arguments {
    int id;
    long sum;
};

static int input[THREADS] = { 1, 2, 3, 4 };
static long output[THREADS];

static void *worker(void *argument)
{
    struct arguments *own = argument;
    for (int i = 0; i < 50; i++)
        own->sum += input[own->id]; //~ sum: no-race -- each thread has an element of its own; locks{}
    output[own->id] = own->sum;     //~ out: no-race -- no two threads have the same id; locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    static struct arguments arguments[THREADS];
    for (int i = 0; i < THREADS; i++) {
        arguments[i].id = i;  //~ id: no-race -- its thread starts below
        arguments[i].sum = 0; //~ zero: no-race -- its thread starts below; locks{}
        pthread_create(&threads[i], NULL, worker, &arguments[i]);
    }
    long total = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        total += arguments[i].sum; //~ read: no-race -- its thread was joined above; locks{}
    }
    return total != 500;
}
