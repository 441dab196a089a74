// Each meter has a lock: one function changes members, bit-fields and a union, another one copies what they are in.
#include <pthread.h>
#include <stdlib.h>

#define METERS 3

struct range {
    long low, high;
};

struct meter {
    pthread_mutex_t lock;
    struct range span;
    unsigned closed : 1;
    unsigned mode : 3;
    union {
        long number;
        double real;
    } reading;
};

static struct meter *meters[METERS];

static void change(struct meter *meter, long value)
{
    pthread_mutex_lock(&meter->lock);
    meter->span.low = value;            //~ low: no-race -- the meter's lock; locks{meter->lock}
    meter->span.high = value + 1;       //~ high: no-race -- the meter's lock; locks{meter->lock}
    if (value % 2)
        meter->closed = 1;              //~ closed: no-race -- the meter's lock; locks{meter->lock}
    else
        meter->mode = 5;                //~ mode: no-race -- the meter's lock; locks{meter->lock}
    if (value % 3)
        meter->reading.number = value;  //~ number: no-race -- the meter's lock; locks{meter->lock}
    else
        meter->reading.real = 0.5;      //~ real: no-race -- the meter's lock; locks{meter->lock}
    pthread_mutex_unlock(&meter->lock);
}

static long width(struct meter *meter)
{
    pthread_mutex_lock(&meter->lock);
    struct range seen = meter->span; //~ copy: no-race -- the meter's lock; locks{meter->lock}
    pthread_mutex_unlock(&meter->lock);
    return seen.high - seen.low;
}

static void *changer(void *argument)
{
    for (int i = 0; i < 60; i++)
        change(meters[i % METERS], i);
    return argument;
}

static void *observer(void *argument)
{
    long total = 0;
    for (int i = 0; i < 60; i++)
        total += width(meters[i % METERS]);
    return total < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < METERS; i++) {
        meters[i] = calloc(1, sizeof *meters[i]);
        pthread_mutex_init(&meters[i]->lock, NULL);
    }
    pthread_create(&threads[0], NULL, changer, NULL);
    pthread_create(&threads[1], NULL, changer, NULL);
    pthread_create(&threads[2], NULL, observer, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
