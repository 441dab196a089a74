// The workers meet each other at the barrier, but main, which prepares the settings, does not come.
#include <pthread.h>
#include <unistd.h>

static pthread_barrier_t prepared;
static int settings;

static void *worker(void *argument)
{
    pthread_barrier_wait(&prepared);
    *(int *)argument = settings; //~ r: race(w); locks{}
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t one, two;
    pthread_barrier_init(&prepared, NULL, 2);
    pthread_create(&one, NULL, worker, &seen[0]);
    pthread_create(&two, NULL, worker, &seen[1]);
    usleep(1000);
    settings = 9; //~ w: locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen[0] < 0;
}
