// A guard remembers which mutex it took; one caller gives it the wrong one.
#include <pthread.h>

struct guard {
    pthread_mutex_t *mutex;
};

struct store {
    pthread_mutex_t lock, index_lock;
    int items;
};

static struct guard guard_take(pthread_mutex_t *mutex)
{
    struct guard guard = { mutex };
    pthread_mutex_lock(guard.mutex);
    return guard;
}

static void guard_drop(struct guard *guard)
{
    pthread_mutex_unlock(guard->mutex);
}

static void *producer(void *argument)
{
    struct store *store = argument;
    for (int i = 0; i < 200; i++) {
        struct guard guard = guard_take(&store->lock);
        store->items++; //~ put: locks{store->lock}
        guard_drop(&guard);
    }
    return NULL;
}

static void *consumer(void *argument)
{
    struct store *store = argument;
    for (int i = 0; i < 200; i++) {
        struct guard guard = guard_take(&store->index_lock);
        store->items--; //~ take: race(put); locks{store->index_lock}
        guard_drop(&guard);
    }
    return NULL;
}

static struct store store = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .index_lock = PTHREAD_MUTEX_INITIALIZER,
};

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, producer, &store);
    pthread_create(&two, NULL, consumer, &store);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
