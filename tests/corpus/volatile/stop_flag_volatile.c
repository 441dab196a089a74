// A volatile stop flag is still a race: volatile orders nothing between threads.
#include <pthread.h>

struct worker {
    volatile int stop;
    volatile long rounds;
};

static void *run(void *argument)
{
    struct worker *worker = argument;
    while (!worker->stop) //~ poll: race(stop); locks{}
        worker->rounds++; //~ round: race(peek); locks{}
    return NULL;
}

int main(void)
{
    static struct worker worker;
    pthread_t thread;
    pthread_create(&thread, NULL, run, &worker);
    while (worker.rounds < 100) //~ peek: locks{}
        continue;
    worker.stop = 1; //~ stop: locks{}
    pthread_join(thread, NULL);
    return 0;
}
