// Statistics with members of atomic type: the plain operators on them are atomic.
#include <pthread.h>
#include <stdatomic.h>

struct statistics {
    atomic_ulong bytes, errors;
};

static struct statistics statistics;

static void received(unsigned long bytes)
{
    statistics.bytes += bytes; //~ bytes: no-race -- the member is atomic; locks{}
    if (bytes % 7 == 0)
        statistics.errors++; //~ error: no-race -- the member is atomic; locks{}
}

static void *receiver(void *argument)
{
    for (unsigned long i = 0; i < 100; i++)
        received(i);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, receiver, NULL);
    pthread_create(&two, NULL, receiver, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
