// The flag has a first value, so that seeing it set says nothing.
#include <pthread.h>
#include <stdatomic.h>

static int report;
static atomic_int published = 1;

static void *writer(void *argument)
{
    report = 120; //~ w: race(r); locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    *(int *)argument = report; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&two, NULL, reader, &sum);
    pthread_create(&one, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
