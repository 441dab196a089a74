// Empties the stock under this file's own lock, which is another object than that of stock.c.
#include "stock.h"

#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;

static void *empty_stock(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&stock_lock);
        stock--; //~ empty: race(fill); locks{stock_lock}
        pthread_mutex_unlock(&stock_lock);
    }
    return argument;
}

int main(void)
{
    pthread_t one, two;
    pthread_create(&one, NULL, fill_stock, NULL);
    pthread_create(&two, NULL, empty_stock, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
