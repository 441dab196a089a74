// A queue with a first and a last item; a worker remembers the first one and then moves the queue on.
#include <pthread.h>
#include <stdlib.h>

struct item {
    struct item *next;
    int size;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static struct item *queue, *last;
static int is_complete;

static void *worker(void *argument)
{
    long sum = 0;
    for (;;) {
        pthread_mutex_lock(&queue_lock);
        while (queue == NULL) {
            if (is_complete) {
                pthread_mutex_unlock(&queue_lock);
                return sum < 0 ? argument : NULL;
            }
            pthread_cond_wait(&filled, &queue_lock);
        }
        struct item *item = queue;
        queue = queue->next; //~ take: no-race -- the queue's lock; locks{queue_lock}
        if (queue == NULL)
            last = NULL;
        pthread_mutex_unlock(&queue_lock);
        sum += item->size; //~ use: no-race -- taken out, so it is ours alone; locks{}
        free(item);        //~ done: no-race -- taken out, so it is ours alone; locks{}
    }
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    for (int i = 0; i < 50; i++) {
        struct item *item = malloc(sizeof *item);
        item->size = i;    //~ fill: no-race -- not in the queue yet; locks{}
        item->next = NULL; //~ end: no-race -- not in the queue yet; locks{}
        pthread_mutex_lock(&queue_lock);
        if (last == NULL)
            queue = item;
        else
            last->next = item; //~ link: no-race -- the queue's lock; locks{queue_lock}
        last = item;
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&queue_lock);
    }
    pthread_mutex_lock(&queue_lock);
    is_complete = 1;
    pthread_cond_broadcast(&filled);
    pthread_mutex_unlock(&queue_lock);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
