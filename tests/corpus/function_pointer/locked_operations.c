// A table of operations: every entry of it takes the device's lock.
#include <pthread.h>

struct device {
    pthread_mutex_t lock;
    int state, resets;
};

struct operations {
    void (*start)(struct device *device);
    void (*stop)(struct device *device);
};

static void start(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    device->state = 1; //~ start: no-race -- both operations lock; locks{device->lock}
    pthread_mutex_unlock(&device->lock);
}

static void stop(struct device *device)
{
    pthread_mutex_lock(&device->lock);
    if (device->state == 1) //~ test: no-race -- both operations lock; locks{device->lock}
        device->resets++;   //~ reset: no-race -- both operations lock; locks{device->lock}
    device->state = 0;      //~ stop: no-race -- both operations lock; locks{device->lock}
    pthread_mutex_unlock(&device->lock);
}

static const struct operations operations = { start, stop };

static void *driver(void *argument)
{
    for (int i = 0; i < 50; i++) {
        operations.start(argument);
        operations.stop(argument);
    }
    return NULL;
}

int main(void)
{
    static struct device device = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, driver, &device);
    pthread_create(&two, NULL, driver, &device);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
