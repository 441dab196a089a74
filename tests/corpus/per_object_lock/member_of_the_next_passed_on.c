// The walk locks each element and passes a member of the next one to a helper.
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
    *member += amount; //~ w: race(self); locks{…->lock}; locks{}
}

static void *worker(void *argument)
{
    for (struct node *node = head; node != NULL; node = node->next) {
        pthread_mutex_lock(&node->lock);
        if (node->next != NULL)
            add(&node->next->hits, 1);
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
