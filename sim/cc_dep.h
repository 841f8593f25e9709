/*
 * cc_dep.h - what an ELF was made from, kept beside it in OUTPUT.dep: table fingerprint, command, files read.
 */
#ifndef CC_DEP_H
#define CC_DEP_H

#include "tool.h"
#include "fail.h"

/* Write OUTPUT.dep from the compiler's make-style dependency file and a list of files more, NULL at its end. The temporary
 * file `passed`, what the compiler read for the source, is left out (NULL: none). */
bool cc_dep_write(const char *output, const struct tool *c, const char *make_deps, const char *passed,
		  const char *const *more, struct fail *f) SIM_MUST_CHECK;

/* True when OUTPUT exists, OUTPUT.dep names the same command and table, and no file is newer than OUTPUT. */
bool cc_dep_fresh(const char *output, const struct tool *c);

#endif
