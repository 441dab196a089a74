// Two threads are started in each turn of the loop, both with the same element.
#include <pthread.h>

#define PAIRS 2

struct task {
    long sum;
};

static void *worker(void *argument)
{
    struct task *task = argument;
    for (int i = 0; i < 100; i++)
        task->sum++; //~ w: race(self); locks{}
    return NULL;
}

int main(void)
{
    pthread_t one[PAIRS], two[PAIRS];
    static struct task tasks[PAIRS];
    for (int i = 0; i < PAIRS; i++) {
        tasks[i].sum = i; //~ zero: no-race -- its threads start below; spurious: race(w) -- an element belongs to the thread of its turn, and an element that two threads of a turn get belongs to neither, so that nothing tells it from those of earlier turns; locks{}
        pthread_create(&one[i], NULL, worker, &tasks[i]);
        pthread_create(&two[i], NULL, worker, &tasks[i]);
    }
    for (int i = 0; i < PAIRS; i++) {
        pthread_join(one[i], NULL);
        pthread_join(two[i], NULL);
    }
    return 0;
}
