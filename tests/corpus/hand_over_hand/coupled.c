// A sorted list walked by lock coupling: the next node is locked before the current one is released.
#include <pthread.h>
#include <stdlib.h>

struct node {
    pthread_mutex_t lock;
    int key, hits;
    struct node *next;
};

static struct node *new_node(int key, struct node *next)
{
    struct node *node = malloc(sizeof *node);
    pthread_mutex_init(&node->lock, NULL);
    node->key = key;
    node->hits = 0;
    node->next = next;
    return node;
}

static void touch_upto(struct node *head, int key)
{
    struct node *current = head;
    pthread_mutex_lock(&current->lock);
    while (current->next != NULL && current->key < key) { //~ walk: no-race -- the current node is locked; locks{current->lock}
        struct node *next = current->next;
        pthread_mutex_lock(&next->lock);
        pthread_mutex_unlock(&current->lock);
        current = next;
        current->hits++; //~ hit: no-race -- the new node was locked before the step; locks{next->lock}
    }
    pthread_mutex_unlock(&current->lock);
}

static void *walker(void *argument)
{
    for (int i = 0; i < 50; i++)
        touch_upto(argument, i % 5);
    return NULL;
}

int main(void)
{
    struct node *head = NULL;
    pthread_t one, two;
    for (int key = 4; key >= 0; key--)
        head = new_node(key, head);
    pthread_create(&one, NULL, walker, head);
    pthread_create(&two, NULL, walker, head);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
