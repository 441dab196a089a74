// A list of open connections whose statistics thread walks it without the lock.
#include <pthread.h>
#include <stddef.h>

struct connection {
    struct connection *next;
    int requests;
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct connection pool[100], *head;

static void *acceptor(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        struct connection *connection = &pool[i];
        pthread_mutex_lock(&list_lock);
        connection->next = head; //~ link: race(step); locks{list_lock}
        head = connection;       //~ insert: race(first); locks{list_lock}
        head->requests++;        //~ serve: race(sum); locks{list_lock}
        pthread_mutex_unlock(&list_lock);
    }
    return NULL;
}

static void *statistics(void *argument)
{
    long *total = argument;
    for (int i = 0; i < 10; i++) {
        struct connection *c = head; //~ first: locks{}
        while (c != NULL) {
            *total += c->requests; //~ sum: locks{}
            c = c->next;           //~ step: locks{}
        }
    }
    return NULL;
}

int main(void)
{
    static long total;
    pthread_t one, two;
    pthread_create(&one, NULL, acceptor, NULL);
    pthread_create(&two, NULL, statistics, &total);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
