// The loop is left when it has started a thread and before it has counted it: that one is not joined.
#include <pthread.h>
#include <unistd.h>

#define SAMPLERS 3

static long samples;

static void *sampler(void *argument)
{
    usleep(2000);
    samples++; //~ w: race(self, r); locks{}
    return argument;
}

int main(void)
{
    pthread_t threads[SAMPLERS];
    int started = 0;
    while (started < SAMPLERS) {
        pthread_create(&threads[started], NULL, sampler, NULL);
        if (started == SAMPLERS - 1)
            break;
        started++;
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    long seen = samples; //~ r: locks{}
    usleep(10000);
    return seen < 0;
}
