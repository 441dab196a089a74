// The shop opens before its stock is there.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int opened, stock;

static void open_locked(void)
{
    opened = 1; //~ set: no-race -- under the mutex; locks{mutex}
    pthread_cond_broadcast(&changed);
}

static void await_locked(void)
{
    while (!opened) //~ check: no-race -- under the mutex; locks{mutex}
        pthread_cond_wait(&changed, &mutex);
}

static void *shopkeeper(void *argument)
{
    pthread_mutex_lock(&mutex);
    open_locked();
    pthread_mutex_unlock(&mutex);
    stock = 12; //~ w: race(r); locks{}
    return argument;
}

static void *customer(void *argument)
{
    pthread_mutex_lock(&mutex);
    await_locked();
    pthread_mutex_unlock(&mutex);
    usleep(1000);
    *(int *)argument = stock; //~ r: locks{}
    return NULL;
}

int main(void)
{
    int seen[2] = { 0, 0 };
    pthread_t keeper, one, two;
    pthread_create(&one, NULL, customer, &seen[0]);
    pthread_create(&two, NULL, customer, &seen[1]);
    pthread_create(&keeper, NULL, shopkeeper, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    pthread_join(keeper, NULL);
    return 0;
}
