/*
 * export_chrome.c - Chrome JSON as Perfetto and chrome://tracing open it: a process per core, a thread per pipe, a slice
 * per instruction, arrows from set_flag to wait_flag and from what a barrier waited for.
 */
#include "export.h"

#include <inttypes.h>

static void metadata(FILE *out, const char *what, uint32_t pid, uint32_t tid, const char *name, uint32_t sort)
{
	fprintf(out, "{\"ph\":\"M\",\"name\":\"%s_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":", what, pid, tid);
	export_string(out, name);
	fprintf(out, "}},\n{\"ph\":\"M\",\"name\":\"%s_sort_index\",\"pid\":%u,\"tid\":%u,\"args\":{\"sort_index\":%u}}", what, pid, tid,
		sort);
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

static void number(FILE *out, const char *name, uint64_t v)
{
	if (v)
		fprintf(out, ",\"%s\":%" PRIu64, name, v);
}

static void slice(const struct export *x, FILE *out, const struct vtr_event *e)
{
	const struct vtr *t = x->t;
	const struct vtr_site *s = &t->site[e->site];
	int64_t begin = export_ns(x, export_begin(t, e)), ready = vtr_ready(e);
	char text[512];
	fputs(",\n{\"ph\":\"X\",\"name\":", out);
	export_string(out, s->name);
	fprintf(out, ",\"pid\":%u,\"tid\":%u,\"ts\":", e->core + 1, e->pipe + 1u);
	export_us(out, begin);
	fputs(",\"dur\":", out);
	export_us(out, export_ns(x, e->issue_end) - begin);
	fprintf(out, ",\"args\":{\"pc\":\"0x%" PRIx64 "\"", s->pc);
	if (s->line[0]) {
		fputs(",\"line\":", out);
		export_string(out, s->line);
	}
	fprintf(out, ",\"seq\":%" PRIu64 ",\"block\":%d,\"start\":%" PRId64 ",\"issue_end\":%" PRId64 ",\"end\":%" PRId64
		",\"dispatched\":%" PRId64, e->seq, e->block, e->start, e->issue_end, e->end, e->dispatched);
	if (e->start > ready) {
		fprintf(out, ",\"stall\":%" PRId64 ",\"cause\":", e->start - ready);
		export_string(out, t->head.cause[e->cause]);
	}
	if (e->has_flag) {
		snprintf(text, sizeof text, "%.32s -> %.32s, event %u", t->head.pipe[e->flag_src], t->head.pipe[e->flag_dst],
			 e->event_id);
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

/* An arrow starts and ends in the middle of what it joins: an end exactly on a slice's border is dropped by viewers. */
static void arrow(const struct export *x, FILE *out, const char *cat, uint64_t id, const struct link_end *from,
		  const struct vtr_event *to)
{
	int64_t a = export_ns(x, from->start), b = export_ns(x, from->issue_end), c = export_ns(x, to->start),
		d = export_ns(x, to->issue_end);
	fprintf(out, ",\n{\"ph\":\"s\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"ts\":", cat, cat, id,
		to->core + 1, from->pipe + 1u);
	export_us(out, a + (b - a) / 2);
	fprintf(out, "},\n{\"ph\":\"f\",\"bp\":\"e\",\"name\":\"%s\",\"cat\":\"%s\",\"id\":%" PRIu64 ",\"pid\":%u,\"tid\":%u,\"ts\":", cat,
		cat, id, to->core + 1, to->pipe + 1u);
	export_us(out, c + (d - c) / 2);
	putc('}', out);
}

bool export_chrome(struct export *x, FILE *out, struct fail *f)
{
	const struct vtr *t = x->t;
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	struct vtr_event e;
	struct link_end from;
	uint64_t id = 1;
	if (!links) {
		vtr_walk_free(w);
		return false;
	}
	write_head(x, out);
	while (vtr_next(w, &e)) {
		slice(x, out, &e);
		links_note(links, &e, 0);
		enum vtr_role role = t->site[e.site].role;
		if (role == VTR_WAIT_FLAG && links_set_of(links, &e, &from))
			arrow(x, out, "flag", id++, &from, &e);
		else if (role != VTR_WAIT_FLAG && e.start > vtr_ready(&e) && links_releaser(links, &e, &from))
			arrow(x, out, "release", id++, &from, &e);
		x->n_event++;
	}
	fputs("\n]}\n", out);
	x->n_bad = vtr_walk_bad(w);
	links_free(links);
	vtr_walk_free(w);
	return true;
}
