// A pointer into the middle of a guarded struct is kept and used after the lock is gone.
#include <pthread.h>

struct limits {
    int soft, hard;
};

struct server {
    pthread_mutex_t lock;
    struct limits limits;
};

static struct limits *locked_limits(struct server *server)
{
    pthread_mutex_lock(&server->lock);
    server->limits.hard++; //~ hard: no-race -- inside the lock; locks{server->lock}
    struct limits *limits = &server->limits;
    pthread_mutex_unlock(&server->lock);
    return limits;
}

static void *tune(void *argument)
{
    struct server *server = argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&server->lock);
        server->limits.soft = 0; //~ early: race(late); locks{server->lock}
        pthread_mutex_unlock(&server->lock);
        struct limits *limits = locked_limits(server);
        limits->soft = i; //~ late: race(self); locks{}
    }
    return NULL;
}

int main(void)
{
    static struct server server = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, tune, &server);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
