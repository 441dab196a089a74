// Each worker has a semaphore of its own, and main waits for both.
#include <pthread.h>
#include <semaphore.h>

static sem_t left_done, right_done;
static int left, right;

static void *left_worker(void *argument)
{
    left = 1; //~ left: no-race -- before the post; locks{}
    sem_post(&left_done);
    return argument;
}

static void *right_worker(void *argument)
{
    right = 2; //~ right: no-race -- before the post; locks{}
    sem_post(&right_done);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&left_done, 0, 0);
    sem_init(&right_done, 0, 0);
    pthread_create(&one, NULL, left_worker, NULL);
    pthread_create(&two, NULL, right_worker, NULL);
    sem_wait(&left_done);
    sem_wait(&right_done);
    int sum = left + right; //~ get: no-race -- after both waits; locks{}
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum != 3;
}
