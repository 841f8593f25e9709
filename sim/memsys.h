/*
 * memsys.h - HBM and L2 shared by all cores (design D6).
 *
 * A GM transfer is a flow: a volume, a rate it can reach alone, and a share of its bytes that goes to HBM. Active flows
 * share two capacities, L2 (all bytes) and HBM (missed lines, and dirty lines they push out), max-min fairly. Rates change
 * only when a flow starts or ends. All arithmetic is in integers: bytes and bytes/cycle are kept in 1/65536.
 */
#ifndef MEMSYS_H
#define MEMSYS_H

#include "chip.h"
#include "op.h"

enum { MEMSYS_FLOWS = 1024 };
#define MEMSYS_NEVER INT64_MAX

struct flow {
	bool active;
	int core, pipe;
	int64_t start;        /* cycle */
	int64_t volume, left; /* 1/65536 byte */
	int64_t max, rate;    /* 1/65536 byte per cycle */
	int64_t hbm_share;    /* HBM bytes per byte of volume, 1/65536 */
	int64_t end;          /* at the current rate */
	bool missed;          /* some line was not in L2 */
	enum { FLOW_FREE, FLOW_L2, FLOW_HBM } limit; /* what keeps it below its own limit now */
	int64_t l2_cycles, hbm_cycles; /* time spent so */
};

struct memsys {
	const struct chip *chip;
	int64_t l2_cap, hbm_cap;  /* 1/65536 byte per cycle */
	int n_active;
	int active[MEMSYS_FLOWS]; /* indices, in order of start */
	struct flow flow[MEMSYS_FLOWS];
	int64_t now;              /* flows are advanced to here */
	/* L2 tags: sets * ways, newest first within a set */
	int64_t sets, ways;
	uint64_t *tag;            /* line number + 1, 0 = empty; dirty in the top bit */
	uint64_t l2_hit_bytes, l2_miss_bytes, hbm_read_bytes, hbm_write_bytes, l2_bytes;
};

bool memsys_init(struct memsys *m, const struct chip *chip, struct fail *f) SIM_MUST_CHECK;
void memsys_free(struct memsys *m);

/* Start a flow at cycle now. rate: what the path reaches alone, 1/1000 byte per cycle; volume_bytes: bytes to charge (at
 * least the transfer's; rounded pieces). Returns its number; -1 when the table is full (an internal error). */
int memsys_start(struct memsys *m, int64_t now, int core, int pipe, const struct gm_transfer *t, int64_t rate_milli,
		 int64_t volume_bytes);

/* Cycle of the next flow end, MEMSYS_NEVER when none. */
int64_t memsys_next(const struct memsys *m);

/* Advance to `now`; the next flow that has ended by then, -1 when none. The caller takes core, pipe, times from
 * flow[i] and calls again. Flows that end at one cycle come in order of core and pipe. */
int memsys_ended(struct memsys *m, int64_t now);

/* Cycles the flow would have taken alone. */
int64_t memsys_alone_cycles(const struct flow *f);

/* Of `lost` cycles, those that HBM took rather than L2. */
int64_t memsys_lost_to_hbm(const struct flow *f, int64_t lost);

#endif
