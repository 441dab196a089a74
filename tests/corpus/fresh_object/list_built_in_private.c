// A whole list is built node by node, and published by its head when it is complete.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *list;

static struct node *prepend(struct node *head, int value)
{
    struct node *node = malloc(sizeof *node);
    node->value = value; //~ value: no-race -- the list is not published yet; locks{}
    node->next = head;   //~ next: no-race -- the list is not published yet; locks{}
    return node;
}

static void *builder(void *argument)
{
    struct node *head = NULL;
    for (int i = 0; i < 5; i++)
        head = prepend(head, i);
    head->value += 100; //~ first: no-race -- the list is not published yet; locks{}
    pthread_mutex_lock(&list_lock);
    list = head;
    pthread_mutex_unlock(&list_lock);
    return argument;
}

static void *walker(void *argument)
{
    pthread_mutex_lock(&list_lock);
    struct node *at = list;
    pthread_mutex_unlock(&list_lock);
    for (; at != NULL; at = at->next)    //~ step: no-race -- a published list does not change; locks{}
        *(int *)argument += at->value;   //~ walk: no-race -- a published list does not change; locks{}
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, builder, NULL);
    pthread_create(&two, NULL, walker, &sum);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return sum < 0;
}
