// The writing function runs in one thread only, so that its unlocked write meets nobody.
#include <pthread.h>

struct monitor {
    pthread_mutex_t lock;
    long samples, published;
};

static void *sampler(void *argument)
{
    struct monitor *monitor = argument;
    for (int i = 0; i < 50; i++) {
        monitor->samples++; //~ sample: no-race -- only the one sampler touches it; locks{}
        pthread_mutex_lock(&monitor->lock);
        monitor->published = monitor->samples; //~ publish: no-race -- the monitor's lock; locks{monitor->lock}
        pthread_mutex_unlock(&monitor->lock);
    }
    return NULL;
}

static void *viewer(void *argument)
{
    struct monitor *monitor = argument;
    long last = 0;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&monitor->lock);
        last = monitor->published; //~ view: no-race -- the monitor's lock; locks{monitor->lock}
        pthread_mutex_unlock(&monitor->lock);
    }
    return last < 0 ? argument : NULL;
}

int main(void)
{
    static struct monitor monitor = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two, three;
    pthread_create(&one, NULL, sampler, &monitor);
    pthread_create(&two, NULL, viewer, &monitor);
    pthread_create(&three, NULL, viewer, &monitor);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(three, NULL);
    return 0;
}
