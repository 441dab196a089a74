// The counter and the cells of the jobs lie in one object that the workers are given.
#include <pthread.h>
#include <stdatomic.h>

#define JOBS 64

struct pool {
    atomic_int next;
    long results[JOBS];
};

static void *worker(void *argument)
{
    struct pool *pool = argument;
    for (;;) {
        int job = pool->next++;
        if (job >= JOBS)
            return NULL;
        pool->results[job] += job; //~ w: no-race -- every number is taken once; locks{}
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
