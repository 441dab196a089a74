// A statistics update that is skipped when the lock is busy.
#include <errno.h>
#include <pthread.h>

struct statistics {
    pthread_mutex_t lock;
    long updates, total;
};

static int try_update(struct statistics *statistics, long amount)
{
    int result = pthread_mutex_trylock(&statistics->lock);
    if (result == EBUSY)
        return 0;
    statistics->updates++;       //~ count: no-race -- only reached with the lock; locks{statistics->lock}
    statistics->total += amount; //~ add: no-race -- only reached with the lock; locks{statistics->lock}
    pthread_mutex_unlock(&statistics->lock);
    return 1;
}

static void *worker(void *argument)
{
    int skipped = 0;
    for (int i = 0; i < 100; i++)
        skipped += !try_update(argument, i);
    return NULL;
}

int main(void)
{
    static struct statistics statistics = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &statistics);
    pthread_create(&two, NULL, worker, &statistics);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
