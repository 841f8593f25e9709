/*
 * vtr.h - the trace file: what is in it, how to write one, how to read one. The bytes are described in FORMAT.md.
 *
 *   run --> vtr_writer --> FILE.vtr --> vtr_open --> blocks --> exporters, summary, window
 *
 * Names of pipes, causes, memories, instructions and source lines travel in the file, so that a reader needs nothing
 * else. Cycles are core clock cycles of the chip from launch.
 */
#ifndef VTR_H
#define VTR_H

#include "../sim/fail.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum {
	VTR_VERSION = 1,
	VTR_CORES = 1024, VTR_PIPES = 16, VTR_CAUSES = 64, VTR_SPACES = 16, VTR_ACCESSES = 8,
	VTR_SITES = 1 << 20, VTR_COUNTERS = 512,
	VTR_LAYOUTS = 1 << 16, VTR_OPERANDS = 32,
	VTR_FINDINGS = 64,              /* and parts, and lines, of the critical path */
	VTR_BLOCK_EVENTS = 32768,       /* default; a file may use 1 .. 1048576 */
	VTR_MAX_CHUNK_BYTES = 64 << 20  /* unpacked */
};

/* A piece of text; not owned by whoever holds it. */
typedef const char *vtr_text;

struct vtr_core { vtr_text name, kind; uint32_t group, sub; };

/* The run: everything that is known before the first event. */
struct vtr_head {
	vtr_text producer, chip, kernel, entry;
	uint64_t clock_mhz, blocks, block_events;
	uint32_t n_core, n_pipe, n_cause, n_space;
	const struct vtr_core *core;
	const vtr_text *pipe;           /* "S" "V" "MTE1" ... */
	const vtr_text *cause;          /* "busy" "wait for MTE2" ... */
	const vtr_text *space;          /* "none" "GM" "UB" ... */
};

enum vtr_role { VTR_WORK, VTR_SET_FLAG, VTR_WAIT_FLAG, VTR_BARRIER, VTR_CROSS_SET, VTR_CROSS_WAIT, VTR_ROLES };

/* A static instruction: a place in a program. Events name it by its number, counted from 0 in order of writing. */
struct vtr_site {
	uint32_t program;               /* which of the run's programs, when it has several */
	uint64_t pc;
	enum vtr_role role;
	vtr_text name;                  /* "vadd.f16" */
	vtr_text line;                  /* "add.c:41 in copy_in, inlined at add.c:88 in add"; empty when unknown */
};

/* How an argument of an instruction is read from its four operand words: `width` bits from lsb on, width2 more from lsb2 on above
 * them. */
struct vtr_operand { vtr_text name; uint8_t word, lsb, width, lsb2, width2; bool address; };
struct vtr_layout { uint32_t n; const struct vtr_operand *operand; };

/* Bytes of one memory that an operand touches: all of them lie in [addr, addr + extent). */
struct vtr_access { uint8_t space; bool write; uint64_t addr, extent; };

/* One executed instruction. dispatched <= arrived <= start, 0 <= stall_begin <= start <= issue_end <= end. */
struct vtr_event {
	uint32_t core, site;
	int32_t block;                  /* of the launch; -1 = none */
	uint8_t pipe;
	uint8_t cause;                  /* why the cycles from stall_begin to start were lost, after arrival */
	uint8_t releaser_pipe;          /* what ended that: instruction `releaser` (seq) of this core, 0 = none */
	bool has_flag;
	uint8_t flag_src, flag_dst;     /* pipes of set_flag, wait_flag */
	uint16_t event_id;
	uint8_t n_access;
	uint64_t seq, releaser;         /* per core, from 1, in program order */
	int64_t dispatched;             /* the scalar unit pushed it */
	int64_t arrived;                /* it stood in the pipe's queue */
	int64_t stall_begin;            /* the pipe had nothing older left to issue */
	int64_t start, issue_end, end;  /* occupies the pipe from start to issue_end; results visible at end */
	int64_t extra_bank, extra_bandwidth; /* cycles in [start, issue_end) lost to bank conflicts, shared bandwidth */
	uint64_t repeats, bytes, macs;
	bool has_words;
	uint64_t word[4];               /* operand words, which the site's layout reads */
	struct vtr_access access[VTR_ACCESSES];
};

/* A stretch in which the scalar unit stood still: its instructions are no events, what held it is told here. */
struct vtr_hold {
	uint32_t core, site;            /* site: the instruction that came next; UINT32_MAX = none */
	uint8_t pipe, cause;            /* pipe: whose lane this is, that of the scalar unit */
	uint8_t releaser_pipe;          /* instruction `releaser` (seq) of this core ended it; 0 = none */
	uint64_t releaser;
	int64_t from, to;
};

/* What a report says about the run: texts as its author wrote them, places to look at. */
struct vtr_finding {
	vtr_text id, what, attempt;     /* stable name, what was seen, what to try */
	vtr_text place, what_if;        /* source line; change that would remove it; may be empty */
	int64_t gain;                   /* cycles of the run that it costs at most */
	bool measured;                  /* gain is the answer of a run with what_if, else an estimate */
	uint32_t site, cause;           /* where it shows: static instruction, cause; UINT32_MAX = none */
};

struct vtr_path_line { vtr_text place; uint32_t site; int64_t cycles; };

/* The findings, most costly first, and the critical path behind them. */
struct vtr_findings {
	vtr_text headline;
	uint32_t n_finding, n_part, n_line;
	const struct vtr_finding *finding;
	const vtr_text *part;           /* what stretches of the critical path are: "work", "launch" ... */
	const int64_t *path;            /* cycles of it, at [pipe * n_part + part] */
	const struct vtr_path_line *line; /* source lines with most of it */
	uint32_t path_core;             /* where it ends */
	int64_t path_cycles;            /* what is known of it, counted from the end */
	uint64_t path_links;            /* instructions on it */
};

/* How the run ended. totals: cycles per core, pipe and cause, at [(core * n_pipe + pipe) * n_cause + cause]. */
struct vtr_done {
	int64_t end;
	bool failed;
	vtr_text message;               /* of a failed run */
	const int64_t *totals;          /* may be NULL when writing */
};

/* What was counted, by name; FORMAT.md lists names and units. Values are not negative. core_value: at
 * [core * n_core + i]. n_run and n_core are 0 when a file has no counters. */
struct vtr_counters {
	uint32_t n_run, n_core;
	const vtr_text *run_name, *core_name;
	const int64_t *run_value, *core_value;
};

/* ---- writing: head, sites before their events, events, done. No memory is allocated per event. ---- */

struct vtr_writer;

/* NULL with *f set when the head is out of limits or memory is short. The stream stays the caller's. */
struct vtr_writer *vtr_writer_open(FILE *out, const struct vtr_head *head, struct fail *f) SIM_MUST_CHECK;
bool vtr_write_sites(struct vtr_writer *w, const struct vtr_site *site, uint32_t n, struct fail *f) SIM_MUST_CHECK;
/* Once, behind the sites: how the operand words of each are read; layout_of: n_site numbers of layouts, UINT32_MAX for none. */
bool vtr_write_layouts(struct vtr_writer *w, const struct vtr_layout *layout, uint32_t n, const uint32_t *layout_of,
		       struct fail *f) SIM_MUST_CHECK;
/* FAIL_INTERNAL for an event that breaks the rules above or names what the head and sites do not have. */
bool vtr_write_event(struct vtr_writer *w, const struct vtr_event *e, struct fail *f) SIM_MUST_CHECK;
/* At most once, before the end; for n_core cores, as many as the head has. */
bool vtr_write_counters(struct vtr_writer *w, const struct vtr_counters *c, uint32_t n_core, struct fail *f) SIM_MUST_CHECK;
/* Holds of a core come in order of time. FAIL_INTERNAL as for events. */
bool vtr_write_hold(struct vtr_writer *w, const struct vtr_hold *h, struct fail *f) SIM_MUST_CHECK;
/* Once, when all events are written. */
bool vtr_write_findings(struct vtr_writer *w, const struct vtr_findings *x, struct fail *f) SIM_MUST_CHECK;
/* Last block, totals, index, footer. */
bool vtr_write_done(struct vtr_writer *w, const struct vtr_done *done, struct fail *f) SIM_MUST_CHECK;
void vtr_writer_free(struct vtr_writer *w);

/* ---- reading ---- */

struct vtr_block_core { uint32_t core, n_event; int64_t min_cycle, max_cycle; };

/* A block of events. Every cycle named by its events lies in [min_cycle, max_cycle]. */
struct vtr_block {
	uint64_t offset, first_event;
	uint32_t n_event, n_core;
	uint32_t core_at;               /* its rows in vtr.block_core */
	int64_t min_cycle, max_cycle;
};

struct vtr {
	struct vtr_head head;
	uint32_t n_site, n_block, n_block_core;
	const struct vtr_site *site;
	const struct vtr_block *block;
	const struct vtr_block_core *block_core;
	uint64_t n_event;
	int64_t max_cycle;              /* latest cycle of any block */
	bool has_done, cut;             /* cut: no index at the end, the blocks were found by walking the file */
	struct vtr_done done;
	struct vtr_counters counters;
	const struct vtr_findings *findings; /* NULL: the run did not end, or the file is older than they are */
	uint32_t n_hold_block;
	uint32_t n_layout;
	const struct vtr_layout *layout;
	const uint32_t *layout_of;      /* per site, UINT32_MAX = none; NULL when the file has no layouts */
	uint32_t n_bad;                 /* chunks left out because they are damaged, counted while opening */
	struct vtr_store *store;        /* memory behind all this */
};

/* Open a file; FAIL_USER when it is no trace, of a newer version, or its head is damaged. A file cut off or damaged
 * further on opens with what is whole. The memory variant does not copy: bytes must outlive it. */
bool vtr_open(const char *path, struct vtr *t, struct fail *f) SIM_MUST_CHECK;
bool vtr_open_memory(const void *bytes, size_t size, const char *name, struct vtr *t, struct fail *f) SIM_MUST_CHECK;
void vtr_close(struct vtr *t);

/* Which events a walk returns: of one core or all (core < 0), that touch a cycle of [from, to]. */
struct vtr_filter { int core; int64_t from, to; };
#define VTR_ALL ((struct vtr_filter){ -1, 0, INT64_MAX })

struct vtr_walk;
struct vtr_walk *vtr_walk_new(const struct vtr *t, struct vtr_filter filter, struct fail *f) SIM_MUST_CHECK;
/* The next event in order of emission, false at the end. Blocks that cannot hold a match are not unpacked. */
bool vtr_next(struct vtr_walk *w, struct vtr_event *e);
/* Read the operand words of events too: they stand apart, since few readers look at them. */
void vtr_walk_words(struct vtr_walk *w);
void vtr_rewind(struct vtr_walk *w);
/* Go to the beginning of block `block`; the walk ends behind block `last`. */
void vtr_seek(struct vtr_walk *w, uint32_t block, uint32_t last);
uint32_t vtr_walk_block(const struct vtr_walk *w);     /* block that the last event came from */
uint32_t vtr_walk_bad(const struct vtr_walk *w);       /* blocks skipped because they are damaged */
void vtr_walk_free(struct vtr_walk *w);

/* A counter of the run, of a core; -1 when the file does not say. Bytes by memory (read., written., moved.) that are not
 * listed are 0. */
int64_t vtr_run_counter(const struct vtr *t, const char *name);
int64_t vtr_core_counter(const struct vtr *t, uint32_t core, const char *name);

/* All holds, in the order in which they were written. Returns how many blocks of them are damaged and left out; take may
 * be called for part of such a block. */
uint32_t vtr_each_hold(const struct vtr *t, void (*take)(void *user, const struct vtr_hold *h), void *user);

/* The value of an argument. */
static inline uint64_t vtr_operand_value(const struct vtr_operand *o, const uint64_t word[4])
{
	uint64_t low = o->width < 64 ? (UINT64_C(1) << o->width) - 1 : UINT64_MAX, v = word[o->word] >> o->lsb & low;
	uint64_t high = word[o->word] >> o->lsb2 & ((UINT64_C(1) << o->width2) - 1);
	return o->width2 ? v | high << o->width : v;
}

/* Cycles that the event spent waiting for its cause: after it had arrived and the pipe was free. */
static inline int64_t vtr_ready(const struct vtr_event *e)
{
	return e->stall_begin > e->arrived ? e->stall_begin : e->arrived;
}

#endif
