// The load acquires, but the store is relaxed.
#include <pthread.h>

enum phase { EMPTY, FILLING, READY };

static int report;
static enum phase phase;

static void *writer(void *argument)
{
    report = 120; //~ w: race(r); locks{}
    __atomic_store_n(&phase, READY, __ATOMIC_RELAXED);
    return argument;
}

static void *reader(void *argument)
{
    while (__atomic_load_n(&phase, __ATOMIC_ACQUIRE) != READY)
        continue;
    *(int *)argument = report; //~ r: locks{}
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
    return sum < 0;
}
