/*
 * scalar.h - the scalar unit: RV64IMFD + Zfhmin, pre-decoded, with caches in front of GM and the UB window.
 *
 *   address < UB size          UB, directly
 *   address >= 4 GiB           GM through the data cache (write-back, not coherent: stale lines stay stale)
 *   anything else              an error
 *
 * Alignment: in UB every access is naturally aligned; in GM it may lie anywhere within one cache line. Others are errors.
 *
 * Time. Issue is in order, in groups of at most issue_width instructions per cycle. A group ends behind a branch, a jump
 * or a Da Vinci word, before a branch target, before a second memory access, and before an instruction whose source is
 * not ready. A result is ready mul_cycles, fp_cycles or load_gm_cycles (at least 1) after its issue, other results 1; a
 * division or square root blocks issue for its cycles, a CSR access for spr_cycles. This follows the text in line, is
 * settled at decode (insn.cost) and costs the interpreter nothing. Results under way are forgotten at a branch target, once
 * its own sources are ready, and by a taken branch.
 * Added as they happen: branch_cycles per taken branch or jump; dcache_miss_cycles per line fetched and once more per
 * dirty line it displaces; icache_miss_cycles per text line fetched; per UB load what load_ub_cycles exceeds
 * load_gm_cycles by. The I-cache replaces first-in first-out, the D-cache round-robin.
 */
#ifndef SCALAR_H
#define SCALAR_H

#include "chip.h"
#include "exec.h"
#include "program.h"

/* Return address of the entry function: reaching it ends the block. */
#define SCALAR_RETURN_PC UINT64_C(0xfffffffffffff000)

enum scalar_stop {
	SCALAR_DV,      /* pc is at a Da Vinci instruction: the core must take it (then scalar_skip) */
	SCALAR_YIELD,   /* the next thing would touch shared state after `until`: come back at s->cycle */
	SCALAR_RETURN,  /* the entry function returned */
	SCALAR_FAULT    /* *f says what */
};

/* A data cache line. Bytes [first, end) exist in GM: a buffer may end inside the line. */
struct cache_line {
	uint64_t tag;           /* address of the line */
	bool valid, dirty, writable, watched;
	uint8_t first, end;
	uint8_t data[128];
};

/* A line that loads (or stores) hit without a search: host = address of its data - line address. */
struct scalar_hot { uint64_t line; uintptr_t host; };
enum { SCALAR_HOT = 64, SCALAR_HOT_SHIFT = 6 };
#define SCALAR_HOT_NONE UINT64_MAX

struct scalar {
	uint64_t x[33];         /* x[32] takes what is written to x0 */
	uint64_t f[32];         /* NaN-boxed */
	uint32_t fcsr;
	uint64_t pc;
	int64_t cycle;          /* when the instruction at pc issues */
	uint64_t instret;       /* executed RV64 instructions (Da Vinci ones included) */
	int64_t stall_icache, stall_dcache; /* cycles, totals */
	uint64_t icache_misses, dcache_hits, dcache_misses;
	uint64_t ub_bytes[2];   /* loaded from UB, stored to it */
	struct scalar_hot hot_load[SCALAR_HOT], hot_store[SCALAR_HOT]; /* by address / 64 */
	/* caches; sizes from the chip at scalar_init */
	uint32_t d_sets, d_ways, d_line, i_sets, i_ways, i_line;
	struct cache_line *d;   /* d_sets * d_ways */
	uint8_t *d_next;        /* round-robin victim per set */
	uint8_t *i_present;     /* one per text line: is it cached */
	uint32_t *i_slot;       /* sets * ways -> text line + 1 */
	uint8_t *i_next;        /* first-in way per set */
	const struct chip *chip;
	const struct program *program;
	struct core_mem *mem;
	struct checker *check;  /* told of accesses to UB and writable arguments; NULL = none (check.h) */
};

/* The program is decoded already. Everything that scalar_init allocates goes with scalar_free. FAIL_USER for a cache
 * geometry that is not one. */
bool scalar_init(struct scalar *s, const struct chip *chip, unsigned core_kind, const struct program *p,
		 struct core_mem *mem, struct fail *f) SIM_MUST_CHECK;
void scalar_free(struct scalar *s);
uint64_t scalar_text_lines(const struct scalar *s); /* of the instruction cache, that the text touches: bytes of i_present */

/* Begin a block: registers cleared, arguments placed as the lp64d calling convention says (8 in registers, the rest on
 * the stack), data cache empty. Caches of instructions stay warm. A word for a float argument is NaN-boxed by the caller;
 * n_args <= 32. */
void scalar_start(struct scalar *s, int64_t cycle, const uint64_t *args, int n_args, const bool *is_float);

/* Run until something needs the core. Instructions that only touch this core's registers and cached lines may run past
 * `until`; accesses to UB, cache misses, Da Vinci instructions and the entry's return may not. Code that needs nothing comes
 * back at a taken branch some SCALAR_AHEAD_CYCLES later. Values, cycles and counts do not depend on how a run is cut into
 * calls. */
#define SCALAR_AHEAD_CYCLES 100000
enum scalar_stop scalar_run(struct scalar *s, int64_t until, struct fail *f);

/* The Da Vinci instruction at pc: decoded form and operand words (rd, rs1, rs2, x31). */
const struct insn *scalar_dv(const struct scalar *s, uint64_t x[4]);
/* Step over it, writing `value` to rd when the row returns one; adds the cycle of its issue. */
void scalar_skip(struct scalar *s, bool has_value, uint64_t value);

/* Data cache control. Write back and/or drop the line of addr, or everything; dcache_miss_cycles per line written back.
 * FAIL_KERNEL when addr is not in GM. */
bool scalar_cache_line(struct scalar *s, uint64_t addr, bool write_back, bool invalidate, struct fail *f);
bool scalar_cache_fetch(struct scalar *s, uint64_t addr, struct fail *f); /* bring the line of addr in, free of charge */
bool scalar_cache_all(struct scalar *s, bool write_back, bool invalidate, struct fail *f);

/* Fill insn[] of a program: handlers and issue cycles; allocates insn when it is NULL (and leaves NULL when memory is out,
 * which scalar_init reports). FAIL_* never: illegal words get a handler that faults. */
void scalar_predecode(struct program *p, const struct chip *chip);

#endif
