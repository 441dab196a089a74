// One loop numbers the tasks, another one starts a thread for each; the number chooses the thread's slot.
#include <pthread.h>

#define THREADS 3

struct task {
    int id;
    int steps;
};

static struct task tasks[THREADS];
static long sums[THREADS];

static void *worker(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < task->steps; i++)
        sums[task->id] += i; //~ w: no-race -- every task has another number; locks{}
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        tasks[i].id = i;
        tasks[i].steps = 10;
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, &tasks[i]);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
