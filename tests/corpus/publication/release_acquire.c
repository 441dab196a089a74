// A report is filled in and then published by a release store that the reader acquires.
#include <pthread.h>
#include <stdatomic.h>

struct report {
    int lines, errors;
};

static struct report report;
static atomic_int published;

static void *writer(void *argument)
{
    report.lines = 120; //~ lines: no-race -- before the release store; locks{}
    report.errors = 3;  //~ errors: no-race -- before the release store; locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

static void *reader(void *argument)
{
    int *sum = argument;
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    *sum = report.lines + report.errors; //~ r: no-race -- after the acquire load saw the store; locks{}
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
    return sum != 123;
}
