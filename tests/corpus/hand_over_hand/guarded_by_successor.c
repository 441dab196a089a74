// Lock coupling that writes to the node it has left: the lock of its successor still excludes the others.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int hits;
    struct node *next;
};

static void touch_all(struct node *head)
{
    struct node *current = head;
    pthread_mutex_lock(&current->lock);
    while (current->next != NULL) {
        struct node *next = current->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&current->lock);
        current->hits++; //~ w: no-race -- whoever writes here holds the same successor; locks{next->lock}
        current = next;
    }
    pthread_mutex_unlock(&current->lock);
}

static void *walker(void *argument)
{
    for (int i = 0; i < 50; i++)
        touch_all(argument);
    return NULL;
}

int main(void)
{
    struct node *head = NULL;
    pthread_t threads[4];
    for (int i = 0; i < 5; i++) {
        struct node *node = calloc(1, sizeof *node);
        pthread_mutex_init(&node->lock, NULL);
        node->next = head;
        head = node;
    }
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, walker, head);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
