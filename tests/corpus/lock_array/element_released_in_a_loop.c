// In a loop, some elements of an array of locks are taken and given back by a helper; another lock is held all the time.
#include <pthread.h>

static pthread_mutex_t all = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t parts[4] = {
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
    PTHREAD_MUTEX_INITIALIZER,
};
static long total;

static void finish(int i)
{
    pthread_mutex_unlock(&parts[i]);
}

static void *worker(void *argument)
{
    pthread_mutex_lock(&all);
    for (int i = 0; i < 4; i++) {
        int is_odd = i % 2;
        if (is_odd)
            pthread_mutex_lock(&parts[i]);
        total++; //~ w: no-race -- the lock for all is no element of the array; locks{all}
        if (is_odd)
            finish(i);
    }
    pthread_mutex_unlock(&all);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return total != 8;
}
