// Each call publishes the node that it makes, and its caller writes to the node once more.
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
    struct node *next = length > 0 ? build(length - 1) : NULL;
    node->next = next;
    node->value = length;
    pthread_mutex_lock(&list_lock);
    published = node;
    pthread_mutex_unlock(&list_lock);
    if (next != NULL)
        next->value = 0; //~ w: race(r); locks{}
    return node;
}

static void *producer(void *argument)
{
    build(*(int *)argument);
    return NULL;
}

static void *consumer(void *argument)
{
    (void)argument;
    pthread_mutex_lock(&list_lock);
    for (struct node *node = published; node != NULL; node = node->next)
        total += node->value; //~ r: locks{list_lock}
    pthread_mutex_unlock(&list_lock);
    return NULL;
}

int main(void)
{
    int length = 3;
    pthread_t one, two;
    pthread_create(&one, NULL, producer, &length);
    pthread_create(&two, NULL, consumer, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
