// A worker remembers the first item, lets others in, and then moves the queue on: two workers may have the same item.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct item {
    struct item *next;
    int uses;
};

static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item items[40], *queue;

static struct item *first(void)
{
    pthread_mutex_lock(&queue_lock);
    struct item *item = queue; //~ look: no-race -- the queue's lock; locks{queue_lock}
    pthread_mutex_unlock(&queue_lock);
    return item;
}

static void *worker(void *argument)
{
    for (;;) {
        struct item *item = first();
        if (item == NULL)
            return argument;
        usleep(200); // The time in which a real program looks at the item.
        pthread_mutex_lock(&queue_lock);
        if (queue != NULL)
            queue = queue->next; //~ take: no-race -- the queue's lock; locks{queue_lock}
        pthread_mutex_unlock(&queue_lock);
        usleep(100); // The work that a real program would do here.
        item->uses++; //~ use: race(self); locks{}
    }
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 39; i++)
        items[i].next = &items[i + 1];
    queue = items;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
