// The loop is left when it has started a thread and before it has counted it: that one is not joined.
#include <pthread.h>
#include <unistd.h>

#define SAMPLERS 3

static long samples;

static void *sampler(void *argument)
{
    usleep(*(int *)argument);
    samples++; //~ w: race(self); race(r) (unconfirmed -- ThreadSanitizer tells of a line once); locks{}
    return argument;
}

int main(void)
{
    static int pauses[SAMPLERS] = { 1000, 1000, 20000 };
    pthread_t threads[SAMPLERS];
    int started = 0;
    while (started < SAMPLERS) {
        pthread_create(&threads[started], NULL, sampler, &pauses[started]);
        if (started == SAMPLERS - 1)
            break;
        started++;
    }
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    samples = 0; //~ r: locks{}
    usleep(40000);
    return 0;
}
