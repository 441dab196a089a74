// The lock may have been busy, but the update happens in either case.
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total, refused;

static void update(long amount)
{
    int busy = pthread_mutex_trylock(&lock);
    total += amount; //~ w: race(self); locks{}
    if (busy == 0) {
        sched_yield();
        pthread_mutex_unlock(&lock);
    } else {
        __atomic_fetch_add(&refused, 1, __ATOMIC_RELAXED); //~ refuse: no-race -- atomic; locks{}
    }
}

static void *worker(void *argument)
{
    for (int i = 0; i < 500; i++)
        update(i);
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
