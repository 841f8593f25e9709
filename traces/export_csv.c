/*
 * export_csv.c - one row per executed instruction, all times in cycles.
 */
#include "export.h"

#include <inttypes.h>

static const char header[] =
	"core,core_name,block,pipe,instruction,pc,line,seq,dispatched,arrived,stall_begin,start,issue_end,end,stall,cause,"
	"releaser_pipe,releaser_seq,flag_src,flag_dst,event_id,bank_conflict,shared_bandwidth,repeats,bytes,macs,operands\n";

static void row(const struct vtr *t, FILE *out, const struct vtr_event *e)
{
	const struct vtr_head *h = &t->head;
	const struct vtr_site *s = &t->site[e->site];
	int64_t stall = e->start - vtr_ready(e);
	char text[512];
	fprintf(out, "%u,", e->core);
	export_field(out, h->core[e->core].name);
	fprintf(out, ",%d,", e->block);
	export_field(out, h->pipe[e->pipe]);
	putc(',', out);
	export_field(out, s->name);
	fprintf(out, ",0x%" PRIx64 ",", s->pc);
	export_field(out, s->line);
	fprintf(out,
		",%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",",
		e->seq, e->dispatched, e->arrived, e->stall_begin, e->start, e->issue_end, e->end, stall);
	export_field(out, stall ? h->cause[e->cause] : "");
	putc(',', out);
	if (e->releaser) {
		export_field(out, h->pipe[e->releaser_pipe]);
		fprintf(out, ",%" PRIu64 ",", e->releaser);
	} else {
		fputs(",,", out);
	}
	if (e->has_flag) {
		export_field(out, h->pipe[e->flag_src]);
		putc(',', out);
		export_field(out, h->pipe[e->flag_dst]);
		fprintf(out, ",%u,", e->event_id);
	} else {
		fputs(",,,", out);
	}
	export_accesses(t, e, text, sizeof text);
	fprintf(out, "%" PRId64 ",%" PRId64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",", e->extra_bank, e->extra_bandwidth,
		e->repeats, e->bytes, e->macs);
	export_field(out, text);
	putc('\n', out);
}

bool export_csv(struct export *x, FILE *out, struct fail *f)
{
	struct vtr_walk *w = vtr_walk_new(x->t, x->filter, f);
	struct vtr_event e;
	if (!w)
		return false;
	fputs(header, out);
	while (vtr_next(w, &e)) {
		row(x->t, out, &e);
		x->n_event++;
	}
	x->n_bad = vtr_walk_bad(w);
	vtr_walk_free(w);
	return true;
}
