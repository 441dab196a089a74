// Large updates take the lock, small ones are thought not to need it.
#include <pthread.h>

struct counter {
    pthread_mutex_t lock;
    long value;
};

static void add(struct counter *counter, long amount)
{
    int is_large = amount > 10;
    if (is_large)
        pthread_mutex_lock(&counter->lock);
    counter->value += amount; //~ w: race(self); locks{}
    if (is_large)
        pthread_mutex_unlock(&counter->lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 100; i++)
        add(argument, i % 20);
    for (int i = 0; i < 5; i++)
        add(argument, i);
    return NULL;
}

int main(void)
{
    static struct counter counter = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &counter);
    pthread_create(&two, NULL, worker, &counter);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
