// A function picks the least busy of several queues, another one the first that comes; each has its own lock.
#include <pthread.h>

#define QUEUES 3

struct queue {
    pthread_mutex_t lock;
    int waiting;
};

static struct queue queues[QUEUES], urgent;

static struct queue *pick(int turn)
{
    int best = -1;
    for (int i = 0; i < QUEUES; i++) {
        if (i == turn % QUEUES) {
            best = i;
            break;
        } else if (turn > i) {
            best = i;
        }
    }
    return &queues[best];
}

static void submit(int turn)
{
    struct queue *queue = pick(turn);
    pthread_mutex_lock(&queue->lock);
    queue->waiting++; //~ submit: no-race -- the queue's lock; locks{queue->lock}
    pthread_mutex_unlock(&queue->lock);
}

static void hurry(int turn)
{
    struct queue *queue = turn % 2 ? &queues[turn % QUEUES] : &urgent;
    pthread_mutex_lock(&queue->lock);
    queue->waiting += 2; //~ hurry: no-race -- the queue's lock; locks{queue->lock}
    pthread_mutex_unlock(&queue->lock);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 90; i++) {
        submit(i);
        hurry(i);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_mutex_init(&urgent.lock, NULL);
    for (int i = 0; i < QUEUES; i++)
        pthread_mutex_init(&queues[i].lock, NULL);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
