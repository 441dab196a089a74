// RELAY's conditional locking: the lock is held exactly when the lookup returns something.
#include <pthread.h>
#include <stddef.h>

struct area {
    int used[8];
};

static pthread_mutex_t swap_lock = PTHREAD_MUTEX_INITIALIZER;
static struct area area;

static struct area *area_get(unsigned entry)
{
    if (entry == 0)
        return NULL;
    pthread_mutex_lock(&swap_lock);
    return &area;
}

static void swap_free(unsigned entry)
{
    struct area *found = area_get(entry);
    if (found != NULL) {
        found->used[entry % 8]--; //~ free: no-race -- the lock comes with the result; locks{swap_lock}
        pthread_mutex_unlock(&swap_lock);
    }
}

static void *worker(void *argument)
{
    for (unsigned entry = 100; entry-- > 0;)
        swap_free(entry % 10);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, worker, NULL);
    pthread_create(&two, NULL, worker, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
