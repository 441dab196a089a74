// Double-checked locking done right: the pointer is published with release and read with acquire.
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct registry {
    int entries[8];
};

static pthread_mutex_t create_lock = PTHREAD_MUTEX_INITIALIZER;
static struct registry *_Atomic instance;

static struct registry *registry(void)
{
    struct registry *found = atomic_load_explicit(&instance, memory_order_acquire);
    if (found == NULL) {
        pthread_mutex_lock(&create_lock);
        found = atomic_load_explicit(&instance, memory_order_relaxed);
        if (found == NULL) {
            found = malloc(sizeof *found);
            for (int i = 0; i < 8; i++)
                found->entries[i] = i; //~ init: no-race -- before the release store; locks{create_lock}
            atomic_store_explicit(&instance, found, memory_order_release);
        }
        pthread_mutex_unlock(&create_lock);
    }
    return found;
}

static void *user(void *argument)
{
    for (int i = 0; i < 50; i++)
        *(int *)argument += registry()->entries[i % 8]; //~ r: no-race -- after the acquire load; locks{}
    return NULL;
}

int main(void)
{
    int sums[2] = { 0, 0 };
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, user, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    free(instance);
    return 0;
}
