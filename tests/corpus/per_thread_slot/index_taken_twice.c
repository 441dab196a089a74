// The slot of a worker is its number modulo the number of slots, and there are more workers than slots.
#include <pthread.h>

#define SLOTS 2
#define THREADS 3

struct worker {
    pthread_t thread;
    int number;
};

static long handled[SLOTS];

static void *run(void *argument)
{
    struct worker *worker = argument;
    for (int i = 0; i < 100; i++)
        handled[worker->number % SLOTS]++; //~ w: race(self); locks{}
    return NULL;
}

int main(void)
{
    static struct worker workers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        workers[i].number = i; //~ number: no-race -- its thread starts below
        pthread_create(&workers[i].thread, NULL, run, &workers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    return 0;
}
