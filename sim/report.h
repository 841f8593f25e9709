/*
 * report.h - sums over a run; text and JSON are two faces of the same numbers.
 */
#ifndef REPORT_H
#define REPORT_H

#include "check.h"
#include "launch.h"
#include "sim.h"

#include <stdio.h>

enum { REPORT_SCHEMA = 1, REPORT_OUTPUTS = LAUNCH_ARGS, REPORT_PATHS = 24, REPORT_INSNS = 64 };

/* Outcome of one output argument. */
struct report_output {
	char name[48], golden[512], file[512];
	struct array array;           /* dtype and shape; data may be NULL */
	bool compared;
	struct tolerance tolerance;
	struct compare compare;
};

struct report_pipe {
	bool present;
	double min, mean, max;        /* busy share of the run's cycles over the cores that worked */
	int64_t cause[CAUSE_COUNT];   /* of the core that finished last */
	uint64_t ops;                 /* all cores */
};

/* Cores of one kind. */
struct report_kind {
	unsigned kind;
	int cores, last_core;         /* last_core: the one that finished last */
	struct report_pipe pipe[PIPE_COUNT];
};

struct report_path { enum isa_space from, to; uint64_t bytes; };
struct report_insn { enum isa_id id; uint64_t count; };

struct report {
	char kernel[512], entry[64], chip[64];
	int64_t blocks, cycles, clock_mhz;
	int cores;
	bool timing_only;
	int n_kind;
	struct report_kind kind[2];
	uint64_t macs;
	double mac_share;             /* cube steps done / cube steps possible, cores in use */
	uint64_t gm_bytes, hbm_bytes, l2_hit_bytes, l2_miss_bytes;
	double hbm_share, l2_share;   /* of the chip's bandwidth over the run */
	int n_path;
	struct report_path path[REPORT_PATHS];
	int n_insn;
	struct report_insn insn[REPORT_INSNS];
	uint64_t ops, rv_insns, icache_misses, dcache_misses;
	int n_note;
	char note[16][256];
	int n_output;
	struct report_output output[REPORT_OUTPUTS];
	char bottleneck[400];
	const struct check_result *check; /* NULL: nothing was checked beyond what ends a run */
	double wall_seconds;          /* printed on stderr only, never in a report */
};

/* Fill from a finished run; outputs are the caller's. */
void report_make(struct report *r, const struct sim *s);
void report_text(const struct report *r, FILE *out);
bool report_json(const struct report *r, FILE *out, struct fail *f) SIM_MUST_CHECK;
/* "12 345 678" */
const char *report_number(int64_t v, char text[32]);
bool report_passed(const struct report *r);

#endif
