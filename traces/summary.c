/*
 * summary.c - what a trace holds, as text: run, cores, blocks, and per kind of core and pipe the instructions and where
 * the cycles went.
 */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lane_sum { uint64_t n, bytes, macs; int64_t busy, stall[VTR_CAUSES]; };

static void write_run(const struct vtr *t, FILE *out)
{
	const struct vtr_head *h = &t->head;
	fprintf(out, "kernel    %s, entry %s\nchip      %s, %" PRIu64 " MHz, %u cores, %" PRIu64 " blocks\n", h->kernel,
		h->entry, h->chip, h->clock_mhz, h->n_core, h->blocks);
	if (t->has_done)
		fprintf(out, "cycles    %" PRId64 "%s%s\n", t->done.end, t->done.failed ? "; the run failed: " : "",
			t->done.failed ? t->done.message : "");
	else
		fprintf(out, "cycles    %" PRId64 " so far\n", t->max_cycle);
	fprintf(out, "events    %" PRIu64 " of %u static instructions, in %u block%s of the file\n", t->n_event, t->n_site,
		t->n_block, t->n_block == 1 ? "" : "s");
	if (t->cut)
		fputs("          the file is cut off: its run was ended, or still goes on\n", out);
}

/* Cores of one kind look alike: the row shows the sum over them. */
static void write_pipe(const struct vtr *t, FILE *out, const char *kind, uint32_t pipe, const struct lane_sum *lane)
{
	const struct vtr_head *h = &t->head;
	struct lane_sum sum = { 0 };
	for (uint32_t c = 0; c < h->n_core; c++) {
		const struct lane_sum *l = &lane[c * h->n_pipe + pipe];
		if (strcmp(h->core[c].kind, kind) != 0)
			continue;
		sum.n += l->n;
		sum.bytes += l->bytes;
		sum.macs += l->macs;
		sum.busy += l->busy;
		for (uint32_t k = 0; k < h->n_cause; k++)
			sum.stall[k] += l->stall[k];
	}
	if (sum.n == 0)
		return;
	fprintf(out, "%-8s %-5s %10" PRIu64 " %14" PRId64 " %14" PRIu64 " %16" PRIu64 " ", kind, h->pipe[pipe], sum.n,
		sum.busy, sum.bytes, sum.macs);
	uint32_t shown = 0;
	for (; shown < 3; shown++) {
		uint32_t most = 0;
		for (uint32_t k = 1; k < h->n_cause; k++)
			most = sum.stall[k] > sum.stall[most] ? k : most;
		if (h->n_cause == 0 || sum.stall[most] == 0)
			break;
		fprintf(out, "%s %s %" PRId64, shown ? "," : "", h->cause[most], sum.stall[most]);
		sum.stall[most] = 0;
	}
	fputs(shown ? "\n" : " -\n", out);
}

void export_summary(struct export *x, FILE *out)
{
	const struct vtr *t = x->t;
	const struct vtr_head *h = &t->head;
	struct lane_sum *lane = calloc((size_t)h->n_core * h->n_pipe, sizeof *lane);
	struct vtr_walk *w = vtr_walk_new(t, x->filter, NULL);
	struct vtr_event e;
	write_run(t, out);
	while (lane && w && vtr_next(w, &e)) {
		struct lane_sum *l = &lane[e.core * h->n_pipe + e.pipe];
		l->n++;
		l->busy += e.issue_end - e.start;
		l->stall[e.cause] += e.start - vtr_ready(&e);
		l->bytes += e.bytes;
		l->macs += e.macs;
		x->n_event++;
	}
	fprintf(out,
		"\nkind     pipe  instructions    busy cycles          bytes             macs  waited for, cycles\n");
	for (uint32_t c = 0; lane && c < h->n_core; c++) {
		bool first = true;
		for (uint32_t b = 0; b < c && first; b++)
			first = strcmp(h->core[b].kind, h->core[c].kind) != 0;
		for (uint32_t p = 0; p < h->n_pipe && first; p++)
			write_pipe(t, out, h->core[c].kind, p, lane);
	}
	x->n_bad = w ? vtr_walk_bad(w) : 0;
	free(lane);
	vtr_walk_free(w);
}
