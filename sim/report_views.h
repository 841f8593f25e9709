/*
 * report_views.h - the views of `vinci report` besides the report itself.
 */
#ifndef REPORT_VIEWS_H
#define REPORT_VIEWS_H

#include "run.h"
#include "whatif.h"

/* Source files with counters in front of each line that the run used. */
bool report_source(const struct run *r, FILE *out, struct fail *f) SIM_MUST_CHECK;
/* Every instruction that the run used, with counters, below its source line. */
bool report_disassembly(const struct run *r, FILE *out, struct fail *f) SIM_MUST_CHECK;
/* Work against bytes: what the chip could do at most, what was reached; GM traffic against the least possible. */
void report_roofline(const struct run *r, FILE *out);
/* Which bytes of the on-chip memories hold data that is still read, over time. */
void report_buffers(const struct run *r, FILE *out);
/* Old and new cycles of changed runs, largest gain first. */
void report_whatif(const struct run *r, const struct whatif_result *w, int n, FILE *out);

/* The report and all its views as one JSON object: sim/schema/report.schema.json. */
bool report_json(const struct run *r, const struct whatif_result *w, int n, FILE *out, struct fail *f) SIM_MUST_CHECK;

/* The roofline's numbers, for JSON too. All rates per core cycle. */
struct roofline {
	bool cube;                   /* work in MACs; else in bytes that the vector unit takes */
	double work, bytes;          /* of the run; bytes from and to HBM, L2 for l2_bytes */
	double l2_bytes;
	double peak_core, peak_chip; /* work per cycle */
	double hbm_rate, l2_rate;
	double reached;              /* work per cycle of the run */
	double roof;                 /* the lower of peak and bandwidth * work / bytes */
	bool memory;                 /* the roof is the memory's */
};
struct roofline roofline_of(const struct run *r);

#endif
