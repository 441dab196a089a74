// A timer callback goes back from its embedded timer to the device around it and forgets the lock.
#include <pthread.h>
#include <stddef.h>

#define container_of(pointer, type, member) ((type *)((char *)(pointer) - offsetof(type, member)))

struct timer {
    int period;
    void (*expired)(struct timer *timer);
};

struct device {
    pthread_mutex_t lock;
    int ticks;
    struct timer timer;
};

static void tick(struct timer *timer)
{
    struct device *device = container_of(timer, struct device, timer);
    device->ticks++; //~ tick: race(read); locks{}
}

static void *timer_thread(void *argument)
{
    struct device *device = argument;
    struct timer *timer = &device->timer;
    for (int i = 0; i < timer->period; i++)
        timer->expired(timer);
    return NULL;
}

static void *reader(void *argument)
{
    struct device *device = argument;
    int ticks = 0;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&device->lock);
        ticks += device->ticks; //~ read: locks{device->lock}
        pthread_mutex_unlock(&device->lock);
    }
    return ticks < 0 ? argument : NULL;
}

static struct device device = { PTHREAD_MUTEX_INITIALIZER, 0, { 100, tick } };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, timer_thread, &device);
    pthread_create(&two, NULL, reader, &device);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
