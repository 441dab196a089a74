// Statistics with members of atomic type, of which one was forgotten.
#include <pthread.h>
#include <stdatomic.h>

struct statistics {
    atomic_ulong bytes;
    unsigned long errors;
};

static struct statistics statistics;

static void received(unsigned long bytes)
{
    statistics.bytes += bytes; //~ bytes: no-race -- the member is atomic; locks{}
    if (bytes % 7 == 0)
        statistics.errors++; //~ error: race(self); locks{}
}

static void *receiver(void *argument)
{
    for (unsigned long i = 0; i < 99; i++)
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
