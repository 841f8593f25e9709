/*
 * vendor.h - shared by the files that write the vendor profiler's simulator folder.
 */
#ifndef VENDOR_H
#define VENDOR_H

#include "export.h"

/* One static instruction on one core. */
struct vendor_site {
	uint64_t calls, bytes, conflict;
	int64_t cycles;              /* sum over calls */
	int64_t running, last_end;   /* union of the calls' intervals, and how far it reaches */
	uint8_t pipe;
};

enum { VTR_MAX_PLACE = 4200 };

struct vendor {
	struct export *x;
	char folder[600];            /* .../simulator */
	struct vendor_site **sum;    /* per core an array of sites; NULL when nothing ran there */
	char **detail;               /* per site: operands of its first call */
};

/* vendor_trace.c: the timeline of all cores, and those of cores [first, first + n). */
bool vendor_summary_trace(struct vendor *v, FILE *out, struct fail *f);
bool vendor_core_traces(struct vendor *v, uint32_t first, uint32_t n, FILE **out, struct fail *f);
const char *vendor_pipe(const char *pipe);               /* "V" is "VECTOR" there, "FIX" is "FIXP" */

/* vendor_tables.c */
bool vendor_instr_csv(const struct vendor *v, uint32_t core, FILE *out);
bool vendor_code_csv(const struct vendor *v, uint32_t core, FILE *out);

/* vendor_bin.c: visualize_data.bin; `trace` is the finished summary trace. */
bool vendor_bin(const struct vendor *v, FILE *trace, FILE *out, struct fail *f);

/* vendor_rate.c: bytes per microsecond to and from GM, as further members of the array of events. */
bool vendor_rates(const struct vendor *v, FILE *out, struct fail *f);

/* vendor_details.c: JSON of the details page's blocks. The trace has counters. */
void vendor_loads(const struct vendor *v, FILE *m);
void vendor_occupancy(const struct vendor *v, FILE *m);
void vendor_roofline(const struct vendor *v, FILE *m);

const char *vendor_op_type(const struct vtr *t);         /* "mix" "cube" "vector" "AiCore" */
void vendor_soc(const struct vtr *t, FILE *m);           /* "Ascend910B1", with quotes */

/* vendor_metrics.c: the on-board profiler's metric tables, beside the simulator's folder. The trace has counters. */
bool vendor_metrics(const struct vendor *v, struct fail *f);

/* A file of the folder being written (core: its sub-folder, NULL = none); its end, which is when writing shows to have
 * failed. */
FILE *vendor_create(const struct vendor *v, const char *core, const char *name, struct fail *f);
bool vendor_finish(FILE *out, bool ok, struct fail *f);

/* Static instructions by source line: site numbers grouped by the innermost "file:line". */
struct vendor_line { struct place place; uint32_t site; };
struct vendor_line *vendor_lines(const struct vtr *t, uint32_t *n); /* malloc'ed, sorted by text, then site */
bool vendor_same_line(const struct vendor_line *a, const struct vendor_line *b);

#endif
