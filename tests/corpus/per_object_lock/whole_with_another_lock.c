// Each meter has a lock; who copies the span of one holds the lock of the meter before it.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define METERS 3

struct range {
    long low, high;
};

struct meter {
    pthread_mutex_t lock;
    struct range span;
};

static struct meter *meters[METERS];

static void change(struct meter *meter, long value)
{
    pthread_mutex_lock(&meter->lock);
    meter->span.low = value; //~ low: race(copy); locks{meter->lock}
    usleep(100);
    pthread_mutex_unlock(&meter->lock);
}

static long width(struct meter *locked, struct meter *meter)
{
    pthread_mutex_lock(&locked->lock);
    struct range seen = meter->span; //~ copy: locks{locked->lock}
    usleep(100);
    pthread_mutex_unlock(&locked->lock);
    return seen.high - seen.low;
}

static void *changer(void *argument)
{
    for (int i = 0; i < 60; i++)
        change(meters[1], i);
    return argument;
}

static void *observer(void *argument)
{
    long total = 0;
    for (int i = 0; i < 60; i++)
        total += width(meters[0], meters[1]);
    return total < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < METERS; i++) {
        meters[i] = calloc(1, sizeof *meters[i]);
        pthread_mutex_init(&meters[i]->lock, NULL);
    }
    pthread_create(&one, NULL, changer, NULL);
    pthread_create(&two, NULL, observer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
