// A pool that counts its unfinished jobs; main reads the results only after the count is zero.
#include <pthread.h>

#define JOBS 16

static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_done = PTHREAD_COND_INITIALIZER;
static int next_job, unfinished = JOBS;
static int results[JOBS];

static int take_job(void)
{
    pthread_mutex_lock(&pool_lock);
    int job = next_job < JOBS ? next_job++ : -1; //~ take: no-race -- the pool's lock; locks{pool_lock}
    pthread_mutex_unlock(&pool_lock);
    return job;
}

static void *worker(void *argument)
{
    int job;
    while ((job = take_job()) >= 0) {
        results[job] = job * job; //~ w: no-race -- every job is taken once; spurious: race(r) -- that a count which begins with the number of jobs has come to zero says that all have ended, but only if each job counts once, and the counts of threads are not added up; locks{}
        pthread_mutex_lock(&pool_lock);
        if (--unfinished == 0) //~ finish: no-race -- the pool's lock; locks{pool_lock}
            pthread_cond_signal(&all_done);
        pthread_mutex_unlock(&pool_lock);
    }
    return argument;
}

int main(void)
{
    long sum = 0;
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    pthread_mutex_lock(&pool_lock);
    while (unfinished > 0) //~ wait: no-race -- the pool's lock; locks{pool_lock}
        pthread_cond_wait(&all_done, &pool_lock);
    pthread_mutex_unlock(&pool_lock);
    for (int i = 0; i < JOBS; i++)
        sum += results[i]; //~ r: no-race -- all jobs are finished; locks{}
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return sum == 0;
}
