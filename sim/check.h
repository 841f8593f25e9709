/*
 * check.h - mistakes of a kernel, found while it runs.
 *
 *   engine --hooks--> struct checker: clocks (who is known to be done), shadow of every memory --> findings
 *
 * A run without checks has no checker: every hook stands behind one pointer test. Checks read the run, they never change
 * its values or cycles. sim/CHECKS.md says what each check finds and what it does not.
 */
#ifndef CHECK_H
#define CHECK_H

#include "sim.h"

#include <stdio.h>

/* What to check, as bits. */
enum check_bit {
	CHECK_MEM = 1,
	CHECK_INIT = 2,
	CHECK_RACE = 4,
	CHECK_SYNC = 8,
	CHECK_OVER = 16, /* waits and barriers that order nothing; needs CHECK_RACE */
	CHECK_CHEAP = CHECK_MEM | CHECK_SYNC,
	CHECK_ALL = 31
};

enum check_kind { CHECK_MEMORY, CHECK_UNDEFINED, CHECK_RACES, CHECK_SYNCS, CHECK_DEADLOCK, CHECK_OTHER, CHECK_KINDS };

/* One side of a finding. core < 0: no such side. cycle < 0: unknown. */
struct check_place {
	int core, block, pipe;
	uint64_t pc;
	int64_t cycle;
	char line[160]; /* "matmul.c:88 in matmul", empty without debug info */
	char insn[48];
};

struct check_finding {
	enum check_kind kind;
	const char *code;    /* "missing-sync", "flag-left-set" ...: CHECKS.md lists them */
	char what[400];      /* one sentence */
	char other_role[64]; /* what the other side is: "the write before it" */
	char hint[240];
	struct check_place at, other;
	uint64_t count; /* times it was seen */
	int cores, core_first, core_last; /* on how many cores, the lowest and the highest of them; 0: none named */
	int cause;      /* index of the finding that this one follows from; its own: it stands for itself */
};

/* A wait or barrier that ordered nothing that needs order. */
struct check_over {
	struct check_place at;
	uint64_t times;
	int64_t cycles;
};

enum { CHECK_FINDINGS = 200, CHECK_OVERS = 40, CHECK_GAPS = 40 };

/* An instruction that is not modelled, passed over with --keep-going. */
struct check_gap {
	struct check_place at;
	char what[200];
	uint64_t count;
};

struct check_result {
	unsigned bits; /* what was checked; 0 = nothing */
	int n_finding, n_over, n_gap;
	uint64_t more; /* kinds of findings beyond CHECK_FINDINGS */
	struct check_finding finding[CHECK_FINDINGS];
	struct check_over over[CHECK_OVERS];
	struct check_gap gap[CHECK_GAPS];
};

/* NULL: no memory. Give it to sim_options.check; keep_going passes over what is not modelled. */
struct checker *check_new(unsigned bits, bool keep_going);
void check_free(struct checker *k);
/* "mem,init,race,sync", "all", "none" into bits. */
bool check_parse(const char *text, unsigned *bits, struct fail *f) SIM_MUST_CHECK;
/* The findings so far, in the order they were seen; over-sync and gaps are filled at the end of a run. */
const struct check_result *check_result(const struct checker *k);
/* A run that failed: its error as a finding among the others. */
void check_add_fail(struct checker *k, const struct fail *f);

/* check_text.c */
const char *check_kind_name(enum check_kind k);
void check_names(unsigned bits, char *text, size_t size); /* "mem, init, race, sync" */
/* all: what follows from another finding stands in full too. */
void check_text(const struct check_result *r, bool all, FILE *out);

/* --- hooks of the engine; call only with a checker --- */
bool check_begin(struct checker *k, struct sim *s); /* false: no memory, s->fail is set */
void check_end(struct checker *k);
void check_block_start(struct checker *k, struct core *c);
void check_block_end(struct checker *k, struct core *c);
void check_dispatch(struct checker *k, struct core *c, const struct op *op); /* into its queue */
void check_op(struct checker *k, struct core *c, const struct op *op,
	      const struct effect *e);                                       /* starts; before values */
void check_flag_set(struct checker *k, struct core *c, const struct op *op); /* S too: op->pipe == PIPE_S */
void check_flag_wait(struct checker *k, struct core *c, const struct op *op, int64_t lost_cycles);
void check_flag_twice(struct checker *k, struct core *c, int src, int dst, int id);
void check_barrier(struct checker *k, struct core *c, const struct op *op, int64_t lost_cycles);
void check_barrier_all(struct checker *k, struct core *c, uint64_t pc, int64_t lost_cycles);
void check_dsb(struct checker *k, struct core *c);
void check_cross_set(struct checker *k, struct core *c, const struct op *op, unsigned mode, unsigned id);
void check_cross_wait(struct checker *k, struct core *c, uint64_t pc, unsigned id, int64_t lost_cycles);
/* Instruction that is not modelled: true = pass over it. */
bool check_pass_over(struct checker *k, struct core *c, const struct op *op, const char *what);

/* Scalar unit. A load or store of UB or of writable arguments; line: index of the cache line, -1 = UB. */
void check_scalar(struct checker *k, int core, uint64_t pc, uint64_t addr, unsigned bytes, bool write, int line);
/* ld_dev, st_dev: around the cache. */
void check_device(struct checker *k, struct core *c, uint64_t pc, uint64_t addr, unsigned bytes, bool write);
void check_cache_fill(struct checker *k, int core, int line, uint64_t addr);
void check_cache_back(struct checker *k, int core, int line, uint64_t addr, unsigned bytes);
/* May accesses to a line of this region skip the hooks? */
static inline bool check_ignores(const struct gm_region *r) { return r->per_core || !r->writable; }

#endif
