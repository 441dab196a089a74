/* Lets threads pass marked places in the order of an interleaving. Written by `racelens verify --replay`. */
#ifndef RACELENS_REPLAY_H
#define RACELENS_REPLAY_H

void racelens_step(int site);

/* The step comes before the place is used, which can still be assigned to. */
#define RACELENS_PLACE(site, place) (*(racelens_step(site), &(place)))
/* The step comes before the expression is evaluated. */
#define RACELENS_FIRST(site, ...) (racelens_step(site), (__VA_ARGS__))

#endif
