// The walk locks each element and passes one of its members to a helper.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    long hits;
    struct node *next;
};

static struct node *head;

static void add(long *member, long amount)
{
    *member += amount; //~ w: no-race -- the walk holds the lock of the element that the member lies in; locks{…->lock}
}

static void *worker(void *argument)
{
    for (struct node *node = head; node != NULL; node = node->next) {
        pthread_mutex_lock(&node->lock);
        add(&node->hits, 1);
        pthread_mutex_unlock(&node->lock);
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 3; i++) {
        struct node *node = calloc(1, sizeof *node);
        pthread_mutex_init(&node->lock, NULL);
        node->next = head;
        head = node;
    }
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
