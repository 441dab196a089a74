// The lock is taken only in shared mode, and shared mode cannot change while the threads run.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    int is_shared;
    long value;
};

static void bump(struct counter *counter)
{
    if (counter->is_shared)
        pthread_mutex_lock(&counter->lock);
    counter->value++; //~ w: no-race -- locked whenever more than one thread has the counter; spurious: race(self) -- with a flag of 0 in both threads it would race, and what an initialiser has left in the memory of an object is not followed into threads
    if (counter->is_shared)
        pthread_mutex_unlock(&counter->lock);
}

static void *worker(void *argument)
{
    struct counter own = { .is_shared = 0 };
    for (int i = 0; i < 50; i++) {
        bump(argument);
        bump(&own);
    }
    return NULL;
}

int main(void)
{
    static struct counter counter = { .lock = PTHREAD_MUTEX_INITIALIZER, .is_shared = 1 };
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &counter);
    pthread_create(&two, NULL, worker, &counter);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return counter.value != 100;
}
