// A lock from a table is passed around as a void pointer; giving it back gives back no other lock.
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static pthread_mutex_t *item_locks;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static long listed;

static void *lock_item(unsigned hash)
{
    pthread_mutex_t *lock = &item_locks[hash & 3];
    return pthread_mutex_trylock(lock) == 0 ? lock : NULL;
}

static void unlock_item(void *lock)
{
    pthread_mutex_unlock((pthread_mutex_t *)lock);
}

static void *crawler(void *argument)
{
    void *held = NULL;
    for (unsigned i = 0; i < 50; i++) {
        pthread_mutex_lock(&list_lock);
        held = lock_item(i);
        if (held != NULL)
            unlock_item(held);
        listed++; //~ count: no-race -- the list's lock is still held; locks{list_lock}
        pthread_mutex_unlock(&list_lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    item_locks = calloc(4, sizeof *item_locks);
    for (int i = 0; i < 4; i++)
        pthread_mutex_init(&item_locks[i], NULL);
    pthread_create(&one, NULL, crawler, NULL);
    pthread_create(&two, NULL, crawler, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    free(item_locks);
    return 0;
}
