// Main prepares the settings while its workers start up, and meets them at the barrier.
#include <pthread.h>

static pthread_barrier_t prepared;
static int settings;

static void *worker(void *argument)
{
    pthread_barrier_wait(&prepared);
    *(int *)argument = settings; //~ r: no-race -- behind the barrier; locks{}
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t one, two;
    pthread_barrier_init(&prepared, NULL, 3);
    pthread_create(&one, NULL, worker, &seen[0]);
    pthread_create(&two, NULL, worker, &seen[1]);
    settings = 9; //~ w: no-race -- before the barrier; locks{}
    pthread_barrier_wait(&prepared);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return seen[0] != 9 || seen[1] != 9;
}
