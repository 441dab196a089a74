// Another thread announces the report while main still writes it.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int report;
static atomic_int published;

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    usleep(1000);
    *(int *)argument = report; //~ r: race(w); locks{}
    return NULL;
}

static void *announcer(void *argument)
{
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

int main(void)
{
    int seen = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, reader, &seen);
    pthread_create(&two, NULL, announcer, NULL);
    report = 120; //~ w: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
