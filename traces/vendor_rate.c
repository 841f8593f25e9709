/*
 * vendor_rate.c - bytes that cross the cores' border per microsecond, as counters of the summary timeline. A transfer's bytes
 * are spread evenly over the time that it occupies its pipe.
 */
#include "vendor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TO_UB, TO_L1, TO_ALL, UB_OUT, L1_OUT, ALL_OUT, RATES, BINS_MAX = 1 << 20 };
static const char *const rate_name[RATES] = { "GM_TO_UB", "GM_TO_L1", "GM_TO_TOTAL", "UB_TO_GM", "L1_TO_GM", "TOTAL_TO_GM" };

struct rates { uint64_t *bin[RATES]; uint64_t n; };

/* Which two counters an instruction's bytes belong to; false: it does not touch GM. */
static bool counters_of(const struct vtr *t, const struct vtr_event *e, int which[2])
{
	const char *from = "", *to = "";
	for (int i = e->n_access - 1; i >= 0; i--)
		*(e->access[i].write ? &to : &from) = t->head.space[e->access[i].space];
	bool in = strcmp(from, "GM") == 0, out = strcmp(to, "GM") == 0;
	const char *other = in ? to : from;
	int ub = strcmp(other, "UB") == 0, l1 = strcmp(other, "L1") == 0;
	which[0] = in ? TO_ALL : ALL_OUT;
	which[1] = ub ? (in ? TO_UB : UB_OUT) : l1 ? (in ? TO_L1 : L1_OUT) : -1;
	return in != out && e->bytes > 0;
}

static void spread(struct rates *r, const struct vtr *t, const struct vtr_event *e, int which)
{
	uint64_t mhz = t->head.clock_mhz, start = (uint64_t)e->start, cycles = (uint64_t)(e->issue_end - e->start);
	uint64_t last = cycles ? (start + cycles - 1) / mhz : start / mhz, before = 0;
	for (uint64_t bin = start / mhz; bin <= last && bin < r->n; bin++) {
		uint64_t reach = bin == last ? cycles : (bin + 1) * mhz - start;
		uint64_t after = bin == last ? e->bytes : (uint64_t)((__uint128_t)e->bytes * reach / cycles);
		r->bin[which][bin] += after - before;
		before = after;
	}
}

/* A value wherever it changes; the first microsecond is drawn at 1, since viewers pass over time 0. */
static void write(const struct rates *r, FILE *out)
{
	for (int k = 0; k < RATES; k++) {
		uint64_t last = 0;
		for (uint64_t bin = 0; bin <= r->n; bin++) {
			uint64_t now = bin < r->n ? r->bin[k][bin] : 0;
			if (now != last)
				fprintf(out,
					",\n{\"name\":\"%s\",\"ph\":\"C\",\"ts\":%" PRIu64
					",\"pid\":\"MTE Throughput\",\"tid\":0,"
					"\"args\":{\"throughput(MB/s)\":%" PRIu64 "}}",
					rate_name[k], bin + 1, now);
			last = now;
		}
	}
}

bool vendor_rates(const struct vendor *v, FILE *out, struct fail *f)
{
	const struct vtr *t = v->x->t;
	uint64_t end = (uint64_t)(t->has_done && t->done.end > t->max_cycle ? t->done.end : t->max_cycle);
	struct rates r = { .n = end / t->head.clock_mhz + 1 };
	struct vtr_event e;
	int which[2];
	if (v->x->cycles || r.n > BINS_MAX)
		return true; /* bytes per cycle are no MB/s; a counter of more than a second is none to look at */
	uint64_t *all = calloc(r.n * RATES, sizeof *all);
	struct vtr_walk *w = all ? vtr_walk_new(t, v->x->filter, f) : NULL;
	for (int k = 0; k < RATES; k++)
		r.bin[k] = all ? all + (size_t)k * r.n : NULL;
	while (w && vtr_next(w, &e))
		if (counters_of(t, &e, which))
			for (int i = 0; i < 2; i++)
				if (which[i] >= 0)
					spread(&r, t, &e, which[i]);
	if (w)
		write(&r, out);
	bool ok = w != NULL;
	vtr_walk_free(w);
	free(all);
	return ok || fail_set(f, FAIL_INTERNAL, "no memory for the timeline");
}
