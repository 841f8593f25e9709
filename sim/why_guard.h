/*
 * why_guard.h - what a barrier keeps apart: bytes that instructions of a pipe touched; for why_*.c only.
 */
#ifndef WHY_GUARD_H
#define WHY_GUARD_H

#include "why.h"

enum { WHY_GUARDS = 24 };

/* Bytes that instructions of a pipe touched since its last barrier, and before that one. */
struct why_span { uint64_t from, to; uint8_t space; bool write; };
struct why_guard {
	struct why_span before[WHY_GUARDS], behind[WHY_GUARDS];
	int n_before, n_behind;   /* WHY_GUARDS + 1 = more than could be kept: taken as a conflict */
	uint32_t word;            /* of the last barrier, UINT32_MAX = none */
	bool counted;             /* it is known to guard something */
};

#endif
