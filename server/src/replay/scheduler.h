/* Lets threads pass marked places in the order of an interleaving. Written by `racelens verify --replay`. */
#ifndef RACELENS_REPLAY_H
#define RACELENS_REPLAY_H

/* `(*(racelens_step(3), &(place)))` is the place, and `(racelens_step(3), (value))` the value, with the step before it. */
void racelens_step(int site);

#endif
