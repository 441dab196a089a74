// The writer changes the configuration that readers have, instead of a copy: the read side keeps nobody from writing.
// not-runnable: read-copy-update is the kernel's.
#include <pthread.h>

void rcu_read_lock(void);
void rcu_read_unlock(void);

struct configuration {
    int limit;
};

static struct configuration configuration, *current = &configuration;
static pthread_mutex_t update_lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *argument)
{
    rcu_read_lock();
    struct configuration *found = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    int limit = found->limit; //~ read: race(change) (unconfirmed -- the program cannot be run)
    rcu_read_unlock();
    return limit < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reader, NULL);
    pthread_mutex_lock(&update_lock);
    current->limit = 2; //~ change: locks{update_lock}
    pthread_mutex_unlock(&update_lock);
    pthread_join(thread, NULL);
    return 0;
}
