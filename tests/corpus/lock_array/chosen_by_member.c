// Items hang in the list of their class, which has a lock; a helper finds list and size by the item's own member.
#include <pthread.h>
#include <stdlib.h>

#define CLASSES 3

struct item {
    struct item *next;
    int class;
};

static pthread_mutex_t class_locks[CLASSES];
static struct item *heads[CLASSES];
static int sizes[CLASSES];

static void link_locked(struct item *item)
{
    item->next = heads[item->class]; //~ old: no-race -- the class's lock; locks{class_locks[item->class]}
    heads[item->class] = item;       //~ head: no-race -- the class's lock; locks{class_locks[item->class]}
    sizes[item->class]++;            //~ size: no-race -- the class's lock; locks{class_locks[item->class]}
}

static void link_item(struct item *item)
{
    pthread_mutex_lock(&class_locks[item->class]);
    link_locked(item);
    pthread_mutex_unlock(&class_locks[item->class]);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 60; i++) {
        struct item *item = malloc(sizeof *item);
        item->class = i % CLASSES; //~ fresh: no-race -- nobody else knows the item yet; locks{}
        link_item(item);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < CLASSES; i++)
        pthread_mutex_init(&class_locks[i], NULL);
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
