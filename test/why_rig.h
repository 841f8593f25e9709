/*
 * why_rig.h - for tests of reports: kernels of kernels/, as they are or changed in one place, run through the whole command.
 */
#ifndef WHY_RIG_H
#define WHY_RIG_H

#include "../sim/report_views.h"

/* One replacement in a kernel's source; the test fails when `from` is not there. */
struct rig_change { const char *from, *to; };

/* Run kernels/NAME/CFG with overrides ("M=512", "blocks=12"; ends with NULL) and changes (ends with from = NULL; NULL =
 * none). Values are not compared. Asserts that the run ends well. */
void rig_run(struct run *r, const char *name, const char *cfg, const char *const *set, const struct rig_change *change);
/* Number of the finding with that id, from 0; -1 = it is not among the findings. */
int rig_finding(const struct run *r, const char *id);
/* The text report; freed by the caller. */
char *rig_text(const struct run *r);

#endif
