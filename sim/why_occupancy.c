/*
 * why_occupancy.c - occupancy of on-chip memories over time from the accesses of instructions, and its view.
 */
#include "why_occupancy.h"

#include "report_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool occupancy_open(struct occupancy *l, const struct sim *s, int core, struct fail *f)
{
	memset(l, 0, sizeof *l);
	l->open = true;
	l->core = core;
	l->bin_cycles = 64;
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++) {
		struct occupancy_space *v = &l->space[sp];
		v->n = (uint32_t)((s->core[core].mem.size[sp] + OCCUPANCY_GRANULE - 1) / OCCUPANCY_GRANULE);
		if (v->n && !(v->granule = calloc(v->n, sizeof *v->granule))) {
			occupancy_close(l);
			return fail_set(f, FAIL_INTERNAL, "no memory for the occupancy of %s", isa_space_name(sp));
		}
		for (uint32_t i = 0; i < v->n; i++)
			v->granule[i].written = -1;
	}
	return true;
}

void occupancy_close(struct occupancy *l)
{
	for (int sp = 0; sp < SPACE_COUNT; sp++)
		free(l->space[sp].granule);
	memset(l, 0, sizeof *l);
}

/* All stretches twice as long. */
static void widen(struct occupancy *l)
{
	for (int sp = 0; sp < SPACE_COUNT; sp++) {
		int64_t *bin = l->space[sp].bin;
		for (int i = 0; i < OCCUPANCY_BINS; i++)
			bin[i] = 2 * i + 1 < OCCUPANCY_BINS ? bin[2 * i] + bin[2 * i + 1] : 0;
	}
	l->bin_cycles *= 2;
}

static void add_life(struct occupancy *l, struct occupancy_space *v, int64_t from, int64_t to)
{
	while (to >= l->bin_cycles * OCCUPANCY_BINS)
		widen(l);
	for (int64_t at = from; at < to;) {
		int64_t bin = at / l->bin_cycles, end = (bin + 1) * l->bin_cycles;
		int64_t until = end < to ? end : to;
		v->bin[bin] += until - at;
		at = until;
	}
}

static void end_life(struct occupancy *l, struct occupancy_space *v, struct occupancy_granule *g)
{
	if (g->written >= 0 && g->read > g->written) {
		g->lived += g->read - g->written;
		add_life(l, v, g->written, g->read);
	}
	g->written = -1;
}

static void touch_one(struct occupancy *l, struct occupancy_space *v, struct occupancy_granule *x, bool write,
		      const struct event *e)
{
	if (!write) {
		x->reads++;
		x->read = e->issue_end > x->read ? e->issue_end : x->read;
		return;
	}
	/* what is read and written again at once, an accumulator, lives on */
	if (x->written < 0 || x->read <= x->written || x->read < e->start) {
		end_life(l, v, x);
		x->written = e->start;
	}
	x->writes++;
}

/* Every granule that an access touches, once per run of neighbours. */
static void touch(struct occupancy *l, struct occupancy_space *v, const struct access *a, const struct event *e)
{
	int64_t last = -1;
	for (uint32_t i2 = 0; i2 < a->n[2]; i2++)
		for (uint32_t i1 = 0; i1 < a->n[1]; i1++)
			for (uint32_t i0 = 0; i0 < a->n[0]; i0++) {
				int64_t at = (int64_t)a->addr + i0 * a->stride[0] + i1 * a->stride[1] +
				i2 * a->stride[2];
				int64_t g = at / OCCUPANCY_GRANULE, end = (at + a->unit_bytes - 1) / OCCUPANCY_GRANULE;
				for (g = g <= last && end >= last ? last + 1 : g; g <= end && g < v->n; g++)
					touch_one(l, v, &v->granule[g], a->write, e);
				last = end;
			}
}

void occupancy_event(struct occupancy *l, const struct event *e)
{
	if (!l->open || e->core != l->core)
		return;
	for (int w = 0; w < 2; w++) /* an operand that is overwritten was read first */
		for (int i = 0; i < e->effect->n_access; i++) {
			const struct access *a = &e->effect->access[i];
			if (a->write == (w == 1) && a->space >= SPACE_UB && a->space < SPACE_COUNT &&
			    l->space[a->space].n)
				touch(l, &l->space[a->space], a, e);
		}
}

void occupancy_end(struct occupancy *l)
{
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++)
		for (uint32_t i = 0; i < l->space[sp].n; i++)
			end_life(l, &l->space[sp], &l->space[sp].granule[i]);
}

static void strip(const struct occupancy *l, const struct occupancy_space *v, int64_t cycles, FILE *out)
{
	static const char level[] = " .:-=+*#%@";
	fputs("  |", out);
	for (int i = 0; i < OCCUPANCY_BINS && i * l->bin_cycles < cycles; i++) {
		double share = (double)v->bin[i] / ((double)l->bin_cycles * v->n);
		int step = share <= 0 ? 0 : 1 + (int)(share * 8.999);
		fputc(level[step > 9 ? 9 : step], out);
	}
	fputs("|\n", out);
}

static bool alike(const struct occupancy_granule *a, const struct occupancy_granule *b)
{
	return (a->writes > 0) == (b->writes > 0) && (a->reads > 0) == (b->reads > 0) &&
	       (a->writes == b->writes || (a->writes < 2 * b->writes && b->writes < 2 * a->writes));
}

/* Ranges of granules that are used alike. */
static void ranges(const struct occupancy_space *v, int64_t cycles, FILE *out)
{
	for (uint32_t i = 0; i < v->n;) {
		uint32_t k = i;
		int64_t lived = 0;
		const struct occupancy_granule *g = &v->granule[i];
		for (; k < v->n && alike(g, &v->granule[k]); k++)
			lived += v->granule[k].lived;
		if (g->writes || g->reads)
			fprintf(out, "    0x%05x .. 0x%05x  %7u KB  written %6u times, read %6u, live %5.1f %% of the"
				" time%s\n",
				i * OCCUPANCY_GRANULE, k * OCCUPANCY_GRANULE - 1, (k - i) * OCCUPANCY_GRANULE / 1024,
				g->writes,
				g->reads,
				100.0 * (double)lived / ((double)cycles * (k - i)),
				g->reads == 0 ? ": never read" : g->writes == 0 ? ": never written" : "");
		i = k;
	}
}

void report_buffers(const struct run *r, FILE *out)
{
	const struct occupancy *l = &r->occupancy;
	fprintf(out, "\nMemories of core %d: bytes that hold data which is still read, over time (blank none, @ all)\n",
		l->core);
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++) {
		const struct occupancy_space *v = &l->space[sp];
		int64_t peak = 0, sum = 0;
		uint32_t used = 0;
		for (uint32_t i = 0; i < v->n; i++) {
			used += v->granule[i].writes || v->granule[i].reads;
			sum += v->granule[i].lived;
		}
		if (used == 0)
			continue;
		for (int i = 0; i < OCCUPANCY_BINS; i++)
			peak = v->bin[i] > peak ? v->bin[i] : peak;
		fprintf(out, "\n%-4s %u KB, %u KB used; live at most %.0f KB in any %lld cycles, %.0f KB on average\n",
			isa_space_name(sp),
			v->n * OCCUPANCY_GRANULE / 1024, used * OCCUPANCY_GRANULE / 1024,
			(double)peak / (double)l->bin_cycles * OCCUPANCY_GRANULE / 1024, (long long)l->bin_cycles,
			(double)sum / (double)(r->sim.end ? r->sim.end : 1) * OCCUPANCY_GRANULE / 1024);
		strip(l, v, r->sim.end, out);
		ranges(v, r->sim.end ? r->sim.end : 1, out);
	}
}
