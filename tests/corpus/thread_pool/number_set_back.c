// One of the workers sets the number of the next job back, so that jobs are taken twice.
#include <pthread.h>
#include <stdatomic.h>

#define JOBS 64

static atomic_int next;
static long results[JOBS];

static void finish(int job, long value)
{
    results[job] = value; //~ w: race(self); locks{}
}

static void *worker(void *argument)
{
    for (int round = 0; round < 200; round++) {
        int job = atomic_fetch_add(&next, 1);
        if (job >= JOBS)
            atomic_store(&next, 0);
        else
            finish(job, job * 2L);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return results[JOBS - 1] == 0; //~ r: no-race -- after the joins; locks{}
}
