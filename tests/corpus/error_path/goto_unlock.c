// Every way out of the function passes the label that releases the lock.
#include <pthread.h>

struct store {
    pthread_mutex_t lock;
    int used, capacity, rejected;
};

static int reserve(struct store *store, int amount)
{
    int result = -1;
    pthread_mutex_lock(&store->lock);
    if (amount <= 0)
        goto out;
    if (store->used + amount > store->capacity) { //~ test: no-race -- the store's lock; locks{store->lock}
        store->rejected++;                        //~ reject: no-race -- the store's lock; locks{store->lock}
        goto out;
    }
    store->used += amount; //~ use: no-race -- the store's lock; locks{store->lock}
    result = 0;
out:
    pthread_mutex_unlock(&store->lock);
    return result;
}

static void *client(void *argument)
{
    int failed = 0;
    for (int i = 0; i < 50; i++)
        failed += reserve(argument, i % 5) != 0;
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
    return store.used > store.capacity;
}
