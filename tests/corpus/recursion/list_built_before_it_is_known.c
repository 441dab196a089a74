// A list that is built by recursion belongs to its thread until it is published.
#include <pthread.h>
#include <stdlib.h>

struct node {
    struct node *next;
    int value;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *published;
static int total;

static struct node *build(int length)
{
    struct node *node = malloc(sizeof *node);
    node->next = length > 0 ? build(length - 1) : NULL;
    node->value = length; //~ b: no-race -- nobody else knows the node yet
    return node;
}

static void *producer(void *argument)
{
    struct node *list = build(3);
    list->value += *(int *)argument; //~ p: no-race -- it is not published yet
    pthread_mutex_lock(&list_lock);
    published = list;
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

static void *consumer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&list_lock);
    for (struct node *node = published; node != NULL; node = node->next)
        total += node->value; //~ c: locks{list_lock}
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

int main(void)
{
    int more = 5;
    pthread_t one, two;
    pthread_create(&one, NULL, producer, &more);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
