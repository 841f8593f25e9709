/*
 * whatif.h - the run repeated with one thing changed: what would a faster memory, a larger queue, a missing barrier gain?
 *
 * Changes of the chip are overrides of its numbers; changes that no number of a chip says are in struct what_if, which
 * the engine looks at. Repeated runs compute no values.
 */
#ifndef WHATIF_H
#define WHATIF_H

#include "run.h"

enum { WHATIF_CHANGES = 16, WHATIF_BOUNDS = 32 };

/* One change and what it did. */
struct whatif_result {
	char text[96];      /* "hbm=2x" */
	char doc[160];      /* "HBM twice as fast" */
	int64_t cycles;     /* of the changed run */
};

/* Check that a change is one, for early errors on the command line; a place in the source is checked when the program is
 * there. FAIL_USER with what can be written. */
bool whatif_check(const char *text, struct fail *f) SIM_MUST_CHECK;

/* Repeat a finished run with n changes together. */
bool whatif_run(const struct run *r, const char *const *change, int n, int64_t *cycles, struct fail *f) SIM_MUST_CHECK;

/* The standard set, each change alone, largest gain first; returns how many, -1 on failure. */
int whatif_bounds(const struct run *r, struct whatif_result *out, int max, struct fail *f);

/* "HBM twice as fast" for "hbm=2x". */
void whatif_doc(const char *change, char *text, size_t size);

/* Every form with what it does, for --help. */
extern const char whatif_help[];

#endif
