// The flag is atomic but relaxed, so that it publishes nothing but itself.
#include <pthread.h>
#include <stdatomic.h>

struct report {
    int lines;
};

static struct report report;
static atomic_int published;

static void *writer(void *argument)
{
    report.lines = 120; //~ w: race(r); locks{}
    atomic_store_explicit(&published, 1, memory_order_relaxed); //~ flag: no-race -- the flag itself is atomic; locks{}
    return argument;
}

static void *reader(void *argument)
{
    int *sum = argument;
    while (!atomic_load_explicit(&published, memory_order_relaxed)) //~ poll: no-race -- the flag itself is atomic; locks{}
        continue;
    *sum = report.lines; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, writer, NULL);
    pthread_create(&two, NULL, reader, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
