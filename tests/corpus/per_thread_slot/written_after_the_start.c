// The element is filled in after the thread that gets it has been started.
#include <pthread.h>
#include <unistd.h>

#define THREADS 3

struct task {
    int from;
};

static void *worker(void *argument)
{
    struct task *task = argument;
    usleep(500);
    return task->from < 0 ? argument : NULL; //~ r: race(from); locks{}
}

int main(void)
{
    pthread_t threads[THREADS];
    static struct task tasks[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, worker, &tasks[i]);
        tasks[i].from = 100 * i; //~ from: locks{}
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
