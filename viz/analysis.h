/*
 * analysis.h - numbers that panels show: where a core's cycles went, statistics of a stretch of time, the critical path, where
 * to look first, what the buffers hold at a cycle.
 */
#ifndef VIZ_ANALYSIS_H
#define VIZ_ANALYSIS_H

#include "../sim/chip.h"
#include "model.h"

/* Cycles of one core by pipe and cause. Exact from the file's totals; while a run is live, or was cut off, from the rows,
 * and what they do not explain is `rest`. */
struct core_time {
	bool present[VTR_PIPES];
	int64_t cause[VTR_PIPES][VTR_CAUSES], busy[VTR_PIPES], rest[VTR_PIPES], total;
};
void analysis_core(const struct model *m, uint32_t core, struct core_time *t);

/* Where to look first: the core that ended last, its pipe that works most, and what that pipe lost most cycles to (n_cause:
 * nothing). What it means is for the report to say (vtr_findings). */
struct focus { uint32_t core, pipe, cause; };
uint32_t analysis_last_core(const struct model *m);
void analysis_focus(const struct model *m, struct focus *v);

/* What a lane did in [from, to). */
struct range_stat { uint64_t n, work; int64_t busy, stall, idle, cause[VTR_CAUSES]; };
void analysis_range(const struct model *m, const struct lane *l, int64_t from, int64_t to, struct range_stat *r);

/* The chain of instructions that made the run as long as it is, from the last one back, to be marked on the lanes. via: how it
 * hangs on the next-earlier one of the chain. Its shares in cycles are the report's to say (vtr_findings). */
enum path_via { PATH_FLAG, PATH_PIPE, PATH_QUEUE, PATH_SCALAR, PATH_START };
struct path_step { uint32_t lane, row; enum path_via via; };
struct path {
	struct path_step *step;
	uint64_t *key;       /* lane << 32 | row of the steps, sorted */
	uint32_t n;
};
bool analysis_path(const struct model *m, uint32_t core, struct path *p);
void path_free(struct path *p);
bool path_has(const struct path *p, uint32_t lane, uint32_t row);

/* Buffers of a core around a cycle: each in MAP_CELLS cells. */
enum { MAP_CELLS = 512, MAP_BLOCKS = 24 };
enum map_state { MAP_NEVER, MAP_STALE, MAP_LIVE, MAP_READ, MAP_WRITE, MAP_CONFLICT, MAP_STATES };
struct buffer_map {
	bool present, whole; /* whole: all of the run was looked at, not only its part near the cycle */
	int64_t bytes;
	uint8_t cell[MAP_CELLS];
	int n_now;           /* accesses under way */
	struct { uint32_t lane, row; bool write; uint64_t addr, extent; } now[12];
};
bool analysis_buffers(const struct model *m, const struct chip *chip, uint32_t core, int64_t cycle,
		      struct buffer_map map[VTR_SPACES]);

/* Points of the roofline, per cycle of the whole chip. False when the chip's config is not known. */
struct roofline { double peak, hbm, l2, ops, intensity; const char *unit; };
bool analysis_roofline(const struct model *m, const struct chip *chip, struct roofline *r);

/* Bytes that pipe `pipe` of all cores moved in [from, to). */
double analysis_bytes(const struct model *m, uint32_t pipe, double from, double to);

#endif
