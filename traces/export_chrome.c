/*
 * export_chrome.c - Chrome JSON as Perfetto and chrome://tracing open it: a process per core, a thread per pipe, a
 * slice per instruction, arrows from set_flag to wait_flag and from what a barrier waited for.
 */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>

static void metadata(FILE *out, const char *what, uint32_t pid, uint32_t tid, const char *name, uint32_t sort)
{
	fprintf(out, "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what, pid, tid);
	export_string(out, name);
	fprintf(out,
		"}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%u,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
		what, pid, tid, sort);
}

static void write_head(const struct export *x, FILE *out)
{
	const struct vtr_head *h = &x->t->head;
	fprintf(out, "{\"displayTimeUnit\":\"ns\",\n\"otherData\":{\"producer\":");
	export_string(out, h->producer);
	fprintf(out, ",\"chip\":");
	export_string(out, h->chip);
	fprintf(out, ",\"kernel\":");
	export_string(out, h->kernel);
	fprintf(out, ",\"entry\":");
	export_string(out, h->entry);
	fprintf(out, ",\"clock_mhz\":\"%" PRIu64 "\",\"time\":\"%s\"},\n\"traceEvents\":[\n", h->clock_mhz,
		x->cycles ? "cycles: 1 us on the time axis is 1 cycle" : "real time at clock_mhz; cycles are in args");
	for (uint32_t c = 0; c < h->n_core; c++) {
		metadata(out, "process", c + 1, 0, h->core[c].name, c);
		fputs(",\n", out);
		for (uint32_t p = 0; p < h->n_pipe; p++) {
			metadata(out, "thread", c + 1, p + 1, h->pipe[p], p);
			fputs(",\n", out);
		}
	}
	/* the list must not end with a comma: its last entry is written here */
	fprintf(out, "{\"ph\":\"M\",\"name\":\"process_labels\",\"pid\":1,\"tid\":0,\"args\":{\"labels\":");
	export_string(out, h->chip);
	fputs("}}", out);
}

/* JSON readers keep 63 bits; a larger number can only come from a strange file, and goes as text. */
static void number(FILE *out, const char *name, uint64_t v)
{
	if (v)
		fprintf(out, v <= INT64_MAX ? ",\"%s\":%" PRIu64 : ",\"%s\":\"%" PRIu64 "\"", name, v);
}

static void slice(const struct export *x, FILE *out, const struct vtr_event *e, int64_t begin, int64_t end)
{
	const struct vtr *t = x->t;
	const struct vtr_site *s = &t->site[e->site];
	int64_t ready = vtr_ready(e);
	char text[512];
	fputs(",\n{\"ph\":\"X\",\"name\":", out);
	export_string(out, s->name);
	fprintf(out, ",\"pid\":%u,\"tid\":%u,\"ts\":", e->core + 1, e->pipe + 1u);
	export_us(out, begin);
	fputs(",\"dur\":", out);
	export_us(out, end - begin);
	fprintf(out, ",\"args\":{\"pc\":\"0x%" PRIx64 "\"", s->pc);
	if (s->line[0]) {
		fputs(",\"line\":", out);
		export_string(out, s->line);
	}
	number(out, "seq", e->seq);
	fprintf(out, ",\"block\":%d,\"start\":%" PRId64 ",\"issue_end\":%" PRId64 ",\"end\":%" PRId64
		",\"dispatched\":%" PRId64, e->block, e->start, e->issue_end, e->end, e->dispatched);
	if (e->start > ready) {
		fprintf(out, ",\"stall\":%" PRId64 ",\"cause\":", e->start - ready);
		export_string(out, t->head.cause[e->cause]);
	}
	if (e->has_flag) {
		snprintf(text, sizeof text, "%.32s -> %.32s, event %u", t->head.pipe[e->flag_src],
			 t->head.pipe[e->flag_dst], e->event_id);
		fputs(",\"flag\":", out);
		export_string(out, text);
	}
	number(out, "repeats", e->repeats);
	number(out, "bytes", e->bytes);
	number(out, "macs", e->macs);
	number(out, "bank_conflict", (uint64_t)e->extra_bank);
	number(out, "shared_bandwidth", (uint64_t)e->extra_bandwidth);
	if (e->n_access) {
		export_accesses(t, e, text, sizeof text);
		fputs(",\"operands\":", out);
		export_string(out, text);
	}
	fputs("}}", out);
}

/* Both ends lie inside what the arrow joins: one exactly at a slice's end is dropped by viewers. */
static void arrow(FILE *out, const char *cat, uint64_t id, const struct link_end *from, const struct vtr_event *to,
		  int64_t at)
{
	fprintf(out,
		",\n{\"ph\":\"s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"ts\":", cat,
		cat, id, to->core + 1, from->pipe + 1u);
	export_us(out, from->at);
	fprintf(out,
		"},\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64
		",\"pid\":%u,\"tid\":%u,\"ts\":",
		cat, cat, id, to->core + 1, to->pipe + 1u);
	export_us(out, at);
	putc('}', out);
}

static void write_event(struct export *x, FILE *out, struct links *links, int64_t *lane_end, const struct vtr_event *e,
			uint64_t *id)
{
	enum vtr_role role = x->t->site[e->site].role;
	int64_t begin, end;
	struct link_end from;
	export_slice(x, lane_end, e, export_begin(x->t, e), &begin, &end);
	slice(x, out, e, begin, end);
	links_note(links, e, 0, end - 1);
	if (role == VTR_WAIT_FLAG && links_set_of(links, e, &from))
		arrow(out, "flag", (*id)++, &from, e, end - 1);
	else if (role != VTR_WAIT_FLAG && e->start > vtr_ready(e) && links_releaser(links, e, &from))
		arrow(out, "release", (*id)++, &from, e, end - 1);
	x->n_event++;
}

bool export_chrome(struct export *x, FILE *out, struct fail *f)
{
	const struct vtr *t = x->t;
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	int64_t *lane_end = calloc((size_t)t->head.n_core * t->head.n_pipe, sizeof *lane_end);
	struct vtr_event e;
	uint64_t id = 1;
	bool ok = links && lane_end;
	if (ok)
		write_head(x, out);
	while (ok && vtr_next(w, &e))
		write_event(x, out, links, lane_end, &e, &id);
	if (ok)
		fputs("\n]}\n", out);
	else
		fail_set(f, FAIL_INTERNAL, "no memory for the Chrome trace");
	x->n_bad = w ? vtr_walk_bad(w) : 0;
	free(lane_end);
	links_free(links);
	vtr_walk_free(w);
	return ok;
}
