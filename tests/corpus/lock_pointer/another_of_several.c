// A function picks one of several queues each time it is asked; the lock is that of one, the change is to another.
#include <pthread.h>
#include <unistd.h>

#define QUEUES 3

struct queue {
    pthread_mutex_t lock;
    int waiting;
};

static struct queue queues[QUEUES], urgent;

static struct queue *pick(int turn)
{
    return turn % 2 ? &queues[turn % QUEUES] : &urgent;
}

static void submit(int turn)
{
    struct queue *locked = pick(turn);
    struct queue *queue = pick(turn + 1);
    pthread_mutex_lock(&locked->lock);
    queue->waiting++; //~ submit: race(self); locks{locked->lock}
    usleep(20);
    pthread_mutex_unlock(&locked->lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 90; i++)
        submit(i);
    return argument;
}

static void *other(void *argument)
{
    for (int i = 0; i < 90; i++)
        submit(i + (i % 4) * 2);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_mutex_init(&urgent.lock, NULL);
    for (int i = 0; i < QUEUES; i++)
        pthread_mutex_init(&queues[i].lock, NULL);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, other, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
