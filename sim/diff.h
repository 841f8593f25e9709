/*
 * diff.h - two runs side by side: what got slower or faster, largest changes first.
 *
 *   report.json or run.vtr --diff_read--> side --diff_make--> rows --text, JSON
 */
#ifndef DIFF_H
#define DIFF_H

#include "fail.h"

#include <stdio.h>

enum diff_group { DIFF_PIPE, DIFF_CAUSE, DIFF_LINE, DIFF_INSN, DIFF_GROUPS };

/* Something that took cycles, in one run or in both. */
struct diff_row {
	char *name;
	int64_t old, new;        /* cycles */
	uint64_t old_calls, new_calls;
};

struct diff_table { int n, max; struct diff_row *row; };

/* One run: cycles by pipe, by cause, by source line and by instruction, summed over its cores. */
struct diff_side {
	char kernel[256], chip[64];
	int64_t cycles;
	struct diff_table table[DIFF_GROUPS]; /* old = cycles, new unused */
};

bool diff_read(const char *path, struct diff_side *s, struct fail *f) SIM_MUST_CHECK;
void diff_side_free(struct diff_side *s);

/* Rows of both sides by name, sorted by the size of their change. */
bool diff_make(const struct diff_side *a, const struct diff_side *b, struct diff_table out[DIFF_GROUPS], struct fail *f)
	SIM_MUST_CHECK;
void diff_table_free(struct diff_table *t);

/* --- between the files --- */
/* The row of that name, made when it is not there; NULL without memory. */
struct diff_row *diff_row_of(struct diff_table *t, const char *name);
bool diff_read_trace(const char *path, struct diff_side *s, struct fail *f) SIM_MUST_CHECK;

#endif
