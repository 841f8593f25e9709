/*
 * scalar.h - the scalar unit: RV64IMFD + Zfhmin, pre-decoded, with caches in front of GM and the UB window.
 *
 *   address < UB size          UB, directly
 *   address >= 4 GiB           GM through the data cache (write-back, not coherent: stale lines stay stale)
 *   anything else              an error
 *
 * Time: straight code costs differences of insn.cost (issue width, latencies between neighbours, settled at decode);
 * taken branches, cache misses and UB loads add their cycles as they happen.
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

struct cache_line { uint64_t tag; bool valid, dirty; uint8_t data[128]; };

struct scalar {
	uint64_t x[32];
	uint64_t f[32];         /* NaN-boxed */
	uint32_t fcsr;
	uint64_t pc;
	int64_t cycle;          /* local time, cycles */
	uint32_t sub;           /* quarter cycles beyond it */
	uint64_t instret;       /* executed RV64 instructions (Da Vinci ones included) */
	int64_t stall_icache, stall_dcache; /* cycles, totals */
	uint64_t icache_misses, dcache_hits, dcache_misses;
	/* caches; sizes from the chip at scalar_init */
	uint32_t d_sets, d_ways, d_line, i_sets, i_ways, i_line;
	struct cache_line *d;   /* d_sets * d_ways */
	uint8_t *d_next;        /* round-robin victim per set */
	uint8_t *i_present;     /* one per text line: is it cached */
	uint32_t *i_slot;       /* sets * ways -> text line + 1 */
	uint8_t *i_next;
	const struct chip *chip;
	const struct program *program;
	struct core_mem *mem;
};

bool scalar_init(struct scalar *s, const struct chip *chip, unsigned core_kind, const struct program *p,
		 struct core_mem *mem, struct fail *f) SIM_MUST_CHECK;
void scalar_free(struct scalar *s);

/* Begin a block: registers cleared, arguments placed as the lp64d calling convention says (8 in registers, the rest on
 * the stack), data cache empty. Caches of instructions stay warm. */
void scalar_start(struct scalar *s, int64_t cycle, const uint64_t *args, int n_args, const bool *is_float);

/* Run until something needs the core. Instructions that only touch this core's registers and cached lines may run past
 * `until`; accesses to UB, cache misses and Da Vinci instructions may not. */
enum scalar_stop scalar_run(struct scalar *s, int64_t until, struct fail *f);

/* The Da Vinci instruction at pc: decoded form and operand words (rd, rs1, rs2, x31). */
const struct insn *scalar_dv(const struct scalar *s, uint64_t x[4]);
/* Step over it, writing `value` to rd when the row returns one. */
void scalar_skip(struct scalar *s, bool has_value, uint64_t value);

/* Data cache control. Write back and/or drop the line of addr, or everything. */
bool scalar_cache_line(struct scalar *s, uint64_t addr, bool write_back, bool invalidate, struct fail *f);
bool scalar_cache_all(struct scalar *s, bool write_back, bool invalidate, struct fail *f);

/* Fill insn[] of a program: handlers and cost prefix sums. FAIL_* never: illegal words get a handler that faults. */
void scalar_predecode(struct program *p, const struct chip *chip);

#endif
