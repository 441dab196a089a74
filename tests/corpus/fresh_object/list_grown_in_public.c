// A new node is hung into a list that walkers already know, without a lock.
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

struct node {
    struct node *next;
    int value;
};

static struct node first;

static void *builder(void *argument)
{
    struct node node;
    node.value = 1;          //~ value: race(walk); locks{}
    node.next = NULL;        //~ next: race(step); locks{}
    usleep(500);
    first.next = &node;      //~ hang: race(begin); locks{}
    usleep(20000);
    return argument;
}

static void *walker(void *argument)
{
    for (int turn = 0; turn < 10; turn++) {
        for (struct node *at = first.next; at != NULL; //~ begin: locks{}
             at = at->next)                            //~ step: locks{}
            *(int *)argument += at->value;             //~ walk: locks{}
        usleep(200);
    }
    return NULL;
}

int main(void)
{
    int sum = 0;
    pthread_t one, two;
    pthread_create(&one, NULL, builder, NULL);
    pthread_create(&two, NULL, walker, &sum);
    pthread_join(two, NULL);
    pthread_join(one, NULL);
    return sum < 0;
}
