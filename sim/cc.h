/*
 * cc.h - compiles kernels with clang-19 and lld, and golden programs with the host's compiler.
 */
#ifndef CC_H
#define CC_H

#include "../isa/isa.h"
#include "fail.h"

struct cc_options {
	const char *source;      /* .c: C11; .cpp .cc .cxx .cce .asc: C++17 */
	const char *output;      /* the ELF */
	unsigned arch;           /* one bit of enum isa_arch */
	unsigned core;           /* one bit of enum isa_core; must fit the level */
	const char *extra;       /* more flags for clang, split at blanks; may be NULL */
	const char *include;     /* one more include folder; may be NULL */
};

/* Compile and link. The output appears complete or not at all; beside it OUTPUT.dep remembers what it was made from.
 * Compiler messages go to stderr. FAIL_USER with the command line when the compiler fails or is missing. */
bool cc_compile(const struct cc_options *o, struct fail *f) SIM_MUST_CHECK;

/* True when the output exists and source, headers, flags and instruction table are those it was made from. */
bool cc_up_to_date(const struct cc_options *o);

/* The core kind a source is compiled for when nobody says: fused, or the vector core of a split chip. */
unsigned cc_default_core(unsigned arch);

/* The core kinds that a C++ operator needs on a split chip, both for a mixed kernel: as it says (KERNEL_TASK_TYPE and the
 * like), else by the calls that it makes. Other sources: cc_default_core. */
bool cc_source_core(const char *source, unsigned arch, unsigned *core, struct fail *f) SIM_MUST_CHECK;

/* Compile a C program for this machine: golden references. One rounding per operation, as in the simulator. */
bool cc_host(const char *source, const char *output, const char *include, struct fail *f) SIM_MUST_CHECK;

#endif
