// A new node is hung into a list that a walker already knows, without a lock.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct node {
    struct node *next;
    int value;
};

static struct node first;

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
    pthread_t thread;
    struct node *node = malloc(sizeof *node);
    pthread_create(&thread, NULL, walker, &sum);
    node->value = 1;   //~ value: race(walk); locks{}
    node->next = NULL; //~ next: race(step); locks{}
    usleep(500);
    first.next = node; //~ hang: race(begin); locks{}
    pthread_join(thread, NULL);
    free(node);
    return sum < 0;
}
