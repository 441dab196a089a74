// A plain variable that is published by the compiler's atomic operations.
#include <pthread.h>

enum phase { EMPTY, FILLING, READY };

static int report;
static enum phase phase;

static void *writer(void *argument)
{
    report = 120; //~ w: no-race -- before the release store; locks{}
    __atomic_store_n(&phase, READY, __ATOMIC_RELEASE);
    return argument;
}

static void *reader(void *argument)
{
    while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) != READY)
        continue;
    *(int *)argument = report; //~ r: no-race -- after the acquire load; locks{}
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
    return sum != 120;
}
