/*
 * sim.h - the event engine: cores, their pipes, flags, blocks, time.
 *
 *        scalar unit --dispatch--> queue(pipe) --start--> unit --end-->        one heap of (cycle, what) for the chip:
 *             ^                        |  set_flag -> flag -> wait_flag        the earliest goes first, ties in a fixed
 *             +---- wait, full queue --+  GM transfer -> memsys flow           order, so that every run is the same
 *
 * An op's values are computed at its start cycle, when all that it waits for has ended (design D3, D4).
 */
#ifndef SIM_H
#define SIM_H

#include "chip.h"
#include "exec.h"
#include "memsys.h"
#include "program.h"
#include "scalar.h"

enum { SIM_CORES = 512, SIM_EVENT_IDS = 64, SIM_XFLAGS = 64, SIM_ARGS = 32, UNIT_FLAGS = 512 };

/* What one pipe of one core did. The causes sum to the run's cycles. */
struct pipe_stats {
	int64_t cause[CAUSE_COUNT]; /* cycles */
	uint64_t ops;               /* instructions, flags and barriers included */
	int64_t behind[PIPE_COUNT]; /* of causes EMPTY_QUEUE and (pipe S) QUEUE: cycles, by the pipe whose queue was full */
};

/* Work of the vector and cube pipes by the element type that is computed with; others: moves, conversions, sorting. */
enum work_class { WORK_F16, WORK_F32, WORK_S16, WORK_S32, WORK_S8, WORK_OTHER, WORK_CLASSES };
struct work_stats {
	uint64_t ops, elements;     /* elements: results of the vector pipe, multiply-accumulates of the cube */
	int64_t cycles;             /* that the pipe was taken */
};

struct core_stats {
	struct pipe_stats pipe[PIPE_COUNT];
	uint64_t path_bytes[SPACE_COUNT][SPACE_COUNT]; /* bytes moved, from - to */
	uint64_t touched[PIPE_COUNT][SPACE_COUNT][2]; /* bytes that instructions read [0], wrote [1] */
	struct work_stats vector[WORK_CLASSES], cube[WORK_CLASSES];
	uint64_t macs;           /* on valid elements */
	uint64_t cube_steps[2];  /* 16 x k0 x 16 steps: [0] at full rate, [1] fp32 */
	uint64_t vector_repeats;
	uint64_t rv_insns;       /* scalar instructions */
	uint64_t icache_misses, dcache_hits, dcache_misses;
	int64_t first_cycle, last_cycle; /* first and last activity */
	int blocks;              /* blocks run */
};

/* What the cost of an op may depend on beyond itself. */
struct timing_state { uint64_t l0c_addr; /* tile that the last mad wrote */ };

struct pipe {
	struct op *queue;        /* ring of depth + 2 slots; the one in execution stays readable */
	int depth, head, count;
	int64_t free_at;         /* the next op may start */
	int64_t done_at;         /* all started ops have ended */
	int64_t wake_at;         /* earliest scheduled wake-up, -1 = none */
	int64_t accounted;       /* cycles are attributed up to here */
	int flow;                /* running GM transfer, -1 = none */
	struct op *current;      /* op of that transfer */
	struct effect effect;    /* its effect */
	int64_t flow_latency;    /* from the flow's end to visible results */
	int64_t current_start, current_stall_begin;
	enum cause current_cause;
	uint64_t last_releaser;
	uint64_t last_seq;       /* op that started last */
	struct timing_state timing;
};

/* What the scalar unit of a core waits for. */
enum scalar_wait { WAIT_NONE, WAIT_QUEUE, WAIT_FLAG, WAIT_BARRIER, WAIT_CROSS, WAIT_IDLE, WAIT_DRAIN };

/* A flag's number: event id, or for one tied to a memory event id | (memory + 1) << 3. */
enum { SIM_FLAG_MEMORIES = 6 /* of the public mem_t */ };
/* One bit per 512 bytes of L0C; its value holds from cycle `at` on (INT64_MAX: not settled yet). */
struct unit_flag { bool set; int64_t at; };

struct flag {
	bool set;
	uint64_t setter_seq, setter_pc;
	int64_t cycle;
	int more, owed; /* only with what_if.more_buffers: sets beyond the first, waits that went ahead of their set */
};

/* Registers that only the scalar unit reads back. */
struct core_regs { uint64_t condition_flag, lpcnt, st_atomic_cfg, pcie_rd_ctrl, data_exp[4]; };

struct core {
	int id;                   /* 0 .. n_core-1 */
	unsigned kind;            /* enum isa_core bit */
	int group;                /* cores that run one block together */
	int sub;                  /* vector core's number in the group */
	int block;                /* -1 = none */
	const struct program *program;
	struct core_mem mem;
	struct scalar scalar;
	struct spr spr;
	struct core_regs regs;
	struct pipe pipe[PIPE_COUNT];
	struct flag flag[PIPE_COUNT][PIPE_COUNT][SIM_EVENT_IDS];
	struct unit_flag unit_flag[UNIT_FLAGS];
	int xflag[SIM_XFLAGS];    /* cross-core counters */
	int xset[4][SIM_XFLAGS];  /* own sets per mode, not yet matched */
	enum scalar_wait wait;
	int64_t wait_since;
	int64_t wait_lost;        /* cycles of the last wait, until the instruction that waited goes on */
	int wait_pipe;            /* WAIT_QUEUE: pipe; WAIT_FLAG: source pipe; WAIT_CROSS: id */
	int wait_event;
	uint64_t seq;
	int64_t seen_icache, seen_dcache; /* scalar stalls that are charged already */
	int64_t issue_cycles;     /* scalar time since the last dispatch, waits left out */
	uint64_t last_xset;       /* seq and pipe of the cross-core set under way */
	int last_xset_pipe;
	struct { int core, pipe; uint64_t seq; } xby[SIM_XFLAGS]; /* whose set came last */
	struct core_stats stats;
};

struct checker; /* check.h */

struct heap_entry { int64_t cycle; uint32_t order; uint32_t what; };

/* Changes of the machine that no number of a chip expresses. Times only: values of such a run mean nothing. */
struct what_if {
	int64_t speed[PIPE_COUNT]; /* thousandths; 0 = as it is, INT64_MAX = instructions take one cycle */
	bool no_bank_conflicts, no_barriers;
	bool more_buffers;         /* some of these is not 0: how often a flag may be waited for before it is set */
	int buffers[PIPE_COUNT][PIPE_COUNT]; /* [src][dst] */
	int n_off;
	struct { int program; uint64_t pc; } off[64]; /* barriers that are not there */
};

struct sim_options {
	const struct what_if *what_if; /* NULL = the machine as it is */
	bool timing_only;        /* no values */
	int64_t max_cycles;      /* limit in simulated cycles; 0 = 2^40 */
	void (*on_event)(void *user, const struct event *e); /* NULL = none */
	void (*on_hold)(void *user, const struct hold *h);   /* NULL = none */
	void *user;
	struct checker *check;   /* NULL = none */
	uint64_t fuzz_seed;      /* not 0: ops start late by seeded amounts that every sync allows */
};

struct sim {
	const struct chip *chip;
	struct gm gm;
	struct memsys memsys;
	struct sim_options options;
	struct program *program[2];   /* split chips: [0] cube, [1] vector, either may be NULL; fused: [0] */
	int n_core, n_group, group_size;
	struct core *core;
	int64_t blocks, next_block, running, waiting; /* waiting: groups that the launch has not reached */
	int n_arg;
	uint64_t arg[SIM_ARGS];
	bool arg_float[SIM_ARGS];
	struct heap_entry *heap;
	int heap_n, heap_max;
	int64_t now, end;             /* end: cycle the last core finished */
	uint64_t insn_count[ISA_COUNT];
	uint64_t ops, rv_insns;       /* totals */
	bool pause;                   /* set by on_event: sim_advance returns before the next thing happens */
	int n_note;                  /* findings that do not end a run */
	char note[16][256];
	struct fail fail;
};

/* Build cores for a launch of `blocks` blocks of the given programs (fused: cube = the program, vector = NULL). blocks 0:
 * one per core. The caller has filled s->gm with arguments through sim_gm before sim_run. */
bool sim_init(struct sim *s, const struct chip *chip, struct program *cube, struct program *vector, int64_t blocks,
	      const struct sim_options *options, struct fail *f) SIM_MUST_CHECK;
void sim_free(struct sim *s);

/* Pass one argument to the entry. */
bool sim_arg(struct sim *s, uint64_t value, bool is_float, struct fail *f) SIM_MUST_CHECK;

/* Run to the end. False on a kernel error, a limit, a deadlock (the fail says who waits for what). */
bool sim_run(struct sim *s, struct fail *f) SIM_MUST_CHECK;

/* The same in pieces: start once, then advance until *over. An advance ends behind the last thing that happens at or before
 * cycle `until`, after `steps` entries of the heap, or when on_event has set s->pause. */
bool sim_start(struct sim *s, struct fail *f) SIM_MUST_CHECK;
bool sim_advance(struct sim *s, int64_t until, uint64_t steps, bool *over, struct fail *f) SIM_MUST_CHECK;

/* --- between the engine's files --- */
enum { EV_FLAG, EV_XFLAG, EV_FLOW, EV_PIPE, EV_SCALAR, EV_BLOCK }; /* order of ties */
bool sim_push(struct sim *s, int64_t cycle, unsigned kind, unsigned core, unsigned arg);
bool core_init(struct sim *s, struct core *c, int id, unsigned kind, const struct program *p, struct fail *f);
void core_free(struct core *c);
void core_start_block(struct sim *s, struct core *c, int64_t block, int64_t now);
bool core_scalar(struct sim *s, struct core *c, int64_t now);         /* run the scalar unit */
bool core_wake(struct sim *s, struct core *c, enum scalar_wait why, int64_t now);
void core_charge(struct core *c, enum cause cause, int64_t until);
void core_charge_run(struct sim *s, struct core *c);
bool core_drained(const struct core *c, int64_t now, int64_t *when);
int64_t core_quiet_at(const struct core *c);
bool pipe_push(struct sim *s, struct core *c, const struct op *op);
bool pipe_advance(struct sim *s, struct core *c, int p, int64_t now);
bool pipe_flow_end(struct sim *s, const struct flow *flow, int64_t now);
void pipe_account(struct core *c, int p, enum cause cause, int64_t until);
bool sync_hands_back(int src, int dst);
bool sync_flag_take(const struct sim *s, struct flag *flag, int src, int dst);
bool sync_barrier_off(const struct sim *s, const struct core *c, uint64_t pc);
bool sync_flag_fire(struct sim *s, struct core *c, unsigned code, int64_t now);
bool sync_cross_set(struct sim *s, struct core *c, uint64_t config, int64_t now);
bool sync_cross_fire(struct sim *s, struct core *c, unsigned id, int64_t now);
void sync_reset(struct core *c);
const char *sync_event_text(int number, char *text, size_t size); /* "event 3", "event 3 of L0A" */
bool sync_leftover(struct core *c, char *text, size_t size);
bool sim_fail(struct sim *s, struct core *c, enum fail_class class, uint64_t pc, int pipe, const char *fmt, ...)
	SIM_PRINTF(6, 7);
void sim_place(struct sim *s, struct core *c, uint64_t pc, int pipe, struct fail *f);
bool sim_deadlock(struct sim *s);
/* unitflag.c: mode of an op (0 = off); cycle from which its blocks allow it when it takes so many cycles (INT64_MAX: not
 * before somebody acts); what it leaves behind, in force fractal by fractal between `from` and `to`. */
unsigned unitflag_mode(const struct op *op);
int64_t unitflag_ready(struct core *c, const struct op *op, const struct effect *e, int64_t cycles);
bool unitflag_done(struct sim *s, struct core *c, const struct op *op, const struct effect *e, int64_t now, int64_t from,
		   int64_t to);
bool sim_block_end(struct sim *s, struct core *c);
bool system_execute(struct sim *s, struct core *c, const struct op *op);

/* --- counters.c --- */
struct cost;
void counters_op(struct core *c, const struct op *op, const struct effect *e, const struct cost *cost);

/* --- timing.c, bank.c --- */
struct cost {
	int64_t occupy;   /* cycles the pipe is taken, conflicts included; without the flow for GM transfers */
	int64_t latency;  /* from the end of occupation to visible results */
	int64_t bank;     /* part of occupy lost to bank conflicts */
	bool flow;        /* a GM transfer: memsys decides how long, from path */
	struct mem_path path;
};
/* st: what the pipe's last op left; in_flight: that op has not ended yet. */
struct cost timing_cost(const struct chip *chip, const struct op *op, const struct effect *e, struct timing_state *st,
			bool in_flight);
/* Thousandths of a cycle for all repeats of a vector op: slope per repeat, or what the banks of UB make of it. */
int64_t bank_work_milli(const struct chip *chip, const struct effect *e, int64_t slope_milli);
void timing_what_if(const struct what_if *w, int pipe, struct cost *c);

#endif
