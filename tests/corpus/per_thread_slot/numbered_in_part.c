// The loop that numbers the tasks stops early, so that the last one has the number of the first.
#include <pthread.h>

#define THREADS 3

struct task {
    int id;
};

static struct task tasks[THREADS];
static long sums[THREADS];

static void *worker(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < 10; i++)
        sums[task->id] += i; //~ w: race(self); locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS - 1; i++)
        tasks[i].id = i;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &tasks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
