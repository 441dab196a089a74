// RELAY's initialisation idiom, broken: the connection is published before its family is filled in.
#include <pthread.h>
#include <stdlib.h>

struct connection {
    struct connection *next;
    int timeout, family;
};

static pthread_rwlock_t peer_lock = PTHREAD_RWLOCK_INITIALIZER;
static struct connection *connections;

static void allocate_connection(struct connection **out)
{
    struct connection *connection = malloc(sizeof *connection);
    connection->timeout = 30; //~ timeout: no-race -- the connection is not published yet; locks{}
    *out = connection;
}

static void create_connection(int family)
{
    struct connection *connection;
    allocate_connection(&connection);
    pthread_rwlock_wrlock(&peer_lock);
    connection->next = connections; //~ link: no-race -- the lock of the list; locks{peer_lock}
    connections = connection;       //~ publish: no-race -- the lock of the list; locks{peer_lock}
    pthread_rwlock_unlock(&peer_lock);
    connection->family = family; //~ family: race(match); locks{}
}

static int count_family(int family)
{
    int found = 0;
    pthread_rwlock_rdlock(&peer_lock);
    for (struct connection *at = connections; at != NULL; at = at->next)
        if (at->family == family)      //~ match: race(family); locks{shared peer_lock}
            found += at->timeout > 0;  //~ alive: no-race -- written before the connection is published; locks{shared peer_lock}
    pthread_rwlock_unlock(&peer_lock);
    return found;
}

static void *dialler(void *argument)
{
    for (int i = 0; i < 20; i++)
        create_connection(2);
    return argument;
}

static void *monitor(void *argument)
{
    while (count_family(2) < 20)
        continue;
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, dialler, NULL);
    pthread_create(&two, NULL, monitor, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
