// Thread-local counters are summed into the shared total under a lock.
#include <pthread.h>

static __thread long local_hits;
static _Thread_local long local_misses;
static pthread_mutex_t total_lock = PTHREAD_MUTEX_INITIALIZER;
static long total;

static void record(int hit)
{
    if (hit)
        local_hits++; //~ hit: no-race -- every thread has its own
    else
        local_misses++; //~ miss: no-race -- every thread has its own
}

static void *worker(void *argument)
{
    for (int i = 0; i < 50; i++)
        record(i % 3 == 0);
    pthread_mutex_lock(&total_lock);
    total += local_hits + local_misses; //~ sum: no-race -- the total's lock; locks{total_lock}
    pthread_mutex_unlock(&total_lock);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return total != 100;
}
