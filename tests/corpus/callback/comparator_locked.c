// The comparison function of qsort counts its calls under a lock.
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long comparisons;

static int by_value(const void *left, const void *right)
{
    pthread_mutex_lock(&count_lock);
    comparisons++; //~ count: no-race -- the lock of the count; locks{count_lock}
    pthread_mutex_unlock(&count_lock);
    return *(const int *)left - *(const int *)right;
}

static void *sorter(void *argument)
{
    int values[16];
    for (int i = 0; i < 16; i++)
        values[i] = i * 7 % 16;
    qsort(values, 16, sizeof values[0], by_value);
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, sorter, NULL);
    pthread_create(&two, NULL, sorter, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
