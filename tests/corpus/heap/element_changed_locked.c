// A growing array: an element is found and changed under the lock of the array.
#include <pthread.h>
#include <stdlib.h>

struct array {
    pthread_mutex_t lock;
    size_t length;
    long *items;
};

static struct array *new_array(size_t length)
{
    struct array *array = calloc(1, sizeof *array);
    pthread_mutex_init(&array->lock, NULL);
    array->items = calloc(length, sizeof *array->items);
    array->length = length;
    return array;
}

static long *item(struct array *array, size_t index)
{
    return &array->items[index % array->length];
}

static void *worker(void *argument)
{
    struct array *array = argument;
    for (size_t i = 0; i < 100; i++) {
        pthread_mutex_lock(&array->lock);
        long *at = item(array, i);
        *at += 1; //~ change: no-race -- the lock of the array; locks{array->lock}
        pthread_mutex_unlock(&array->lock);
    }
    return NULL;
}

int main(void)
{
    struct array *array = new_array(8);
    pthread_t one, two;
    pthread_create(&one, NULL, worker, array);
    pthread_create(&two, NULL, worker, array);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
