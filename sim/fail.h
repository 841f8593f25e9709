/*
 * fail.h - errors, and whose fault they are (design D7).
 *
 * A function that can fail returns false (or NULL) and fills a struct fail; callers pass it up. The command prints it
 * and exits with the class's status. A fail that is already set is never overwritten: the first cause wins.
 */
#ifndef FAIL_H
#define FAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define SIM_MUST_CHECK __attribute__((warn_unused_result))
#define SIM_PRINTF(a, b) __attribute__((format(printf, a, b)))

enum fail_class {
	FAIL_NONE = 0,
	FAIL_KERNEL = 1,   /* the kernel is wrong: out of bounds, misaligned, illegal instruction, deadlock, mismatch */
	FAIL_USER = 2,     /* bad file, config, argument */
	FAIL_MODEL = 3,    /* not modelled, or not specified by public sources */
	FAIL_INTERNAL = 4  /* ours */
};

/* Where in a simulated run: any field may be unset (core < 0, cycle < 0, pc == 0). */
struct fail_where {
	uint64_t pc;
	int64_t cycle;
	int core, block, pipe; /* pipe: enum isa_pipe */
	char kernel_line[160]; /* "matmul.c:88 in matmul" when debug info gave it */
};

struct fail {
	enum fail_class class;
	char what[768];  /* one sentence: what is wrong, with the values */
	char hint[384];  /* what to do about it; may be empty */
	char file[256];  /* input file at fault; may be empty */
	int line;        /* line in file, 0 = unknown */
	struct fail_where where;
	bool has_where;
};

/* Set f unless it is already set. Always returns false, so that "return fail_set(...)" reads well. f may be NULL. */
bool fail_set(struct fail *f, enum fail_class class, const char *fmt, ...) SIM_PRINTF(3, 4);
/* The same with file and line. */
bool fail_file(struct fail *f, enum fail_class class, const char *file, int line, const char *fmt, ...) SIM_PRINTF(5, 6);
/* Add what to do; printf-like. Returns false. */
bool fail_hint(struct fail *f, const char *fmt, ...) SIM_PRINTF(2, 3);

/* On stderr, one line each for what, where in the run, input file, hint:
 *   vinci: kernel error: vadd.f16: ...
 *     at matmul.c:88 in matmul, pc 0x100000124, core 3 (block 3), pipe V, cycle 1234
 *     hint: ... */
void fail_print(const struct fail *f);
void fail_write(const struct fail *f, FILE *out);

#endif
