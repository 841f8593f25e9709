/*
 * model.h - a run as the window needs it: per core and pipe one array of rows sorted by start, summaries of it for every
 * zoom, sums per source line and over time. Filled from a .vtr file or event by event from a live run. No SDL here.
 *
 *   rows of a lane      |--stall--|=====issue=====|--tail--|          cycles, one row per executed instruction
 *   buckets of a lane   [busy, wait, main cause] per 2^k cycles, k = 0 .. levels-1
 */
#ifndef VIZ_MODEL_H
#define VIZ_MODEL_H

#include "../traces/vtr.h"

/* Cycles beyond are damage: no run lasts so long, and sums of a few stay within 64 bits. */
#define MODEL_LAST_CYCLE (INT64_C(1) << 60)

enum { MODEL_SPAN_BUCKETS = 2048, MODEL_LEVELS = 40 };

/* One executed instruction. Cycle counts saturate at 2^32 - 1. */
struct row {
	int64_t start;
	uint32_t issue;    /* cycles on the pipe */
	uint32_t tail;     /* from there to visible results */
	uint32_t stall;    /* cycles lost for `cause` before start */
	uint32_t what;     /* site, cause, releaser's pipe: row_site and so on */
	uint32_t seq;
	int32_t release;   /* seq - releaser's seq, 0 = none */
	uint32_t extra;    /* of issue: lost to bank conflicts or shared bandwidth */
	uint32_t work;     /* bytes moved, or multiply-accumulates when it moves nothing */
};

static inline uint32_t row_site(const struct row *r) { return r->what & 0xfffff; }
static inline uint32_t row_cause(const struct row *r) { return r->what >> 20 & 63; }
static inline uint32_t row_pipe(const struct row *r) { return r->what >> 26 & 15; }
static inline bool row_extra_is_bank(const struct row *r) { return r->what >> 31; }
static inline int64_t row_issue_end(const struct row *r) { return r->start + r->issue; }
static inline int64_t row_end(const struct row *r) { return r->start + r->issue + r->tail; }
enum { ROW_NO_SITE = 0xfffff, ROW_NO_SEQ = UINT32_MAX };

/* Shares of a bucket's cycles in 1/65535. top: the part of wait that is for `cause`. */
struct bucket { uint16_t busy, wait, top; uint8_t cause, unused; };

struct lane {
	uint32_t core, pipe;
	struct row *row;
	uint32_t n, max;
	int n_level, base_log2;            /* level k has buckets of 2^(base_log2 + k) cycles */
	struct bucket *level[MODEL_LEVELS];
	uint32_t n_bucket[MODEL_LEVELS];
	int64_t busy, stall, sync;         /* cycles; sync: flags and barriers */
	uint64_t work;                     /* sum of bytes */
	uint64_t macs;
	int64_t cause[VTR_CAUSES];         /* cycles waited, from the rows */
};

struct site_sum { uint64_t n; int64_t busy, stall; uint64_t work; };

struct model {
	char path[512];
	const struct vtr *vtr;             /* head and sites; events too when from a file */
	struct vtr own;                    /* vtr points here when the model opened it */
	uint32_t n_lane;
	struct lane *lane;                 /* core * n_pipe + pipe */
	int64_t end;                       /* last cycle of any row */
	int64_t cycles;                    /* length of the run: what the file says, or end so far */
	uint64_t n_row;
	struct site_sum *site;             /* per vtr site */
	int64_t *site_cause;               /* [site * n_cause + cause], NULL for huge programs */
	int span_log2;                     /* bytes over time: buckets of 2^span_log2 cycles */
	double *span;                      /* bytes, [pipe * MODEL_SPAN_BUCKETS + bucket] */
	uint64_t gm_read, gm_write, macs, vector_repeats;
	int gm_space;                      /* number of GM among the spaces, -1 = none */
	uint64_t *space_top;               /* highest byte touched + 1 per space */
	uint32_t n_bad;
	int hold_pipe;                     /* the scalar unit's lanes: rows made of holds; -1 = none yet */
	/* live: whole events and holds, packed, in order of happening; offset per row of a lane */
	bool live;
	uint8_t *store;
	size_t store_n, store_max;
	uint64_t **store_at;
};

/* Open a file and read all of it. FAIL_USER as vtr_open says. A failed model needs no model_free. */
bool model_open(struct model *m, const char *path, struct fail *f) SIM_MUST_CHECK;
/* The file's head, report and totals alone, at once however long the run: a model without rows, to show until the whole one
 * has been read (view_load.c). */
bool model_open_head(struct model *m, const char *path, struct fail *f) SIM_MUST_CHECK;
/* The same as model_open on bytes that outlive the model. */
bool model_open_memory(struct model *m, const void *bytes, size_t size, const char *name, struct fail *f) SIM_MUST_CHECK;
/* Begin a live model on a head with sites that outlive it. */
bool model_begin(struct model *m, const struct vtr *head, struct fail *f) SIM_MUST_CHECK;
bool model_add(struct model *m, const struct vtr_event *e, struct fail *f) SIM_MUST_CHECK;
/* What held the scalar unit: a row of its lane, the wait and the work until the next one. */
bool model_hold(struct model *m, const struct vtr_hold *h) SIM_MUST_CHECK;
/* Forget all but the first n events and holds (a live run goes back). */
bool model_rewind(struct model *m, uint64_t n, struct fail *f) SIM_MUST_CHECK;
/* Make the summaries of lanes; again after adding rows. */
void model_summarise(struct model *m);
void model_free(struct model *m);

/* What a row is called: its instruction, or that the scalar unit worked. */
const char *model_name(const struct model *m, const struct lane *l, const struct row *r);
/* Its static instruction; of a row of the scalar unit the one that came next. NULL when none is known. */
const struct vtr_site *model_site(const struct model *m, const struct row *r);
/* First row that ends its issue after `cycle`; lane->n when none. */
uint32_t lane_find(const struct lane *l, int64_t cycle);
/* Row by sequence number near which it may be; UINT32_MAX when not there. Rows of a lane are in order of seq. */
uint32_t lane_seq(const struct lane *l, uint32_t seq);
/* Lane and row of what released r; false when nothing did or it is not in the trace. */
bool model_releaser(const struct model *m, const struct lane *l, const struct row *r, uint32_t *lane, uint32_t *row);
/* The first row on any lane of the core that r released: what was waiting for it. */
bool model_released(const struct model *m, const struct lane *l, uint32_t row, uint32_t *lane, uint32_t *at);
/* The whole event behind a row, read again from the file. */
bool model_event(const struct model *m, const struct lane *l, uint32_t row, struct vtr_event *e);
/* Buckets that cover [from, to) of a lane at about that width, merged into one. */
struct bucket lane_bucket(const struct lane *l, int64_t from, int64_t to);
/* Widest level whose buckets are no wider than `cycles`; -1 when the rows themselves must be drawn. */
int lane_level(const struct lane *l, double cycles);

/* What kind of time a cause is, from its text. */
enum cause_group {
	GROUP_BUSY, GROUP_SYNC, GROUP_BANK, GROUP_BANDWIDTH, GROUP_FLAG, GROUP_BARRIER, GROUP_CROSS, GROUP_QUEUE, GROUP_CACHE,
	GROUP_EMPTY, GROUP_OUTSIDE, GROUP_COUNT
};
enum cause_group cause_group(const char *text);
const char *cause_group_name(enum cause_group g);

/* model_load.c */
bool model_note(struct model *m, const struct vtr_event *e);

#endif
