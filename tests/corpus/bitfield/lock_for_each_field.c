// Two bit-fields of one word have a lock each, but a write of one rewrites the other.
#include <pthread.h>

struct connection {
    pthread_mutex_t read_lock, write_lock;
    unsigned readable : 1;
    unsigned writable : 1;
};

static void *reader(void *argument)
{
    struct connection *connection = argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&connection->read_lock);
        connection->readable = i % 2; //~ readable: race(writable); locks{connection->read_lock}
        pthread_mutex_unlock(&connection->read_lock);
    }
    return NULL;
}

static void *writer(void *argument)
{
    struct connection *connection = argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&connection->write_lock);
        connection->writable = i % 2; //~ writable: locks{connection->write_lock}
        pthread_mutex_unlock(&connection->write_lock);
    }
    return NULL;
}

static struct connection connection = {
    .read_lock = PTHREAD_MUTEX_INITIALIZER,
    .write_lock = PTHREAD_MUTEX_INITIALIZER,
};

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, &connection);
    pthread_create(&two, NULL, writer, &connection);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
