/*
 * diff.h - two runs side by side: what got slower or faster, largest changes first.
 *
 *   report.json or run.vtr --diff_read--> side --diff_make--> rows --text, JSON
 */
#ifndef DIFF_H
#define DIFF_H

#include "fail.h"

#include <stdint.h>
#include <stdio.h>

enum diff_group { DIFF_PIPE, DIFF_CAUSE, DIFF_LINE, DIFF_INSN, DIFF_GROUPS };

/* Something that took cycles, in one run or in both. */
struct diff_row {
	char *name;
	int64_t old, new;        /* cycles */
	uint64_t old_calls, new_calls;
};

/* What the report of a run found: "single buffer, matmul.c:88 in f". Findings are told by their names, as the line that a
 * cure moves is still the same trouble. */
struct diff_finding { char *id, *place, *what; int64_t gain; };
enum { DIFF_FINDINGS = 64 };

struct diff_table { int n, max; struct diff_row *row; };

/* One run: cycles by pipe, by cause, by source line and by instruction, summed over its cores. */
struct diff_side {
	char kernel[256], chip[64];
	int64_t cycles;
	struct diff_table table[DIFF_GROUPS]; /* old = cycles, new unused */
	bool has_findings;       /* false: a trace without them */
	int n_finding;
	struct diff_finding finding[DIFF_FINDINGS];
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
bool diff_finding_add(struct diff_side *s, const char *id, const char *place, const char *what, int64_t gain, struct fail *f)
	SIM_MUST_CHECK;
/* The n'th finding called id; NULL when there are fewer. */
const struct diff_finding *diff_finding_of(const struct diff_side *s, const char *id, int n);
bool diff_read_trace(const char *path, struct diff_side *s, struct fail *f) SIM_MUST_CHECK;

#endif
