/*
 * vendor_trace.c - timelines in the dialect of the vendor's simulator: all cores in one file with text pids, and one
 * file per core with a numbered process per pipe.
 *
 * The summary draws its arrows between SET and WAIT slices that are B/E pairs of one id; viewers match by that id.
 */
#include "vendor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct lane { const char *pipe, *name, *colour; int sort, pid; };
static const struct lane lanes[] = {
	{ "S", "SCALAR", "startup", 1, 10 }, { "MTE1", "MTE1", "thread_state_running", 3, 50 },
	{ "M", "CUBE", "background_memory_dump", 4, 40 }, { "FIX", "FIXP", "thread_state_unknown", 5, 80 },
	{ "MTE2", "MTE2", "thread_state_iowait", 6, 60 }, { "V", "VECTOR", "cq_build_failed", 7, 30 },
	{ "MTE3", "MTE3", "rail_response", 8, 70 }, { "ALL", "ALL", "good", 11, 100 },
};

static const struct lane *lane_of(const char *pipe)
{
	static const struct lane other = { "", "", "thread_state_stopped", 200, 200 };
	for (size_t i = 0; i < sizeof lanes / sizeof lanes[0]; i++)
		if (strcmp(lanes[i].pipe, pipe) == 0)
			return &lanes[i];
	return &other;
}

const char *vendor_pipe(const char *pipe)
{
	const struct lane *l = lane_of(pipe);
	return l->name[0] ? l->name : pipe;
}

static void head(const struct export *x, FILE *out, int schema)
{
	fprintf(out,
		"{\"schemaVersion\":%d,\"displayTimeUnit\":\"ns\",\"profilingType\":\"op\",\"timeAxis\":\"%s\",\"traceEvents\":",
		schema, x->cycles ? "cycles: 1 us is 1 cycle" : "real time");
	fputs("[\n", out);
}

static void code(FILE *out, const char *line)
{
	struct place place[16];
	char text[2048];
	size_t n = 0;
	int places = export_places(line, place, 16);
	text[0] = 0;
	for (int i = 0; i < places && n < sizeof text; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, "%s%.*s", i ? "\n" : "", place[i].length, place[i].at);
	export_string(out, text);
}

static void detail(const struct vtr *t, const struct vtr_event *e, char *text, size_t size)
{
	if (e->has_flag)
		snprintf(text, size, "PIPE:%.32s,TRIGGERPIPE:%.32s,FLAGID:%u,", vendor_pipe(t->head.pipe[e->flag_src]),
			 vendor_pipe(t->head.pipe[e->flag_dst]), e->event_id);
	else
		export_accesses(t, e, text, size);
}

static void args(const struct vtr *t, FILE *out, const struct vtr_event *e)
{
	const struct vtr_site *s = &t->site[e->site];
	char text[512];
	fprintf(out, "\"args\":{\"pc_addr\":\"0x%" PRIx64 "\",\"code\":", s->pc);
	code(out, s->line);
	fputs(",\"detail\":", out);
	detail(t, e, text, sizeof text);
	export_string(out, text);
	if (e->bytes)
		fprintf(out, ",\"process_bytes\":\"%" PRIu64 "\"", e->bytes);
	putc('}', out);
}

/* Names of sync instructions there; 310P has the older ones. */
static const char *event_name(const struct vtr *t, const struct vtr_event *e)
{
	bool old = strstr(t->head.chip, "310p") != NULL;
	switch (t->site[e->site].role) {
	case VTR_SET_FLAG: return old ? "set_event" : "SET_FLAG";
	case VTR_WAIT_FLAG: return old ? "wait_event" : "WAIT_FLAG";
	case VTR_BARRIER: return "BAR";
	default: return t->site[e->site].name;
	}
}

/* A barrier is drawn one cycle long at its end. */
static void times(const struct export *x, int64_t *lane_end, const struct vtr_event *e, int64_t *begin, int64_t *end)
{
	int64_t from = export_begin(x->t, e);
	if (x->t->site[e->site].role == VTR_BARRIER)
		from = e->issue_end > 0 ? e->issue_end - 1 : 0;
	export_slice(x, lane_end, e, from, begin, end);
}

/* One half of a B/E pair. */
static void half(const struct export *x, FILE *out, const struct vtr_event *e, char phase, int64_t ns, uint64_t id)
{
	const struct vtr_head *h = &x->t->head;
	bool set = x->t->site[e->site].role == VTR_SET_FLAG;
	fprintf(out, ",\n{\"name\":\"%s\",\"cname\":\"%s\",\"ph\":\"%c\",\"ts\":", event_name(x->t, e),
		set ? "black" : "yellow", phase);
	export_us(out, ns);
	fputs(",\"pid\":", out);
	export_string(out, h->core[e->core].name);
	fputs(",\"tid\":", out);
	export_string(out, vendor_pipe(h->pipe[e->pipe]));
	fprintf(out, ",\"id\":%" PRIu64 ",", id);
	if (phase == 'B')
		args(x->t, out, e);
	else
		fputs("\"args\":{}", out);
	putc('}', out);
}

static void flow(const struct export *x, FILE *out, char phase, int64_t ns, uint64_t id, const struct vtr_event *wait)
{
	const struct vtr_head *h = &x->t->head;
	char cat[80];
	unsigned pipe = phase == 's' ? wait->flag_src : wait->pipe;
	snprintf(cat, sizeof cat, "%.32sTo%.32s", vendor_pipe(h->pipe[wait->flag_src]),
		 vendor_pipe(h->pipe[wait->flag_dst]));
	fprintf(out, ",\n{\"name\":\"flow\",\"ph\":\"%c\",\"id\":%" PRIu64 ",\"ts\":", phase, id);
	export_us(out, ns);
	fputs(",\"pid\":", out);
	export_string(out, h->core[wait->core].name);
	fputs(",\"tid\":", out);
	export_string(out, vendor_pipe(h->pipe[pipe]));
	fputs(",\"cat\":", out);
	export_string(out, cat);
	putc('}', out);
}

static void slice(const struct export *x, FILE *out, const struct vtr_event *e, int64_t begin, int64_t end,
		  bool summary)
{
	const struct vtr_head *h = &x->t->head;
	fputs(",\n{\"name\":", out);
	export_string(out, event_name(x->t, e));
	fprintf(out, ",\"cname\":\"%s\",\"ph\":\"X\",\"ts\":", lane_of(h->pipe[e->pipe])->colour);
	export_us(out, begin);
	fputs(",\"dur\":", out);
	export_us(out, end - begin);
	if (summary) {
		fputs(",\"pid\":", out);
		export_string(out, h->core[e->core].name);
		fputs(",\"tid\":", out);
		export_string(out, vendor_pipe(h->pipe[e->pipe]));
	} else {
		fprintf(out, ",\"pid\":%d,\"tid\":1", lane_of(h->pipe[e->pipe])->pid);
	}
	putc(',', out);
	args(x->t, out, e);
	putc('}', out);
}

static void summary_metadata(const struct vtr *t, FILE *out)
{
	const struct vtr_head *h = &t->head;
	for (uint32_t c = 0; c < h->n_core; c++) {
		fprintf(out, "%s{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":", c ? ",\n" : "");
		export_string(out, h->core[c].name);
		fprintf(out, ",\"tid\":\"NA\",\"args\":{\"sort_index\":%u}}", c + 1);
		for (uint32_t p = 0; p < h->n_pipe; p++) {
			fputs(",\n{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":", out);
			export_string(out, h->core[c].name);
			fputs(",\"tid\":", out);
			export_string(out, vendor_pipe(h->pipe[p]));
			fprintf(out, ",\"args\":{\"sort_index\":%d}}", lane_of(h->pipe[p])->sort);
		}
	}
}

static void summary_event(const struct export *x, FILE *out, struct links *links, int64_t *lane_end,
			  const struct vtr_event *e, uint64_t *id)
{
	struct link_end set;
	int64_t begin, end;
	times(x, lane_end, e, &begin, &end);
	if (!e->has_flag) {
		slice(x, out, e, begin, end, true);
		return;
	}
	/* inside both slices: at their ends a viewer may find none open */
	links_note(links, e, *id, end - 1);
	bool paired = x->t->site[e->site].role == VTR_WAIT_FLAG && links_set_of(links, e, &set);
	uint64_t own = paired ? set.id : (*id)++;
	half(x, out, e, 'B', begin, own);
	half(x, out, e, 'E', end, own);
	if (paired) {
		flow(x, out, 's', set.at, own, e);
		flow(x, out, 't', end - 1, own, e);
	}
}

bool vendor_summary_trace(struct vendor *v, FILE *out, struct fail *f)
{
	struct export *x = v->x;
	const struct vtr *t = x->t;
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	int64_t *lane_end = calloc((size_t)t->head.n_core * t->head.n_pipe, sizeof *lane_end);
	struct vtr_event e;
	uint64_t id = 1;
	bool ok = links && lane_end;
	if (ok) {
		head(x, out, 2);
		summary_metadata(t, out);
	}
	while (ok && vtr_next(w, &e))
		summary_event(x, out, links, lane_end, &e, &id);
	ok = ok && vendor_rates(v, out, f);
	fputs("\n]}\n", out);
	x->n_bad = w ? vtr_walk_bad(w) : 0;
	free(lane_end);
	links_free(links);
	vtr_walk_free(w);
	return ok || fail_set(f, FAIL_INTERNAL, "no memory for the timeline");
}

static void core_head(const struct export *x, FILE *out)
{
	const struct vtr_head *h = &x->t->head;
	head(x, out, 1);
	for (uint32_t p = 0; p < h->n_pipe; p++) {
		const struct lane *l = lane_of(h->pipe[p]);
		char name[80];
		fprintf(out, "%s{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":",
			p ? ",\n" : "", l->pid);
		export_string(out, vendor_pipe(h->pipe[p]));
		fprintf(out,
			"}},\n{\"name\":\"process_sort_index\",\"ph\":\"M\",\"pid\":%d,\"tid\":1,\"args\":{\"sort_index\":%d}},\n"
			"{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":",
			l->pid, l->pid, l->pid);
		snprintf(name, sizeof name, "%.64s_1", vendor_pipe(h->pipe[p]));
		export_string(out, name);
		fputs("}}", out);
	}
}

static void core_flow(const struct export *x, FILE *out, const struct link_end *set, const struct vtr_event *wait,
		      int64_t at, uint64_t id)
{
	const struct vtr_head *h = &x->t->head;
	const char *pipe[2] = { h->pipe[set->pipe], h->pipe[wait->pipe] };
	for (int i = 0; i < 2; i++) {
		char cat[80];
		snprintf(cat, sizeof cat, "%.32sTo%.32s", vendor_pipe(pipe[0]), vendor_pipe(pipe[1]));
		fprintf(out, ",\n{\"name\":\"flow\",\"ph\":\"%c\",\"id\":\"%" PRIu64 "\",\"pid\":%d,\"tid\":1,\"cat\":",
			i ? 't' : 's', id, lane_of(pipe[i])->pid);
		export_string(out, cat);
		fputs(",\"ts\":", out);
		export_us(out, i ? at : set->at);
		putc('}', out);
	}
}

bool vendor_core_traces(struct vendor *v, uint32_t first, uint32_t n, FILE **out, struct fail *f)
{
	const struct export *x = v->x;
	const struct vtr *t = x->t;
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	int64_t *lane_end = calloc((size_t)t->head.n_core * t->head.n_pipe, sizeof *lane_end), begin, end;
	struct vtr_event e;
	struct link_end set;
	uint64_t id = 0;
	bool ok = links && lane_end;
	for (uint32_t i = 0; ok && i < n; i++)
		core_head(x, out[i]);
	while (ok && vtr_next(w, &e)) {
		if (e.core < first || e.core >= first + n)
			continue;
		FILE *o = out[e.core - first];
		times(x, lane_end, &e, &begin, &end);
		slice(x, o, &e, begin, end, false);
		links_note(links, &e, 0, end - 1);
		if (t->site[e.site].role == VTR_WAIT_FLAG && links_set_of(links, &e, &set))
			core_flow(x, o, &set, &e, end, id++);
	}
	for (uint32_t i = 0; i < n; i++)
		fputs("\n]}\n", out[i]);
	free(lane_end);
	links_free(links);
	vtr_walk_free(w);
	return ok || fail_set(f, FAIL_INTERNAL, "no memory for the timelines");
}
