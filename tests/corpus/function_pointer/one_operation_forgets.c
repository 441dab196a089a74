// A table of operations in which one entry forgets the lock; only the pointer leads there.
#include <pthread.h>

struct device {
    pthread_mutex_t lock;
    int state;
};

typedef void operation(struct device *device);

static void start(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    device->state = 1; //~ start: race(stop); locks{device->lock}
    pthread_mutex_unlock(&device->lock);
}

static void stop(struct device *device)
{
    device->state = 0; //~ stop: race(self); locks{}
}

static operation *const operations[] = { start, stop };

static void *driver(void *argument)
{
    for (int i = 0; i < 100; i++)
        operations[i % 2](argument);
    return NULL;
}

int main(void)
{
    static struct device device = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, driver, &device);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
