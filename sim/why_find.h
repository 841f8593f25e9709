/*
 * why_find.h - findings: what cost time, with the evidence, the place and what to try; what saves most first.
 *
 * Each why_find_*.c looks for one family and adds what it sees. `gain` is what the fix can save at most, in cycles of
 * the run: first an estimate from the critical path, then, where a what-if run can tell, that run's answer.
 */
#ifndef WHY_FIND_H
#define WHY_FIND_H

#include "why.h"

enum { FINDINGS = 10 };

struct finding {
	char id[32];          /* stable name: "single buffer" */
	char what[480];       /* what was seen, with cycles */
	char attempt[320];    /* what to try */
	char place[200];      /* source line, or empty */
	char what_if[96];     /* change that removes it, or empty */
	int64_t gain;         /* at most; cycles of the run */
	int64_t cost;         /* cycles that were lost, on the critical path or not; keeps a finding that gains nothing alone */
	bool measured;        /* gain is a what-if run's */
	int program;          /* where it shows: instruction `word` of it, UINT32_MAX = no single one */
	uint32_t word;
	uint32_t cause;       /* enum cause that carries it, CAUSE_COUNT = no single one */
};

struct find {
	const struct why *why;
	const struct why_path *path;
	const struct sim *sim;
	const struct core *last;     /* the core that finished last */
	int program;                 /* what it ran */
	const struct program *text;
	const struct why_site *site; /* its counters */
	int cores;                   /* cores of its kind that had work */
	int64_t cycles, launch;      /* of the run; of them launch */
	uint64_t least_bytes;        /* inputs read once and outputs written once, 0 = unknown */
	int n;
	struct finding finding[FINDINGS * 2];
};

/* All findings, sorted. */
void why_find(struct find *k, const struct why *w, const struct why_path *p, uint64_t least_bytes);
/* Sort again after gains were measured; drops those that gain nothing. Returns how many remain, at most FINDINGS. */
int why_find_sort(struct find *k);
/* One sentence that stands above the findings. */
void why_find_headline(const struct find *k, char *text, size_t size);

/* --- between the files --- */
struct finding *find_add(struct find *k, const char *id, int64_t gain, uint32_t word);
void find_place(const struct find *k, uint32_t word, char *text, size_t size);
/* A gain on one pipe ends where another pipe alone needs the time: its work on the core that finished last. */
int64_t find_bounded(const struct find *k, int pipe, int64_t gain);
/* Instructions that a core gave to its pipes. */
uint64_t find_ops(const struct core *c);
double find_percent(const struct find *k, int64_t cycles);
void find_cores(struct find *k);     /* idle, unbalanced, launch */
void find_scalar(struct find *k);    /* issue, caches */
void find_buffers(struct find *k);   /* single buffers, fixpipe not overlapped */
void find_barriers(struct find *k);
void find_banks(struct find *k);
void find_transfers(struct find *k); /* short, off the granule, too much traffic, bandwidth */
void find_tile(struct find *k);      /* cube tile */

#endif
