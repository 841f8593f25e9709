/*
 * snapshot.h - the state of a running simulation, written out and put back into the same simulation: for going back in time
 * without running it all again. State is plain data at places that do not move during a run; what moves is treated by name.
 *
 * What listens to the run is not part of it, but for the analysis of its time (why.h), which has to count on from there.
 */
#ifndef SNAPSHOT_H
#define SNAPSHOT_H

#include "why.h"

struct snapshot;

/* Between two calls of sim_advance. NULL when memory is short, when more than max_bytes would be kept, or when the analysis has
 * begun to forget. Pages of zeros take no memory. */
struct snapshot *snapshot_take(struct sim *s, struct why *w, size_t max_bytes);
/* Into the simulation and the analysis that it was taken from. False without memory: nothing has changed. */
bool snapshot_put_back(const struct snapshot *x, struct sim *s, struct why *w) SIM_MUST_CHECK;
size_t snapshot_bytes(const struct snapshot *x);
void snapshot_free(struct snapshot *x);

#endif
