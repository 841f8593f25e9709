/*
 * check_priv.h - what the files of the checker share.
 *
 * Slots. What a core does is numbered per slot: the pipes, and two slots of the scalar unit: S for loads and for lines that
 * its cache writes back (done when later instructions are dispatched), S_STORE for stores to UB (done for others only behind
 * a flag from S, dsb or PIPE_ALL).
 */
#ifndef CHECK_PRIV_H
#define CHECK_PRIV_H

#include "check.h"

enum { SLOT_S = PIPE_S, SLOT_STORE = PIPE_ALL, SLOTS = PIPE_COUNT };

/* Up to which number each slot of the own core is known to be done; remote: the same of other cores, by version. node: who
 * brought that knowledge (check_over.c). */
struct clock {
	uint32_t t[SLOTS];
	uint32_t remote;
	uint32_t node[SLOTS];
};

/* Who touched bytes: core 9 | slot 3 | atomic 1 | big 1 | unit 1 | site 17 | number 32. Never 0: numbers begin at 1. */
typedef uint64_t epoch;
static inline unsigned epoch_core(epoch e) { return (unsigned)(e >> 55); }
static inline unsigned epoch_slot(epoch e) { return (unsigned)(e >> 52) & 7; }
#define EPOCH_ATOMIC (UINT64_C(1) << 51)
static inline bool epoch_atomic(epoch e) { return e >> 51 & 1; }
static inline bool epoch_big(epoch e) { return e >> 50 & 1; }
static inline bool epoch_unit(epoch e) { return e >> 49 & 1; }
static inline uint32_t epoch_site(epoch e) { return (uint32_t)(e >> 32) & 0x1ffff; }
static inline uint32_t epoch_number(epoch e) { return (uint32_t)e; }

/* Last write and last read of a whole granule of a memory. w = EPOCH_DETAIL | index: a struct cell says more. */
struct pair {
	epoch w, r;
};
#define EPOCH_DETAIL (UINT64_C(0xfff) << 52) /* core 511 is none */

/* A granule that was touched in part, or by several at once; bits of wm, rm: 1/32 of it each. The rest is in a list. */
struct cell {
	epoch w, r;
	uint32_t wm, rm;
	uint32_t more;
	uint32_t spare;
};
struct more {
	epoch e;
	uint32_t mask, next;
	bool write;
};

/* Definedness of a byte. */
enum { INIT_DEFINED = 0, INIT_NEVER = 1, INIT_CARRIED = 2 };
enum { NOTE_SHIFT = 8 };

/* What is known of one memory: an on-chip buffer of a core, or a writable GM region that all cores share. */
struct shadow {
	uint64_t base, bytes;
	unsigned shift;    /* log2 of bytes per cell */
	struct pair *pair; /* NULL: no race check */
	uint8_t *init;     /* NULL: always defined */
	uint32_t *writer;  /* per 256 bytes: site + 1 of the last write */
	uint32_t *origin;  /* per 256 bytes: site + 1 of what first carried undefined bytes there */
	const struct gm_region *region;
};

/* What became of the bytes that an op wrote. */
struct fate {
	uint32_t number, total, lost;
	bool read, exempt;
	int early;    /* id of a race that made it read too early, or what it read; 0: none (check_root.c) */
	uint64_t seq; /* dispatch order */
};
enum { FATES = 256 };

struct flag_note {
	struct clock clock;
	uint64_t set_pc, set_before_pc, wait_pc;
	uint64_t set_seq, set_before_seq, wait_seq; /* where they stand in the program; 0: the scalar unit's */
	uint64_t first_seq;                         /* of the first set in this block */
	int twice;                                  /* id of the finding that a set of it was lost; 0: none */
	uint32_t wait_behind; /* number in dst that could still hold the last wait back */
	uint32_t wait_number; /* of the last wait, in the slot of dst */
	bool waited;
};

struct cross_message {
	uint32_t *vector;
	uint32_t generation;
	struct cross_message *next;
};

struct line_note {
	struct clock filled;
	uint64_t stamp; /* of polled words: the line is as new as this */
	uint64_t addr;
	uint32_t stored[4];
	uint64_t store_pc;
	bool valid, dirty, told;
};

struct race {
	struct checker *k;
	struct core *c;
	struct check_core *kc;
	const struct clock *clock;
	epoch me;
	unsigned space;
	int pipe;
	uint64_t pc;
	int64_t cycle;
	bool raced, scalar;
	struct fate *fate;
	epoch lost;
	uint32_t lost_bits;
	epoch ok, ok_before, bad, read_ok;
	uint64_t seq;
};

/* A copy from GM to UB that may be a poll (check_poll.c). */
struct poll_pending {
	bool waits;
	struct race race;
	struct clock clock;
	struct access gm;
	uint64_t stamp;
};

/* One dispatched instruction of a pipe (check_root.c). */
struct root_step {
	uint64_t seq;
	uint32_t site;
	uint8_t kind, other, event_id; /* of flags: the other pipe */
};
enum { ROOT_STEPS = 128, ROOT_FIXES = 48, ROOT_SETS = 3, ROOT_TIMES = 4096, ROOT_EARLY = 8 };
struct root_steps {
	struct root_step at[ROOT_STEPS]; /* a ring */
	uint32_t n;
};

/* A set that a missing wait may belong to. */
struct root_set {
	uint32_t key, site;
	uint64_t ids; /* its events */
};
/* A wait that would order the two sides of a finding: between which pipes and in front of what. */
struct root_fix {
	uint32_t where;
	int n_set; /* that stand behind the first side and before the place, in the program's order */
	bool mixed; /* not the same ones each time */
	struct root_set set[ROOT_SETS];
};

/* What else is known of a finding: what would have helped every time (the first ROOT_TIMES), and its bytes. */
struct root_note {
	bool seen;
	int n_fix;
	struct root_fix fix[ROOT_FIXES];
	uint32_t direct;   /* the fix that has the second side's pipe wait in front of it */
	uint32_t lost_set; /* a set that no wait took; 0: not about one */
	uint32_t key[2];  /* instruction of the first access, of the second; 0: no race */
	int id, stuck;     /* number among all findings; the one that lost the set which is waited for */
	int early[ROOT_EARLY], n_early; /* the races whose readers made these undefined bytes, by their id */
	bool own;         /* not always such a race's */
	unsigned space;   /* SPACE_NONE: several */
	uint64_t begin, end;
	uint64_t cores[SIM_CORES / 64]; /* where it was seen */
};
/* Two places of the program that need order: the first in pipe `from`, the second in `to`. low 0: not known where. */
struct root_pair {
	int from, to;
	uint64_t low, high;
};

struct check_core {
	struct poll_pending pending;
	struct clock clock[SLOTS];
	uint32_t number[SLOTS];
	uint32_t last_work[SLOTS];        /* number of the last op that does work */
	uint32_t last_wait[SLOTS][SLOTS]; /* [dst][src]: number of the last wait */
	struct clock *queue[SLOTS]; /* of the scalar unit at dispatch, one per op in the pipe's queue */
	int head[SLOTS], count[SLOTS];
	uint32_t **remote; /* versions of what is known of other cores; [v - first_remote] */
	uint32_t first_remote, n_remote, max_remote;
	struct flag_note *flag; /* [src][dst][id] */
	struct cross_message *inbox[SIM_XFLAGS];
	uint32_t sent[4][SIM_XFLAGS], received[SIM_XFLAGS];
	uint64_t sent_pc[SIM_XFLAGS];
	uint32_t sets_in_block[4][SIM_XFLAGS];
	struct shadow space[SPACE_COUNT];
	struct shadow cmpmask; /* the register, as 16 bytes */
	struct fate *fate[SLOTS];
	struct root_steps work[PIPE_COUNT], flags[PIPE_COUNT]; /* dispatched */
	struct line_note *line;
	int n_dirty;
	bool cmpmask_carried, started;
	/* over-sync: recent providers per pipe and component; cost that waits for the next op to become real */
	struct provider {
		uint32_t before[3], node[3];
	} provider[SLOTS][SLOTS];
	int64_t pending_cycles[SLOTS];
	uint32_t pending_site[SLOTS];
};

/* One instruction of the program: for sync what it cost, for others how often it ran. */
struct sync_site {
	uint64_t times;
	int64_t cycles;
	bool used, seen;
};
struct node {
	uint32_t site, parent;
	bool used;
};

struct checker {
	unsigned bits;
	bool keep_going;
	struct sim *sim;
	int n_core;
	struct check_core *core;
	int n_gm;
	struct shadow gm[GM_REGIONS];
	struct gm gm_init; /* regions whose bytes are definedness */
	struct cell *cell; /* details of granules; free ones linked by more */
	uint32_t n_cell, max_cell, free_cell;
	struct more *more;
	uint32_t n_more, max_more, free_more;
	struct sync_site *site[2]; /* per program, per instruction */
	uint32_t n_site[2];
	struct node *node;
	uint32_t n_node, max_node;
	struct check_result result;
	struct root_note note[CHECK_FINDINGS]; /* of result.finding */
	int n_note;                             /* findings so far, dropped ones too */
	uint32_t *line_key[2];                  /* per program and instruction, 0: not asked for yet */
	struct {
		uint64_t key;
		int finding;
	} seen[1024];
	uint8_t *poll_mark[2]; /* per program and instruction: POLL_ bits; NULL = nothing polls */
	struct poll_note *poll;
	uint64_t poll_stamp;   /* counts small writes to GM */
	bool broken; /* memory ran out: checks stop */
};

/* --- check.c --- */
uint32_t check_site(const struct core *c, uint64_t pc);
uint64_t check_site_pc(const struct core *c, uint32_t site);
void check_place_at(struct checker *k, const struct core *c, int pipe, uint64_t pc, int64_t cycle,
		    struct check_place *p);
void check_place_of(struct checker *k, epoch e, struct check_place *p);
/* The finding of this code and these two places: new ones (*fresh) are to be filled. NULL when there are too many. */
struct check_finding *check_find(struct checker *k, enum check_kind kind, const char *code, const struct core *a,
				 uint64_t pc_a, const struct core *b, uint64_t pc_b, bool *fresh);
/* End of the run: drop what another finding explains. */
void check_drop_consequences(struct checker *k);
void check_say(char *to, size_t size, const char *fmt, ...) SIM_PRINTF(3, 4);
struct shadow *check_shadow(struct checker *k, struct check_core *kc, unsigned space, uint64_t addr);
/* Contiguous runs of an access, larger ones than access_next gives where units touch. */
struct runs {
	const struct access *a;
	struct access_cursor cursor;
	uint64_t unit;
	uint32_t n[3], i[3];
	int64_t stride[3];
	bool lanes, done;
};
void runs_open(struct runs *r, const struct access *a);
bool runs_next(struct runs *r, uint64_t *addr, uint64_t *bytes);

/* --- check_clock.c --- */
bool clock_knows(const struct checker *k, unsigned core, const struct clock *c, epoch e);
void clock_join(struct checker *k, struct check_core *kc, int slot, const struct clock *from, uint32_t site);
bool clock_core_new(struct checker *k, struct check_core *kc, const struct core *c);
void clock_core_free(struct check_core *kc);
struct flag_note *clock_flag(struct check_core *kc, int src, int dst, int id);
/* Join a vector of what cores know into the scalar unit's clock. */
void clock_hear(struct checker *k, struct core *c, const uint32_t *vector);
const uint32_t *clock_remote(const struct check_core *kc, uint32_t version);
struct clock clock_scalar(const struct check_core *kc);
void clock_take(struct checker *k, struct core *c, int pipe);

/* --- check_race.c --- */
enum { SPACE_CMPMASK = SPACE_COUNT }; /* race.space of the register */
void race_access(struct race *r, const struct access *a);
void race_touch(struct race *r, struct shadow *sh, uint64_t addr, uint64_t bytes, bool write);
void race_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e);
void race_cache_dirty(struct checker *k, struct core *c, const struct op *op, const struct access *a);

/* --- check_race_say.c --- */
enum race_relation { READ_AFTER_WRITE, WRITE_AFTER_READ, WRITE_AFTER_WRITE };
void race_report(struct race *r, const struct shadow *sh, epoch old, enum race_relation rel, uint64_t addr,
		 uint64_t bytes);
void race_range(const struct shadow *sh, unsigned space, uint64_t addr, uint64_t bytes, char *text, size_t size);
const char *race_verb(bool write);
const char *race_pipe(epoch e);

/* --- check_root.c --- */
void root_step(struct check_core *kc, const struct core *c, const struct op *op); /* dispatched */
/* A finding was seen once more: what would have ordered its two sides; its places are filled. */
void root_pair(struct checker *k, const struct check_finding *f, const struct core *c, const struct root_pair *p);
/* The same of a set that another one, or the end of the block, found still there. */
void root_twice(struct checker *k, const struct check_finding *f, const struct core *c, int src, int dst, int id);
void root_left(struct checker *k, const struct check_finding *f, const struct core *c, int src, int dst, int id);
/* This set finds the flag's set before it taken by a wait that stands later in the program. */
void root_lost(struct checker *k, const struct check_finding *f, const struct core *c, const struct op *op);
/* The run is stuck at a wait: it follows from a set of its flag that was lost. */
void root_stuck(struct checker *k, const struct check_finding *f, const struct core *c, int pipe);
void root_bytes(struct checker *k, const struct check_finding *f, unsigned space, uint64_t addr, uint64_t bytes);
/* The race's reader took what was not there yet. */
void root_early(struct checker *k, const struct check_finding *f, struct fate *reader);
/* Undefined bytes reach the newest instruction of a pipe. */
void root_undefined(struct checker *k, const struct check_finding *f, const struct core *c, int pipe);
void root_group(struct checker *k); /* fills check_finding.cause */
void root_free(struct checker *k);

/* --- check_loop.c, check_poll.c --- */
enum { POLL_LOAD = 1, POLL_COPY = 2 };
bool poll_find(const struct program *p, uint8_t **mark);
bool poll_begin(struct checker *k);
void poll_free(struct checker *k);
unsigned poll_kind(const struct checker *k, const struct core *c, uint64_t pc);
void poll_write(struct checker *k, struct core *c, const struct clock *own, uint64_t addr, uint64_t bytes, bool joins);
void poll_see(struct checker *k, struct core *c, uint64_t addr, uint64_t bytes, uint64_t stamp);
void poll_copy(struct checker *k, struct core *c, const struct race *r, const struct access *gm);
void poll_loaded(struct checker *k, struct core *c, epoch writer);
bool poll_is_before(const struct race *r, const struct effect *e);
void poll_settle(struct checker *k, struct core *c);

/* --- check_init.c, check_taint.c --- */
void init_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e);
void init_reset(struct check_core *kc);
void init_scalar(struct checker *k, struct core *c, struct shadow *sh, uint64_t pc, uint64_t addr, unsigned bytes,
		 bool write);
void init_set(struct shadow *sh, uint64_t addr, uint64_t bytes, uint8_t value, uint32_t site);
/* First byte of the range that is not defined; bytes when all are. */
uint64_t init_first(const uint8_t *p, uint64_t bytes);
/* Undefined bytes are among what op reads: mark what it writes, byte by byte where its form says which. */
void taint_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e, uint32_t origin);

/* --- check_sync.c --- */
void sync_end(struct checker *k);
/* Do cores differ in how often they set a flag that joins them? True: there is a finding. */
bool sync_uneven(struct checker *k);

/* --- check_over.c --- */
struct sync_site *over_site(struct checker *k, const struct core *c, uint64_t pc);
uint32_t over_node(struct checker *k, uint32_t site, uint32_t parent);
void over_raise(struct checker *k, struct check_core *kc, int slot, int component, uint32_t before, uint32_t node);
void over_used(struct checker *k, struct check_core *kc, int slot, epoch e);
void over_cost(struct checker *k, struct core *c, int slot, uint64_t pc, int64_t cycles);
void over_real(struct checker *k, struct core *c, int slot);
void over_end(struct checker *k);

#endif
