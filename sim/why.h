/*
 * why.h - what the events of a run say about its time.
 *
 *   events, holds --> why_collect --> counters per static instruction      --> hot spots (why_lines)
 *                                 --> one step per executed instruction    --> critical path (why_path)
 *                                 --> both, and the statistics             --> findings (why_find_*)
 *
 * Cycles of counters are sums over all cores that run a program; those of the path sum to the run's cycles.
 */
#ifndef WHY_H
#define WHY_H

#include "sim.h"

enum { WHY_STEPS = 8 << 20, WHY_OPERANDS = 4 };

/* Counters of one word of a program's text. Of its pipe: empty + stall + busy + bank + bandwidth are the cycles from the
 * end of the instruction before it to its own end of issue. */
struct why_site {
	uint64_t calls;
	int64_t issue;        /* scalar time between the dispatch before it and its own, waits left out */
	int64_t held;         /* the scalar unit waited here */
	int64_t empty;        /* its pipe had nothing to do before it arrived */
	int64_t stall;        /* it stood at the head of its pipe and waited for `cause` */
	int64_t busy, bank, bandwidth;
	uint64_t bytes, macs, repeats;
	uint64_t bursts, burst_bytes, odd; /* GM pieces, bytes of a piece summed over them, transfers off the granule */
	uint64_t by_block;                 /* transfers whose rows begin within a block and go block by block */
	int64_t ideal;        /* cycles its GM bytes take at the path's full rate */
	uint32_t tile[3];     /* mad: m, n, k of the first call */
	uint64_t guards;      /* barriers: how many had accesses on both sides that must not change order */
	uint8_t pipe, cause, hold_cause; /* enum cause of stall and held */
	uint32_t releaser;    /* word that ended most of its waits (by a running vote); UINT32_MAX = none known */
	int64_t releaser_vote;
	uint8_t n_operand;    /* of the first call that met a bank conflict */
	struct { uint32_t addr; bool write; } operand[WHY_OPERANDS];
};

/* Why an executed instruction started when it did. */
enum why_start { START_ARRIVED, START_PIPE, START_FLAG, START_SCALAR_FLAG, START_DRAINED };

/* One executed instruction, 56 bytes. Distances back in seq are 0 when there is none, below
 * 0 when the scalar unit dispatched the other one later. */
struct why_step {
	int64_t start;
	uint32_t seq;         /* low bits */
	uint32_t word;        /* of the program's text */
	uint32_t busy, latency; /* start to end of issue, to visible results */
	uint32_t slow_bank, slow_shared; /* parts of busy */
	int32_t back;         /* distance to the instruction that ended the wait, or stood before it in the pipe */
	int32_t done_back;    /* set_flag: distance to the instruction whose end it waits for to fire */
	uint32_t icache, dcache; /* scalar stalls of the core until its dispatch, low bits */
	uint32_t issue;       /* scalar time since the dispatch before, waits left out */
	uint8_t pipe, why;
};

struct why_hold {
	int64_t from, to;
	uint64_t releaser;
	uint32_t word, icache, dcache;
	uint16_t releaser_core;
	uint8_t cause, releaser_pipe;
};

struct why_core {
	struct why_step *step; /* ring: seq % size */
	uint64_t size, newest;
	struct why_hold *hold; /* ring: number % size */
	uint64_t hold_size, n_hold;
	struct { int64_t end; uint64_t seq; } done[PIPE_COUNT]; /* whose results come last */
	uint64_t previous[PIPE_COUNT];
	struct why_guard *guard; /* per pipe, what went before and behind the last barrier */
};

/* A flag pair of a kind of core. */
struct why_pair { uint64_t ids; uint64_t waits; int64_t cycles; };

struct why {
	const struct sim *sim;
	struct why_core *core;
	struct why_site *site[2];    /* per program, one per word */
	struct why_pair pair[2][PIPE_COUNT][PIPE_COUNT]; /* [program][src][dst] */
	uint64_t steps_per_core;
	bool short_of_memory;        /* counters go on, the path is shorter */
};

/* After sim_init, before sim_run. max_steps: most instructions to keep for the path, over all cores; 0 = WHY_STEPS. */
bool why_open(struct why *w, const struct sim *s, uint64_t max_steps, struct fail *f) SIM_MUST_CHECK;
void why_close(struct why *w);
/* on_event, on_hold; user is the struct why. */
void why_event(void *why, const struct event *e);
void why_hold(void *why, const struct hold *h);

/* Where the analysis stands, to count on from there later: what snapshot.h does not save by itself. Steps stay where they are,
 * as those of a repeated run are the same; so it cannot be saved once the rings have wrapped (false), or without memory. */
struct why_core_state;
struct why_state { struct why_core_state *core; struct why_pair pair[2][PIPE_COUNT][PIPE_COUNT]; bool short_of_memory; };
bool why_save(const struct why *w, struct why_state *x) SIM_MUST_CHECK;
void why_put_back(struct why *w, const struct why_state *x);
void why_state_free(struct why_state *x);

/* Which of the run's programs a core executes. */
int why_program(const struct sim *s, int core);
const struct why_step *why_step_at(const struct why *w, int core, uint64_t seq);

/* --- why_path.c: the chain of instructions that determined the end --- */

enum why_part {
#define PART(id, text) PART_##id,
#include "why_parts.def"
#undef PART
	PART_COUNT
};
const char *why_part_text(enum why_part p);

struct why_path {
	int64_t cycles, known;       /* known: what the kept steps cover, counted from the end */
	int core;                    /* the core that finished last, where the walk began */
	uint64_t links;              /* instructions on it */
	int64_t part[PIPE_COUNT][PART_COUNT];
	int64_t *site[2];            /* cycles per word of each program */
	uint64_t hop[PIPE_COUNT][PIPE_COUNT]; /* [src][dst]: how often it went through a flag */
	uint64_t queue[PIPE_COUNT];  /* how often through a full queue */
	uint64_t barriers;
};

bool why_path(const struct why *w, struct why_path *p, struct fail *f) SIM_MUST_CHECK;
void why_path_free(struct why_path *p);
int64_t why_path_pipe(const struct why_path *p, int pipe);

#endif
