// A stock without its lock: each file has a static one of the same name.
#ifndef STOCK_H
#define STOCK_H

extern int stock;

void *fill_stock(void *argument);

#endif
