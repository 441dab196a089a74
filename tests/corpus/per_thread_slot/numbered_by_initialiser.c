// The initialiser numbers the elements, and each thread of the loop gets one of them.
#include <pthread.h>

#define THREADS 3

struct task {
    int number, rounds;
};

static long sums[THREADS];

static void *worker(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->rounds; i++)
        sums[task->number] += i; //~ w: no-race -- every thread has another number; locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct task tasks[THREADS] = { { 0, 10 }, { 1, 10 }, { 2, 10 } };
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &tasks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return sums[0] == 0;
}
