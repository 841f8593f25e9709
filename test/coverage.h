/*
 * coverage.h - what the tests of one run executed of the instruction table, and the gate on it. Tests run in processes of
 * their own; they count into one shared file, named by the environment, that the main program reads when all are done.
 */
#ifndef COVERAGE_H
#define COVERAGE_H

#include "../sim/sim.h"

enum { COVERAGE_VARIANTS = 16 };

struct coverage {
	uint32_t ran[ISA_COUNT][COVERAGE_VARIANTS]; /* executed, and its values compared with a reference */
	uint32_t partial[ISA_COUNT];  /* under a mask with holes */
	uint32_t tail[ISA_COUNT];     /* counter mode with a partial last repeat */
	uint32_t edge[ISA_COUNT];     /* touched the last byte of a buffer */
	uint32_t outside[ISA_COUNT];  /* refused: bytes outside a buffer */
	uint32_t refused[ISA_COUNT];  /* refused for another mistake of the kernel */
	uint32_t nop[FORM_COUNT];     /* with nothing to do */
};

/* An op ran and its result was looked at; an op ran at the edge of a buffer; an op was refused; a whole simulation ran. */
void coverage_ran(const struct op *op, const struct effect *e);
void coverage_edge(const struct core_mem *mem, const struct op *op, const struct effect *e);
void coverage_refused(const struct op *op, const struct fail *f);
void coverage_sim(const struct sim *s);

/* The gate, in the main program: open the file before the tests, then say what is missing; returns the number of gaps. */
bool coverage_open(void);
int coverage_report(FILE *out);
void coverage_close(void);

#endif
