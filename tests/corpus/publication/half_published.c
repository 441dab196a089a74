// The flag is set twice: the first time too early.
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static int head, body;
static atomic_int published;

static void *writer(void *argument)
{
    head = 1; //~ head: no-race -- before the first store; locks{}
    atomic_store_explicit(&published, 1, memory_order_release);
    usleep(10000);
    body = 2; //~ body: race(r); locks{}
    atomic_store_explicit(&published, 2, memory_order_release);
    return argument;
}

static void *reader(void *argument)
{
    while (atomic_load_explicit(&published, memory_order_acquire) == 0)
        continue;
    usleep(1000);
    *(int *)argument = body + head; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&two, NULL, reader, &sum);
    usleep(1000);
    pthread_create(&one, NULL, writer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
