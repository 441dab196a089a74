// The same function, started from a loop through a helper, runs many times at once.
#include <pthread.h>

#define SAMPLERS 3

struct monitor {
    pthread_t threads[SAMPLERS];
    long samples;
};

static void *sampler(void *argument)
{
    struct monitor *monitor = argument;
    for (int i = 0; i < 100; i++)
        monitor->samples++; //~ w: race(self); locks{}
    return NULL;
}

static int start(struct monitor *monitor, int index)
{
    return pthread_create(&monitor->threads[index], NULL, sampler, monitor);
}

int main(void)
{
    static struct monitor monitor;
    int started = 0;
    while (started < SAMPLERS && start(&monitor, started) == 0)
        started++;
    for (int i = 0; i < started; i++)
        pthread_join(monitor.threads[i], NULL);
    return monitor.samples < 0; //~ r: no-race -- after all joins; locks{}
}
