/*
 * reasons.h - the findings and the critical path in the words of a trace (vtr_findings): one form, whether they come from a
 * run that has just ended or out of a file, and one text made of it.
 *
 *   report --reasons_of--> vtr_findings --trace_sink--> FILE.vtr --vtr_open--> vtr_findings
 *                               |                                                  |
 *                               +---- reasons_text, reasons_path_text, window -----+
 */
#ifndef REASONS_H
#define REASONS_H

#include "../traces/vtr.h"
#include "report.h"

enum { REASONS_LINES = 6, REASONS_PLACE = 400 };

struct reasons {
	struct vtr_findings all; /* points into what follows */
	struct vtr_finding finding[FINDINGS];
	vtr_text part[PART_COUNT];
	int64_t path[PIPE_COUNT * PART_COUNT];
	struct vtr_path_line line[REASONS_LINES];
	char place[REASONS_LINES][REASONS_PLACE];
};

/* Of a report whose findings are made. site_of: per program, word of its text -> static instruction of the trace; NULL when
 * there is no trace. The texts stay the report's. */
void reasons_of(const struct report *r, uint32_t *const site_of[2], struct reasons *out);

/* The verdict: headline, then each finding with what to try and what it saves. cycles: of the run. */
void reasons_text(const struct vtr_findings *x, int64_t cycles, FILE *out);
/* The critical path per pipe and its source lines. */
void reasons_path_text(const struct vtr_findings *x, const vtr_text *pipe, uint32_t n_pipe, int64_t cycles, FILE *out);

/* Pieces of that text, for whoever lays it out himself. The blanks within numbers are U+00A0, where no line may break. */
void reasons_headline(const struct vtr_findings *x, char *text, size_t size); /* and in which order findings stand */
void reasons_what(const struct vtr_finding *f, char *text, size_t size);  /* "id, place: what." */
void reasons_saves(const struct vtr_finding *f, int64_t cycles, char *text, size_t size);

#endif
