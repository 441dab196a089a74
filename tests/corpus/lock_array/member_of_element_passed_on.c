// The lock stands in another array, at the index of the element whose member is passed on.
#include <pthread.h>
#include <stdlib.h>

#define SLOTS 4

struct slot {
    long uses;
};

static struct slot slots[SLOTS];
static pthread_mutex_t locks[SLOTS];

static void count(long *uses)
{
    (*uses)++; //~ w: no-race -- the caller holds the lock of the slot; locks{locks[…]}
}

static void use(int index)
{
    pthread_mutex_lock(&locks[index]);
    count(&slots[index].uses);
    pthread_mutex_unlock(&locks[index]);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 100; i++)
        use(rand() % SLOTS);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < SLOTS; i++)
        pthread_mutex_init(&locks[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
