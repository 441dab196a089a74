// Every number is taken once, but two jobs share a cell.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#define JOBS 64

struct pool {
    atomic_int next;
    long results[JOBS / 2];
};

static void *worker(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        int job = pool->next++;
        if (job >= JOBS)
            return NULL;
        usleep(20); // The work that a real job would do here.
        pool->results[job / 2] += job; //~ w: race(self); locks{}
    }
}

int main(void)
{
    static struct pool pool;
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, &pool);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
