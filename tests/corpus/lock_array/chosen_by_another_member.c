// Classes have locks; one caller of the helper that counts an item takes the lock of the class it came from.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define CLASSES 3

struct item {
    int origin;
    int class;
};

static pthread_mutex_t class_locks[CLASSES];
static int sizes[CLASSES];

static void count_locked(struct item *item)
{
    sizes[item->class]++; //~ size: race(self); locks{class_locks[item->class]}; locks{class_locks[item->origin]}
}

static void count(struct item *item)
{
    pthread_mutex_lock(&class_locks[item->class]);
    count_locked(item);
    usleep(20);
    pthread_mutex_unlock(&class_locks[item->class]);
}

static void recount(struct item *item)
{
    pthread_mutex_lock(&class_locks[item->origin]);
    count_locked(item);
    usleep(20);
    pthread_mutex_unlock(&class_locks[item->origin]);
}

static void *counter(void *argument)
{
    for (int i = 0; i < 200; i++)
        count(argument);
    return NULL;
}

static void *recounter(void *argument)
{
    for (int i = 0; i < 200; i++)
        recount(argument);
    return NULL;
}

int main(void)
{
    struct item *item = malloc(sizeof *item);
    item->origin = 1;
    item->class = 2;
    pthread_t one, two;
    for (int i = 0; i < CLASSES; i++)
        pthread_mutex_init(&class_locks[i], NULL);
    pthread_create(&one, NULL, counter, item);
    pthread_create(&two, NULL, recounter, item);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(item);
    return 0;
}
