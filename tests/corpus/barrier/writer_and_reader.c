// Two different threads meet twice in each turn: one writes before the first meeting, one reads behind it.
#include <pthread.h>

#define TURNS 20

static pthread_barrier_t meeting;
static int sample;

static void meet(void)
{
    pthread_barrier_wait(&meeting);
}

static void *sensor(void *argument)
{
    for (int turn = 0; turn < TURNS; turn++) {
        sample = turn; //~ w: no-race -- the reader waits for the first meeting; locks{}
        meet();
        meet();
    }
    return argument;
}

static void *logger(void *argument)
{
    for (int turn = 0; turn < TURNS; turn++) {
        meet();
        *(int *)argument += sample; //~ r: no-race -- between the meetings; locks{}
        meet();
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_barrier_init(&meeting, NULL, 2);
    pthread_create(&one, NULL, sensor, NULL);
    pthread_create(&two, NULL, logger, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum != 190;
}
