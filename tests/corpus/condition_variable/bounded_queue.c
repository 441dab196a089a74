// A bounded queue: waiting releases the mutex and takes it again before it returns.
#include <pthread.h>

#define SIZE 4

struct queue {
    pthread_mutex_t mutex;
    pthread_cond_t not_full, not_empty;
    int items[SIZE], count;
};

static struct queue queue = {
    .mutex = PTHREAD_MUTEX_INITIALIZER,
    .not_full = PTHREAD_COND_INITIALIZER,
    .not_empty = PTHREAD_COND_INITIALIZER,
};

static void *producer(void *argument)
{
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&queue.mutex);
        while (queue.count == SIZE) //~ full: no-race -- held around the wait; locks{queue.mutex}
            pthread_cond_wait(&queue.not_full, &queue.mutex);
        queue.items[queue.count++] = i; //~ put: no-race -- held again after the wait; locks{queue.mutex}
        pthread_cond_signal(&queue.not_empty);
        pthread_mutex_unlock(&queue.mutex);
    }
    return argument;
}

static void *consumer(void *argument)
{
    long *sum = argument;
    for (int i = 0; i < 50; i++) {
        pthread_mutex_lock(&queue.mutex);
        while (queue.count == 0) //~ empty: no-race -- held around the wait; locks{queue.mutex}
            pthread_cond_wait(&queue.not_empty, &queue.mutex);
        *sum += queue.items[--queue.count]; //~ get: no-race -- held again after the wait; locks{queue.mutex}
        pthread_cond_signal(&queue.not_full);
        pthread_mutex_unlock(&queue.mutex);
    }
    return NULL;
}

int main(void)
{
    long sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, producer, NULL);
    pthread_create(&two, NULL, consumer, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum != 49 * 50 / 2;
}
