// The reader reads behind the second meeting, when the writer writes again.
#include <pthread.h>
#include <unistd.h>

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
        sample = turn; //~ w: race(r); locks{}
        usleep(100);
        meet();
        meet();
    }
    return argument;
}

static void *logger(void *argument)
{
    for (int turn = 0; turn < TURNS; turn++) {
        meet();
        meet();
        *(int *)argument += sample; //~ r: locks{}
        usleep(100);
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
    return 0;
}
