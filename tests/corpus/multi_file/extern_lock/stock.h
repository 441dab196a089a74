// A stock and its lock, both defined in one file and used in two.
#ifndef STOCK_H
#define STOCK_H

#include <pthread.h>

extern pthread_mutex_t stock_lock;
extern int stock;

void *fill_stock(void *argument);

#endif
