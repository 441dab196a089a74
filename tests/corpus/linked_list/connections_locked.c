// A list of open connections: insertion, removal and traversal hold the list's lock.
#include <pthread.h>
#include <stdlib.h>

struct connection {
    struct connection *next;
    int idle;
};

struct connections {
    pthread_mutex_t lock;
    struct connection *head;
};

static void open_connection(struct connections *list)
{
    struct connection *connection = calloc(1, sizeof *connection);
    pthread_mutex_lock(&list->lock);
    connection->next = list->head; //~ link: no-race -- the list's lock; locks{list->lock}
    list->head = connection;       //~ insert: no-race -- the list's lock; locks{list->lock}
    pthread_mutex_unlock(&list->lock);
}

static void age_connections(struct connections *list)
{
    pthread_mutex_lock(&list->lock);
    for (struct connection *c = list->head; c != NULL; c = c->next) //~ walk: no-race -- the list's lock; locks{list->lock}
        c->idle++;                                                  //~ age: no-race -- the list's lock; locks{list->lock}
    pthread_mutex_unlock(&list->lock);
}

static void *acceptor(void *argument)
{
    for (int i = 0; i < 20; i++)
        open_connection(argument);
    return NULL;
}

static void *reaper(void *argument)
{
    for (int i = 0; i < 20; i++)
        age_connections(argument);
    return NULL;
}

int main(void)
{
    static struct connections list = { PTHREAD_MUTEX_INITIALIZER, NULL };
    pthread_t threads[3];
    pthread_create(&threads[0], NULL, acceptor, &list);
    pthread_create(&threads[1], NULL, reaper, &list);
    pthread_create(&threads[2], NULL, reaper, &list);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
