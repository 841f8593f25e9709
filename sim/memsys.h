/*
 * memsys.h - HBM and L2 shared by all cores (design D6).
 *
 * A GM transfer is a flow: a volume, a rate it can reach alone, and a share of its bytes that goes to HBM. Active flows
 * share two capacities max-min fairly: L2 (all bytes) and HBM (missed lines, and the time that hits keep misses
 * waiting); flows that read from one place share the requests that it answers. Dirty lines that are pushed out leave
 * beside the flows, spread over average_cycles. Rates change when a flow starts or ends, and while dirty lines leave. All
 * arithmetic is in integers: bytes and bytes/cycle are kept in 1/65536.
 *
 *   alone = issue + longest of (bytes / rate, requests * request, waiting for missed lines beyond the window, least)
 *
 * Misses: a core waits for a window of them at once, so that a long row of misses moves a window per miss latency; the
 * latency grows with what other cores took of HBM within average_cycles. L2 writes back; a line has valid parts of
 * request_least bytes. A read fetches the parts it needs; at a ragged end of a stretch of lines the whole line.
 */
#ifndef MEMSYS_H
#define MEMSYS_H

#include "chip.h"
#include "op.h"

enum { MEMSYS_FLOWS = 1024, MEMSYS_CORES = 512, MEM_BLOCK_BYTES = 32 };
#define MEMSYS_NEVER INT64_MAX

/* What the path of a transfer does to it, from the chip; windows: 0 = none. */
struct mem_path {
	int64_t rate_milli, request_milli, issue_cycles, least_cycles, hit_latency_cycles, window_miss_cycles;
	int64_t window_bytes, window_requests;
	int64_t cube_granule; /* bytes of an answer of L2 to a cube core; 0 = not a read by one */
	enum { MEM_CUT_LINES, MEM_CUT_ND2NZ, MEM_CUT_FIXPIPE } cut; /* how rows become requests, see memsys.c */
	bool bypass;          /* reads leave nothing in L2 */
};

/* HBM time asked for lately, 1/65536 byte: it fades within average_cycles. */
struct mem_load { int64_t level, at; };

/* Missed bytes or requests under way of one pipe: they drain at a window per miss latency. */
struct mem_window { int64_t level, at; };

struct flow {
	bool active, write;
	int core, pipe;
	int peers;            /* flows that read from the same place, itself included */
	uint64_t place;       /* its first address in units of same_span */
	int64_t alone, loaded; /* cycles it would take alone, and more of them because others use HBM */
	int64_t start;        /* cycle */
	int64_t volume, left; /* 1/65536 byte */
	int64_t own, max, rate; /* 1/65536 byte per cycle: alone, with peers, now */
	int64_t requests;
	int64_t hbm_share;    /* of HBM's time, in HBM bytes per byte of volume, 1/65536 */
	int64_t wait;         /* cycles of latency because others use L2 and HBM */
	int64_t end;          /* at the current rate */
	bool missed;          /* some line was not in L2 */
	enum { FLOW_FREE, FLOW_L2, FLOW_HBM } limit; /* what keeps it below its own limit now */
	int64_t l2_cycles, hbm_cycles; /* time spent so */
};

struct memsys {
	const struct chip *chip;
	int64_t l2_cap, hbm_cap; /* 1/65536 byte per cycle */
	struct mem_window window[MEMSYS_CORES][PIPE_COUNT];
	struct mem_load load, core_load[MEMSYS_CORES];
	int n_active;
	int active[MEMSYS_FLOWS]; /* indices, in order of start */
	struct flow flow[MEMSYS_FLOWS];
	int64_t now;              /* flows are advanced to here */
	int64_t owed, back_rate;  /* dirty lines on their way to HBM: 1/65536 byte of its time, and of it per cycle */
	int64_t look_again;       /* cycle at which rates change though no flow starts or ends */
	/* L2 tags: sets * ways, newest first within a set */
	int64_t sets, ways;
	uint64_t *tag;            /* line number + 1, 0 = empty; valid parts from bit 44; dirty in the top bit */
	uint64_t requests[MEMSYS_CORES][2][2]; /* to lines of L2, [read, write][miss, hit]; partly missed is missed */
	uint64_t l2_hit_bytes, l2_miss_bytes, hbm_read_bytes, hbm_write_bytes, l2_bytes;
};

bool memsys_init(struct memsys *m, const struct chip *chip, struct fail *f) SIM_MUST_CHECK;
void memsys_free(struct memsys *m);

/* Start a flow at cycle now. Returns its number; -1 when the table is full (an internal error). */
int memsys_start(struct memsys *m, int64_t now, int core, int pipe, const struct gm_transfer *t,
		 const struct mem_path *path);

/* Cycle at which a flow ends or rates change, MEMSYS_NEVER when none. */
int64_t memsys_next(const struct memsys *m);

/* Advance to `now`; the next flow that has ended by then, -1 when none. The caller takes core, pipe, times from
 * flow[i] and calls again. Flows that end at one cycle come in order of core and pipe. */
int memsys_ended(struct memsys *m, int64_t now);

/* Cycles the flow would have taken alone. */
int64_t memsys_alone_cycles(const struct flow *f);

/* Of `lost` cycles, those that HBM took rather than L2. */
int64_t memsys_lost_to_hbm(const struct flow *f, int64_t lost);

#endif
