// Main prepares the report, and starts another thread that announces it to one that runs already.
#include <pthread.h>
#include <stdatomic.h>

static int report;
static atomic_int published;

static void *reader(void *argument)
{
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    *(int *)argument = report; //~ r: no-race -- after the flag was seen; locks{}
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
    report = 120; //~ w: no-race -- before the announcer starts; locks{}
    pthread_create(&two, NULL, announcer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen != 120;
}
