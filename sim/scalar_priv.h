/*
 * scalar_priv.h - what the files of the scalar unit share.
 */
#ifndef SCALAR_PRIV_H
#define SCALAR_PRIV_H

#include "scalar.h"

/* Numbers of the interpreter's labels. A handler at or above HANDLER_COUNT is handler - HANDLER_COUNT on the first word
 * of an I-cache line: the line is checked before it runs. */
enum handler {
	HANDLER_illegal,
	HANDLER_dv,     /* any row that is not RV64 */
	HANDLER_end,    /* the sentinel behind the text */
	HANDLER_away,   /* direct branch or jump to a place that is not an instruction; insn.rs3 = the real handler */
	HANDLER_float,  /* float arithmetic, by insn.id */
#define OP(id, kind) HANDLER_##id,
#define FOP(id, kind)
#include "scalar_ops.def"
#undef OP
#undef FOP
	HANDLER_COUNT
};

enum { SCALAR_SINK = 32 }; /* x[] slot that takes writes to x0 */

static inline uint64_t scalar_pc_of(const struct program *p, const struct insn *ip)
{
	return p->text_addr + 4 * (uint64_t)(ip - p->insn);
}

/* FAIL_KERNEL with pc, cycle and core filled in. Returns SCALAR_FAULT. */
enum scalar_stop scalar_fault(struct scalar *s, struct fail *f, uint64_t pc, int64_t cycle, const char *fmt, ...)
	SIM_PRINTF(5, 6);

/* An access that the fast path could not serve. */
struct scalar_access {
	uint64_t addr, pc;
	unsigned size;
	bool write;
	int64_t now, until;
	int64_t extra;         /* out: cycles it took beyond the cost of a hit */
	enum scalar_stop stop; /* out, when refused: SCALAR_YIELD or SCALAR_FAULT */
};

/* Host address of the bytes, fetched into the cache if need be; NULL when refused. */
uint8_t *scalar_reach(struct scalar *s, struct scalar_access *a, struct fail *f);
/* Bring text line `line` into the I-cache; returns the cycles lost. */
int64_t scalar_fetch(struct scalar *s, uint32_t line);
void scalar_cache_drop(struct scalar *s);

/* Float arithmetic. False: the rounding mode is reserved. */
bool scalar_float(struct scalar *s, const struct insn *ip) SIM_MUST_CHECK;

/* Zicsr on the counters and fcsr; false: no such CSR, or a write to a counter. */
bool scalar_csr(struct scalar *s, const struct insn *ip, int64_t now, uint64_t instret) SIM_MUST_CHECK;

#endif
