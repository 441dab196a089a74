// Empties the stock that the other file fills.
#include "stock.h"

#include <stddef.h>

static void *empty_stock(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&stock_lock);
        if (stock > 0) //~ any: no-race -- one lock for both files; locks{stock_lock}
            stock--;   //~ empty: no-race -- one lock for both files; locks{stock_lock}
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
