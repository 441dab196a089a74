// The report is written and published in each turn of a loop, so that only the first one comes before the flag.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int report;
static atomic_int published;

static void *writer(void *argument)
{
    for (int i = 0; i < 10; i++) {
        report = i; //~ w: race(r); locks{}
        atomic_store_explicit(&published, 1, memory_order_release);
        usleep(1000);
    }
    return argument;
}

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    usleep(3000);
    *(int *)argument = report; //~ r: locks{}
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
    return sum < 0;
}
