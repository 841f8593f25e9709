/*
 * why_live.h - which bytes of a core's memories hold data that will still be read: occupancy over time.
 *
 * A memory is watched in granules of 512 bytes. A granule lives from a write to the last read before the next write.
 */
#ifndef WHY_LIVE_H
#define WHY_LIVE_H

#include "sim.h"

enum { LIVE_BINS = 64, LIVE_GRANULE = 512 };

struct live_granule { int64_t written, read; uint32_t writes, reads; int64_t lived; };

struct live_space {
	uint32_t n;                    /* granules; 0 = the core does not have it */
	struct live_granule *granule;
	int64_t bin[LIVE_BINS];        /* granule-cycles lived in each stretch of time */
};

struct live {
	bool open;
	int core;
	int64_t bin_cycles;            /* doubles while the run grows */
	struct live_space space[SPACE_COUNT];
};

bool live_open(struct live *l, const struct sim *s, int core, struct fail *f) SIM_MUST_CHECK;
void live_event(struct live *l, const struct event *e);
/* Close all lives at the end of the run. */
void live_end(struct live *l);
void live_close(struct live *l);

#endif
