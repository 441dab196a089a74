// The lock sits in the outer struct and guards everything that is embedded in it.
#include <pthread.h>

struct limits {
    int soft, hard;
};

struct pool {
    struct limits limits;
    int size;
};

struct server {
    pthread_mutex_t lock;
    struct pool pool;
};

static void *tune(void *argument)
{
    struct server *server = argument;
    for (int i = 0; i < 50; i++) {
        struct limits *limits = &server->pool.limits;
        pthread_mutex_lock(&server->lock);
        limits->soft = i;                          //~ soft: no-race -- the outer lock; locks{server->lock}
        server->pool.limits.hard = 2 * i;          //~ hard: no-race -- the outer lock; locks{server->lock}
        server->pool.size = server->pool.limits.soft; //~ size: no-race -- the outer lock; locks{server->lock}
        pthread_mutex_unlock(&server->lock);
    }
    return NULL;
}

int main(void)
{
    static struct server server = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, tune, &server);
    pthread_create(&two, NULL, tune, &server);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
