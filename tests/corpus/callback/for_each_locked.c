// An iterator calls back with the table's lock held; the callback itself locks nothing.
#include <pthread.h>

#define ENTRIES 8

struct table {
    pthread_mutex_t lock;
    int values[ENTRIES];
};

typedef void visitor(int *value, void *context);

static void for_each(struct table *table, visitor *visit, void *context)
{
    pthread_mutex_lock(&table->lock);
    for (int i = 0; i < ENTRIES; i++)
        visit(&table->values[i], context);
    pthread_mutex_unlock(&table->lock);
}

static void increment(int *value, void *context)
{
    (void)context;
    (*value)++; //~ bump: no-race -- for_each holds the lock while it calls back
}

static void add_up(int *value, void *context)
{
    *(long *)context += *value; //~ sum: no-race -- for_each holds the lock while it calls back
}

static void *worker(void *argument)
{
    long sum = 0;
    for (int i = 0; i < 20; i++) {
        for_each(argument, increment, NULL);
        for_each(argument, add_up, &sum);
    }
    return NULL;
}

int main(void)
{
    static struct table table = { .lock = PTHREAD_MUTEX_INITIALIZER };
    pthread_t one, two;
    pthread_create(&one, NULL, worker, &table);
    pthread_create(&two, NULL, worker, &table);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
