// Double-checked locking with a plain pointer: the first check races with the publication.
#include <pthread.h>

struct registry {
    int ready;
    int entries[8];
};

static pthread_mutex_t create_lock = PTHREAD_MUTEX_INITIALIZER;
static struct registry storage, *instance;

static struct registry *registry(void)
{
    if (instance == NULL) { //~ check: race(publish); locks{}
        pthread_mutex_lock(&create_lock);
        if (instance == NULL) { //~ recheck: no-race -- under the same lock as the write; locks{create_lock}
            for (int i = 0; i < 8; i++)
                storage.entries[i] = i; //~ init: race(use); locks{create_lock}
            instance = &storage; //~ publish: race(give); locks{create_lock}
        }
        pthread_mutex_unlock(&create_lock);
    }
    return instance; //~ give: locks{}
}

static void *user(void *argument)
{
    struct registry *found = registry();
    for (int i = 0; i < 50; i++)
        *(int *)argument += found->entries[i % 8]; //~ use: locks{}
    return NULL;
}

int main(void)
{
    static int sums[4];
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, user, &sums[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
