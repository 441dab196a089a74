// One helper, two callers: the second one calls it without the lock that the first one holds.
#include <pthread.h>

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;
static int used;

static void reserve_slot(void)
{
    used++; //~ w: race(self); locks{table_lock}; locks{}
}

static void *careful(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&table_lock);
        reserve_slot();
        pthread_mutex_unlock(&table_lock);
    }
    return NULL;
}

static void *careless(void *argument)
{
    (void)argument;
    for (int i = 0; i < 100; i++)
        reserve_slot();
    return NULL;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, careful, NULL);
    pthread_create(&two, NULL, careless, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
