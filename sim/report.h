/*
 * report.h - sums over a run; text and JSON are two faces of the same numbers.
 */
#ifndef REPORT_H
#define REPORT_H

#include "check.h"
#include "launch.h"
#include "sim.h"
#include "why_find.h"

#include <stdio.h>

enum { REPORT_SCHEMA = 2, REPORT_OUTPUTS = LAUNCH_ARGS, REPORT_PATHS = 24, REPORT_INSNS = 64 };

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

/* A line of the kernel's source; cycles are sums over all cores, those of `path` of the critical path. */
struct report_line {
	const char *file;             /* as debug info has it; lives as long as the program */
	int line, program;
	uint64_t pc;                  /* of its instruction with the most of the path */
	int64_t pc_path;
	uint64_t calls;               /* Da Vinci instructions executed */
	int64_t path, issue, held, empty, stall, busy, bank, bandwidth;
	int64_t cause[CAUSE_COUNT];   /* of stall and held, by cause */
};

/* The same for one static instruction. */
struct report_site { uint64_t pc; int program; uint32_t word; enum isa_id id; };

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
	char bottleneck[400];         /* one sentence */
	int n_finding;
	struct finding finding[FINDINGS];
	int64_t path_part[PIPE_COUNT][PART_COUNT], path_known;
	int path_core;                /* where the path ends */
	uint64_t path_links, path_hop[PIPE_COUNT][PIPE_COUNT]; /* hop: through flags, [src][dst] */
	const struct program *text[2];
	int n_line;
	struct report_line *line;     /* most of the critical path first; freed by report_free */
	uint64_t least_bytes;         /* inputs read once, outputs written once; 0 = unknown */
	const struct check_result *check; /* NULL: nothing was checked beyond what ends a run */
	bool all_findings;            /* print those that follow from another in full too */
	double wall_seconds;          /* printed on stderr only, never in a report */
};

/* Cycles that a pipe was taken, whatever slowed it. */
int64_t report_busy(const int64_t cause[CAUSE_COUNT]);
/* Fill from a finished run; outputs are the caller's. */
void report_make(struct report *r, const struct sim *s);
void report_text(const struct report *r, FILE *out);
/* "12 345 678" */
const char *report_number(int64_t v, char text[32]);
/* report_why.c: counters per line and the critical path into the report. */
bool report_lines(struct report *r, const struct why *w, const struct why_path *p, struct fail *f) SIM_MUST_CHECK;
/* Critical path, findings, lines of a run that came to its end. measure: replaces the findings' estimated gains; or NULL. */
bool report_reasons(struct report *r, const struct why *w, bool (*measure)(void *user, struct find *k, struct fail *f),
		    void *user, struct fail *f) SIM_MUST_CHECK;
void report_free(struct report *r);
bool report_passed(const struct report *r);

#endif
