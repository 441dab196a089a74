// The error path releases the lock first and counts the rejection afterwards.
#include <pthread.h>

struct store {
    pthread_mutex_t lock;
    int used, capacity, rejected;
};

static int reserve(struct store *store, int amount)
{
    pthread_mutex_lock(&store->lock);
    if (store->used + amount > store->capacity) { //~ test: no-race -- the store's lock; locks{store->lock}
        pthread_mutex_unlock(&store->lock);
        store->rejected++; //~ w: race(self); locks{}
        return -1;
    }
    store->used += amount; //~ use: no-race -- the store's lock; locks{store->lock}
    pthread_mutex_unlock(&store->lock);
    return 0;
}

static void *client(void *argument)
{
    int failed = 0;
    for (int i = 0; i < 100; i++)
        failed += reserve(argument, 3) != 0;
    return NULL;
}

int main(void)
{
    static struct store store = { .lock = PTHREAD_MUTEX_INITIALIZER, .capacity = 60 };
    pthread_t one, two;
    pthread_create(&one, NULL, client, &store);
    pthread_create(&two, NULL, client, &store);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
