/*
 * trace_sink.h - from the engine's events to a trace file (traces/vtr.h).
 */
#ifndef TRACE_SINK_H
#define TRACE_SINK_H

#include "../traces/vtr.h"
#include "cli.h"
#include "report.h"
#include "sim.h"

struct trace_sink {
	const struct sim *sim;
	struct cli_file file;
	struct vtr_writer *writer;
	uint32_t *site_of[2];   /* per program: instruction number -> site */
	struct fail fail;       /* the first event that could not be written */
};

/* Begin a trace of a run that sim_init has prepared; call before sim_run, with trace_sink_event and the sink as the
 * simulation's on_event and user. FAIL_USER when the file cannot be written. */
bool trace_sink_open(struct trace_sink *t, const char *path, const struct sim *s, const char *kernel, struct fail *f)
	SIM_MUST_CHECK;
/* The part of opening that writes head and sites, into any stream; for whoever converts events himself. The sink is
 * zeroed; free its writer and site_of. */
bool trace_sink_begin(struct trace_sink *t, FILE *stream, const struct sim *s, const char *kernel, struct fail *f)
	SIM_MUST_CHECK;
/* on_event, on_hold. */
void trace_sink_event(void *sink, const struct event *e);
void trace_sink_hold(void *sink, const struct hold *h);
/* Between the run's end and closing: what the report found. */
void trace_sink_report(struct trace_sink *t, const struct report *r);
/* End it: `failure` is the fail of a run that did not come to its end, else NULL; what it did until then is a whole
 * trace too. The file takes its name only here; when writing failed it is removed. */
bool trace_sink_close(struct trace_sink *t, const struct fail *failure, struct fail *f) SIM_MUST_CHECK;

/* trace_count.c: the statistics of a run that came to its end. */
bool trace_counters(struct vtr_writer *w, const struct sim *s, struct fail *f) SIM_MUST_CHECK;

/* One event, one hold in the words of the trace; false when its pc is in no program. For live views. */
bool trace_sink_convert(const struct trace_sink *t, const struct event *e, struct vtr_event *out);
void trace_sink_convert_hold(const struct trace_sink *t, const struct hold *h, struct vtr_hold *out);

#endif
