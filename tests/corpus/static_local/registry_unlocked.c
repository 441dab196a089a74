// A function hands out its static registry; one caller does not take the lock inside it.
#include <pthread.h>

struct registry {
    pthread_mutex_t lock;
    int count;
};

static struct registry *registry(void)
{
    static struct registry instance = { PTHREAD_MUTEX_INITIALIZER, 0 };
    return &instance;
}

static void *adder(void *argument)
{
    for (int i = 0; i < 200; i++) {
        struct registry *all = registry();
        pthread_mutex_lock(&all->lock);
        all->count++; //~ add: locks{all->lock}
        pthread_mutex_unlock(&all->lock);
    }
    return argument;
}

static void *watcher(void *argument)
{
    int most = 0;
    for (int i = 0; i < 200; i++) {
        struct registry *all = registry();
        most += all->count; //~ look: race(add); locks{}
    }
    return most < 0 ? argument : NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, adder, NULL);
    pthread_create(&two, NULL, watcher, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
