// The interface of a cache whose lock stays inside its own file.
#ifndef CACHE_H
#define CACHE_H

void cache_store(int key, int value);
int cache_load(int key);

#endif
