// Two threads set the same flag: whoever sees it knows that one of them is ready, but not which one.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int left, right;
static atomic_int published;

static void *left_writer(void *argument)
{
    left = 1; //~ left: no-race -- nobody else touches it; locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

static void *right_writer(void *argument)
{
    usleep(20000);
    right = 2; //~ right: race(r); locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&two, NULL, right_writer, NULL);
    pthread_create(&one, NULL, left_writer, NULL);
    while (!atomic_load_explicit(&published, memory_order_acquire))
        continue;
    int seen = right; //~ r: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen < 0;
}
