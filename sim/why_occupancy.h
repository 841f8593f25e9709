/*
 * why_occupancy.h - which bytes of a core's memories hold data that will still be read: occupancy over time.
 *
 * A memory is watched in granules of 512 bytes. A granule lives from a write to the last read before the next write.
 */
#ifndef WHY_OCCUPANCY_H
#define WHY_OCCUPANCY_H

#include "sim.h"

enum { OCCUPANCY_BINS = 64, OCCUPANCY_GRANULE = 512 };

struct occupancy_granule { int64_t written, read; uint32_t writes, reads; int64_t lived; };

struct occupancy_space {
	uint32_t n;                    /* granules; 0 = the core does not have it */
	struct occupancy_granule *granule;
	int64_t bin[OCCUPANCY_BINS];        /* granule-cycles lived in each stretch of time */
};

struct occupancy {
	bool open;
	int core;
	int64_t bin_cycles;            /* doubles while the run grows */
	struct occupancy_space space[SPACE_COUNT];
};

bool occupancy_open(struct occupancy *l, const struct sim *s, int core, struct fail *f) SIM_MUST_CHECK;
void occupancy_event(struct occupancy *l, const struct event *e);
/* Close all lives at the end of the run. */
void occupancy_end(struct occupancy *l);
void occupancy_close(struct occupancy *l);

#endif
