// Readers use the configuration that they find; the writer replaces it and waits for them before it frees the old one.
// not-runnable: read-copy-update is the kernel's.
#include <pthread.h>
#include <stdlib.h>

void rcu_read_lock(void);
void rcu_read_unlock(void);
void synchronize_rcu(void);

struct configuration {
    int limit;
};

static struct configuration *current;
static pthread_mutex_t update_lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *argument)
{
    rcu_read_lock();
    struct configuration *found = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    int limit = found ? found->limit : 0; //~ read: no-race -- filled before it was published, freed after all readers are gone
    rcu_read_unlock();
    return limit < 0 ? argument : NULL;
}

static void replace(int limit)
{
    struct configuration *new = malloc(sizeof *new);
    new->limit = limit; //~ fill: no-race -- not published yet
    pthread_mutex_lock(&update_lock);
    struct configuration *old = __atomic_exchange_n(&current, new, __ATOMIC_ACQ_REL);
    pthread_mutex_unlock(&update_lock);
    synchronize_rcu();
    free(old); //~ done: no-race -- readers that found it are gone
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, reader, NULL);
    pthread_create(&two, NULL, reader, NULL);
    replace(1);
    replace(2);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
