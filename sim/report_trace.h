/*
 * report_trace.h - `vinci report` on a trace.
 */
#ifndef REPORT_TRACE_H
#define REPORT_TRACE_H

#include "fail.h"

#include <stdio.h>

/* The report that the trace at `path` carries. FAIL_USER when it is no trace, or carries none. */
bool report_trace(const char *path, bool json, FILE *out, struct fail *f) SIM_MUST_CHECK;
bool report_trace_is(const char *path); /* by its name */
/* argv: "report", FILE.vtr, options */
int cli_report_trace(int argc, char **argv);

#endif
