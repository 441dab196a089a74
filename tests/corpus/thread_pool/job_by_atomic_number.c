// Workers take the number of their next job with an atomic addition and write to the job's own cell.
#include <pthread.h>
#include <stdatomic.h>

#define JOBS 64

static atomic_int next;
static long results[JOBS];

static void finish(int job, long value)
{
    results[job] = value; //~ w: no-race -- every number is taken once; locks{}
}

static void *worker(void *argument)
{
    for (;;) {
        int job = atomic_fetch_add(&next, 1);
        if (job >= JOBS)
            return argument;
        finish(job, job * 2L);
    }
}

int main(void)
{
    pthread_t threads[3];
    atomic_store(&next, 0);
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return results[JOBS - 1] == 0; //~ r: no-race -- after the joins; locks{}
}
