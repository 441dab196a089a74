// Defines the stock and fills it.
#include "stock.h"

pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
int stock;

void *fill_stock(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&stock_lock);
        stock += 2; //~ fill: no-race -- one lock for both files; locks{stock_lock}
        pthread_mutex_unlock(&stock_lock);
    }
    return argument;
}
