// Items are of classes, each with a lock; a helper finds what belongs to the class by the item's own member.
#include <pthread.h>
#include <stdlib.h>

#define CLASSES 3
#define ITEMS 6

struct item {
    int class;
    int weight;
};

static pthread_mutex_t class_locks[CLASSES];
static struct item *latest[CLASSES];
static int sizes[CLASSES];
static struct item *items[ITEMS];

static void note_locked(struct item *item)
{
    latest[item->class] = item;         //~ latest: no-race -- the class's lock; locks{class_locks[item->class]}
    sizes[item->class] += item->weight; //~ size: no-race -- the class's lock; locks{class_locks[item->class]}
}

static void note(struct item *item)
{
    pthread_mutex_lock(&class_locks[item->class]);
    note_locked(item);
    pthread_mutex_unlock(&class_locks[item->class]);
}

static void *worker(void *argument)
{
    for (int i = 0; i < 60; i++)
        note(items[i % ITEMS]);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    for (int i = 0; i < CLASSES; i++)
        pthread_mutex_init(&class_locks[i], NULL);
    for (int i = 0; i < ITEMS; i++) {
        items[i] = malloc(sizeof *items[i]);
        items[i]->class = i % CLASSES;
        items[i]->weight = i;
    }
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
