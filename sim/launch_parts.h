/*
 * launch_parts.h - what launch.c, launch_set.c, launch_expr.c and launch_init.c share.
 */
#ifndef LAUNCH_PARTS_H
#define LAUNCH_PARTS_H

#include "cfg.h"
#include "launch.h"

/* Text to number without locale: "1", "-2.5", "1e-3". False when anything is left over. */
bool launch_number(const char *text, double *v);

/* Check a generator text ("uniform(-1, 1)") without running it; what is wrong goes to f. */
bool launch_check_init(const char *text, struct fail *f) SIM_MUST_CHECK;

/* Names of kinds in the order of enum arg_kind. */
extern const char *const launch_kinds[6];

/* Values of the params that are expressions, after any param changed. */
bool launch_follow(struct launch *l, struct fail *f) SIM_MUST_CHECK;

/* A parameter, argument or tiling member is named like a C identifier. */
bool launch_is_name(const char *text);

/* Relations inside a launch: arguments have what their kind needs. FAIL_USER with the argument's line. */
bool launch_check(const struct launch *l, struct fail *f) SIM_MUST_CHECK;

#endif
