// The lock stands in another array, at another index than the element whose member is passed on.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define SLOTS 4

struct slot {
    long uses;
};

static struct slot slots[SLOTS];
static pthread_mutex_t locks[SLOTS];

static void count(long *uses)
{
    (*uses)++; //~ w: race(self); locks{}
}

static void use(int index, int round)
{
    pthread_mutex_lock(&locks[index]);
    usleep(20); // The search that a real program would do here.
    count(&slots[(index + round) % SLOTS].uses);
    pthread_mutex_unlock(&locks[index]);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 100; i++)
        use(rand() % SLOTS, i);
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
