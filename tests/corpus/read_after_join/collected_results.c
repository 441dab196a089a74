// Results are read only after the thread that wrote them has been joined.
#include <pthread.h>
#include <stdio.h>

#define WORKERS 3

struct task {
    pthread_t thread;
    int from, to;
    long sum;
};

static void *add_up(void *argument)
{
    struct task *task = argument;
    for (int i = task->from; i < task->to; i++) //~ range: no-race -- written before its thread starts
        task->sum += i; //~ w: no-race -- every task belongs to one thread; locks{}
    return NULL;
}

int main(void)
{
    struct task tasks[WORKERS] = { 0 };
    long total = 0;
    for (int i = 0; i < WORKERS; i++) {
        tasks[i].from = 100 * i; //~ from: no-race -- each task is filled before its own thread starts
        tasks[i].to = 100 * (i + 1); //~ to: no-race -- each task is filled before its own thread starts
        pthread_create(&tasks[i].thread, NULL, add_up, &tasks[i]);
    }
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(tasks[i].thread, NULL);
        total += tasks[i].sum; //~ r: no-race -- its thread was joined one line above; locks{}
    }
    printf("%ld\n", total);
    return 0;
}
