// Two workers post the same semaphore, and main waits for one post only.
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t finished;
static int left, right;

static void *left_worker(void *argument)
{
    left = 1; //~ left: race(get_left); locks{}
    sem_post(&finished);
    return argument;
}

static void *right_worker(void *argument)
{
    usleep(20000);
    right = 2; //~ right: race(get_right); locks{}
    sem_post(&finished);
    usleep(1000);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    sem_init(&finished, 0, 0);
    pthread_create(&two, NULL, right_worker, NULL);
    pthread_create(&one, NULL, left_worker, NULL);
    sem_wait(&finished);
    int sum = right; //~ get_right: locks{}
    sum += left; //~ get_left: race(left) (unconfirmed -- the left worker is the first to post in every run)
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
