/*
 * vendor_tables.c - per core: cycles of each instruction and of each source line, as the vendor's simulator tabulates
 * them.
 */
#include "vendor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Sites of a core that ran, most cycles first. */
struct ranked { const struct vendor_site *sum; uint32_t site; };

static int more_cycles(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->sum->cycles != y->sum->cycles)
		return x->sum->cycles < y->sum->cycles ? 1 : -1;
	return x->site < y->site ? -1 : 1;
}

static void microseconds(const struct vendor *v, FILE *out, int64_t cycles)
{
	int64_t mhz = (int64_t)v->x->t->head.clock_mhz;
	fprintf(out, "%" PRId64 ".%06" PRId64, cycles / mhz, cycles % mhz * 1000000 / mhz);
}

bool vendor_instr_csv(const struct vendor *v, uint32_t core, FILE *out)
{
	const struct vtr *t = v->x->t;
	const struct vendor_site *sum = v->sum[core];
	struct ranked *rank = malloc((t->n_site + 1) * sizeof *rank);
	uint32_t n = 0;
	if (!rank)
		return false;
	for (uint32_t i = 0; sum && i < t->n_site; i++)
		if (sum[i].calls)
			rank[n++] = (struct ranked){ &sum[i], i };
	qsort(rank, n, sizeof *rank, more_cycles);
	fputs("instr,addr,pipe,call_count,cycles,running_time(us),detail\n", out);
	for (uint32_t i = 0; i < n; i++) {
		const struct vtr_site *s = &t->site[rank[i].site];
		export_field(out, s->name);
		fprintf(out, ",0x%" PRIx64 ",", s->pc);
		export_field(out, vendor_pipe(t->head.pipe[rank[i].sum->pipe]));
		fprintf(out, ",%" PRIu64 ",%" PRId64 ",", rank[i].sum->calls, rank[i].sum->cycles);
		microseconds(v, out, rank[i].sum->running);
		fprintf(out, ",\"%s\"\n", v->detail[rank[i].site] ? v->detail[rank[i].site] : "");
	}
	free(rank);
	return true;
}

static int by_text(const void *a, const void *b)
{
	const struct vendor_line *x = a, *y = b;
	int n = x->place.length < y->place.length ? x->place.length : y->place.length;
	int order = memcmp(x->place.at, y->place.at, (size_t)n);
	if (order == 0)
		order = x->place.length - y->place.length;
	return order ? order : x->site < y->site ? -1 : 1;
}

bool vendor_same_line(const struct vendor_line *a, const struct vendor_line *b)
{
	return a->place.length == b->place.length && memcmp(a->place.at, b->place.at, (size_t)a->place.length) == 0;
}

struct vendor_line *vendor_lines(const struct vtr *t, uint32_t *n)
{
	struct vendor_line *line = malloc((t->n_site + 1) * sizeof *line);
	*n = 0;
	for (uint32_t i = 0; line && i < t->n_site; i++)
		if (export_places(t->site[i].line, &line[*n].place, 1) == 1)
			line[(*n)++].site = i;
	if (line)
		qsort(line, *n, sizeof *line, by_text);
	return line;
}

bool vendor_code_csv(const struct vendor *v, uint32_t core, FILE *out)
{
	const struct vendor_site *sum = v->sum[core];
	uint32_t n;
	struct vendor_line *line = vendor_lines(v->x->t, &n);
	if (!line)
		return false;
	fputs("code,call_count,cycles,running_time(us)\n", out);
	for (uint32_t i = 0, next; sum && i < n; i = next) {
		struct vendor_site all = { 0 };
		for (next = i; next < n && vendor_same_line(&line[i], &line[next]); next++) {
			all.calls += sum[line[next].site].calls;
			all.cycles += sum[line[next].site].cycles;
			all.running += sum[line[next].site].running;
		}
		if (all.calls == 0)
			continue;
		char text[VTR_MAX_PLACE];
		snprintf(text, sizeof text, "%.*s", line[i].place.length, line[i].place.at);
		export_field(out, text);
		fprintf(out, ",%" PRIu64 ",%" PRId64 ",", all.calls, all.cycles);
		microseconds(v, out, all.running);
		putc('\n', out);
	}
	free(line);
	return true;
}
