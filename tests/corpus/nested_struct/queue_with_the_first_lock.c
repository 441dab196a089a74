// Queues in an array in a server: the report takes the lock of the first queue for all of them.
#include <pthread.h>

#define QUEUES 3

struct server {
    struct queue {
        pthread_mutex_t lock;
        struct {
            struct { long bytes, packets; } sent;
        } numbers;
    } queues[QUEUES];
};

static void account(struct server *server, int index, long bytes)
{
    struct queue *queue = &server->queues[index];
    pthread_mutex_lock(&queue->lock);
    queue->numbers.sent.bytes += bytes; //~ add: locks{queue->lock}
    queue->numbers.sent.packets++;      //~ packet: no-race -- the lock of the queue; locks{queue->lock}
    pthread_mutex_unlock(&queue->lock);
}

static long sent(struct server *server, int index)
{
    pthread_mutex_lock(&server->queues[0].lock);
    long bytes = server->queues[index].numbers.sent.bytes; //~ read: race(add); locks{server->queues[0].lock}
    pthread_mutex_unlock(&server->queues[0].lock);
    return bytes;
}

static void *sender(void *argument)
{
    for (int i = 0; i < 200; i++)
        account(argument, 1 + i % 2, 100);
    return NULL;
}

static void *reporter(void *argument)
{
    long total = 0;
    for (int i = 0; i < 200; i++)
        total += sent(argument, i % QUEUES);
    return total < 0 ? argument : NULL;
}

static struct server server = { {
    { .lock = PTHREAD_MUTEX_INITIALIZER },
    { .lock = PTHREAD_MUTEX_INITIALIZER },
    { .lock = PTHREAD_MUTEX_INITIALIZER },
} };

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sender, &server);
    pthread_create(&two, NULL, reporter, &server);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
