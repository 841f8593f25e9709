/*
 * op.h - four of the six things that flow: op (what is to be done), effect (what doing it touches), event (when it
 * happened and why not earlier). The fifth, the table row, is isa.h; the sixth, chip, is chip.h.
 */
#ifndef OP_H
#define OP_H

#include "../isa/isa.h"

#include <stdbool.h>
#include <stdint.h>

/* Special registers. The scalar unit writes them in program order; an op carries the values at its dispatch, since it
 * may run much later. */
struct spr {
	uint64_t mask_hi, mask_lo;  /* vector mask, lanes 127..64 and 63..0; counter mode: mask_lo = elements */
	uint64_t ctrl;              /* hardware.md 2.7 */
	uint64_t fmatrix, fmatrix_b, l3d_rpt, l3d_size, padding;
	uint64_t mov_pad_val, nd_para, quant_pre, fpc, lrelu_alpha, deqscale;
	uint64_t ffts_base, l0_value;
	uint64_t aipp[25];
	uint16_t va[8][8];          /* VA registers: UB block addresses, 32 B units */
};

/* One dynamic instruction of a pipe. */
struct op {
	uint64_t seq;       /* per core, counts dispatched ops from 1 */
	uint64_t pc;
	uint64_t x[4];      /* words of rd, rs1, rs2, x31 at dispatch */
	int64_t dispatched; /* cycle the scalar unit pushed it */
	int64_t arrived;    /* cycle it stood in the pipe's queue */
	int64_t issue_cycles; /* scalar time since the op dispatched before it, waits left out */
	int64_t stall_icache, stall_dcache; /* the core's scalar stalls so far, cycles */
	uint16_t insn;      /* enum isa_id */
	uint8_t variant;    /* element type variant */
	uint8_t pipe;       /* enum isa_pipe */
	uint8_t flag_src, flag_dst, event_id; /* SETFLAG, WAITFLAG */
	struct spr spr;
};

/* A strided set of bytes in one memory: for i2, i1, i0 over n[]: [addr + i0*stride[0] + i1*stride[1] + i2*stride[2],
 * + unit_bytes). Vector ops: n[0] = blocks (or results) of a repeat, n[1] = repeats. access_next (exec.h) walks the
 * bytes that are really touched, with the lanes below taken into account. */
struct access {
	uint8_t space;       /* enum isa_space */
	bool write;
	bool atomic;
	bool masked;         /* of every repeat only the lanes in mask[] are touched; lane = position in the repeat, in
	                        elements of elem_bytes */
	uint8_t elem_bytes;
	uint32_t unit_bytes; /* contiguous bytes */
	uint64_t addr;
	uint32_t n[3];       /* counts, innermost first, all >= 1 */
	int64_t stride[3];   /* bytes */
	uint32_t tail_lanes; /* counter mode: lanes of the last repeat; 0 = it is complete */
	uint64_t mask[2];    /* lanes 63..0, 127..64 */
};

enum { EFFECT_ACCESSES = 8 };

/* How a transfer crosses the core's border, for the memory system. */
struct gm_transfer {
	bool any, write, atomic;
	uint64_t addr;        /* first byte in GM */
	uint32_t n_burst;     /* contiguous pieces */
	uint32_t burst_bytes; /* bytes of a piece */
	int64_t burst_pitch;  /* start to start, bytes */
	uint64_t bytes;       /* n_burst * burst_bytes */
};

/* What executing an op touches and how much work it is; made from the op alone (values do not matter), read by timing,
 * checks, statistics and trace. */
struct effect {
	uint8_t n_access;
	struct access access[EFFECT_ACCESSES];
	struct gm_transfer gm;
	uint32_t repeats;      /* vector: repeats; load2d, img2col: fractals; others 0 */
	uint32_t elem_bytes;   /* width that selects the timing entry: the widest operand type */
	uint64_t macs;         /* multiply-accumulates on valid elements */
	uint32_t cube_steps;   /* ceil(m/16)*ceil(n/16)*ceil(k/k0) */
	uint64_t bytes;        /* bytes moved by a copy */
	uint32_t map_stride;   /* img2col: the window's stride along W; others 0 */
	uint32_t row_turns;    /* img2col: how often the 16 windows of a fractal go on in the next output row, all together */
	bool partial_tail;     /* counter mode with a partial last repeat */
	bool nop;              /* repeat 0 or a zero dimension: nothing happens */
};

/* Why time passed on a pipe; every cycle from launch to end has exactly one (design D9). */
enum cause {
#define CAUSE(id, text, doc) CAUSE_##id,
#include "causes.def"
#undef CAUSE
	CAUSE_COUNT
};
const char *cause_text(enum cause c);

/* When an op happened. start - stall_begin cycles were lost for `cause`, ended by `releaser` (seq of the op on pipe
 * `releaser_pipe` that came last, 0 = none). */
struct event {
	const struct op *op;
	const struct effect *effect;
	int core, block;
	int64_t stall_begin;   /* pipe had nothing older left to issue from here on */
	int64_t start;         /* began to occupy the pipe */
	int64_t issue_end;     /* the next op may start */
	int64_t end;           /* results are visible */
	int64_t extra_bank, extra_bandwidth; /* cycles within [start, issue_end) lost to bank conflicts, sharing */
	enum cause cause;
	uint8_t releaser_pipe;
	uint64_t releaser;
};

/* What held the scalar unit up, and until when: one per wait, one (WAIT_IDLE) when a block starts, and one
 * for the cache misses of each kind between two Da Vinci instructions. */
struct hold {
	int core, block;
	int64_t from, to;
	enum cause cause;      /* QUEUE, FLAG_*, CROSS_CORE, BARRIER, DRAIN, LAUNCH; ICACHE, DCACHE */
	uint64_t pc;           /* of the instruction that had to wait */
	uint64_t next_seq;     /* seq of the next op that this core dispatches */
	uint8_t releaser_pipe; /* who ended it, as in struct event; on another core for CROSS_CORE */
	int releaser_core;
	uint64_t releaser;
};

#endif
