// The interface of a cache that exports its counter and an inline shortcut to it.
#ifndef CACHE_H
#define CACHE_H

extern int cache_hits;

void cache_touch(void);

static inline int cache_is_warm(void)
{
    return cache_hits > 10; //~ peek: race(touch); locks{}
}

#endif
