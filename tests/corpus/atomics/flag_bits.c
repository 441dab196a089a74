// Flag bits are set and cleared by atomic operations on the whole word.
#include <pthread.h>

#define BUSY 1u
#define DIRTY 2u

static unsigned flags;

static void *marker(void *argument)
{
    for (int i = 0; i < 100; i++)
        __atomic_fetch_or(&flags, DIRTY, __ATOMIC_RELAXED); //~ set: locks{}
    return argument;
}

static void *cleaner(void *argument)
{
    for (int i = 0; i < 100; i++)
        __atomic_fetch_and(&flags, ~BUSY, __ATOMIC_RELEASE); //~ clear: no-race -- both ends are atomic; locks{}
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, marker, NULL);
    pthread_create(&two, NULL, cleaner, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
