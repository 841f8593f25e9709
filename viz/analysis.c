/*
 * analysis.c - where cycles went, the verdict, statistics of a stretch, the roofline.
 */
#include "analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t find_cause(const struct vtr_head *h, const char *text)
{
	for (uint32_t k = 0; k < h->n_cause; k++)
		if (strcmp(h->cause[k], text) == 0)
			return k;
	return h->n_cause;
}

static bool counts_as_work(const char *cause)
{
	enum cause_group g = cause_group(cause);
	return g == GROUP_BUSY || g == GROUP_BANK || g == GROUP_BANDWIDTH;
}

void analysis_core(const struct model *m, uint32_t core, struct core_time *t)
{
	const struct vtr_head *h = &m->vtr->head;
	bool exact = !m->live && m->vtr->has_done && m->vtr->done.totals;
	uint32_t sync = find_cause(h, "sync issue"), work = find_cause(h, "busy");
	memset(t, 0, sizeof *t);
	t->total = m->cycles;
	for (uint32_t p = 0; p < h->n_pipe; p++) {
		const struct lane *l = &m->lane[core * h->n_pipe + p];
		int64_t sum = 0;
		for (uint32_t k = 0; k < h->n_cause; k++) {
			int64_t v = exact ? m->vtr->done.totals[((size_t)core * h->n_pipe + p) * h->n_cause + k]
					  : l->cause[k];
			if (!exact && k == sync)
				v += l->sync;
			if (!exact && k == work)
				v += l->busy;
			t->cause[p][k] = v;
			sum += v;
			if (counts_as_work(h->cause[k]))
				t->busy[p] += v;
		}
		t->rest[p] = t->total > sum ? t->total - sum : 0;
		t->present[p] = l->n > 0 || (exact && t->busy[p] > 0);
	}
}

uint32_t analysis_last_core(const struct model *m)
{
	const struct vtr_head *h = &m->vtr->head;
	uint32_t best = 0;
	int64_t last = -1;
	for (uint32_t i = 0; i < m->n_lane; i++) {
		const struct lane *l = &m->lane[i];
		int64_t end = l->n ? row_end(&l->row[l->n - 1]) : -1;
		if (end > last) {
			last = end;
			best = i / h->n_pipe;
		}
	}
	return best;
}

static const char *advice_for(enum cause_group g)
{
	switch (g) {
	case GROUP_FLAG:
		return "Start the work it waits for earlier: one more buffer, or smaller pieces, so that both run at once.";
	case GROUP_BARRIER:
		return "Barriers drain the pipe: replace pipe_barrier by flags between the two pipes, or merge small steps.";
	case GROUP_BANK:
		return "Operands meet in a bank of UB: shift one of them by 32 bytes, or place it in another bank group.";
	case GROUP_BANDWIDTH:
		return "Memory is full: move fewer bytes (reuse tiles, larger base sizes), or spread the cores' accesses.";
	case GROUP_EMPTY:
		return "The scalar unit issues too late: fewer, larger instructions; move address arithmetic out of the loop.";
	case GROUP_CACHE:
		return "The scalar unit misses its caches: keep tables and stack small, read the tiling once.";
	case GROUP_CROSS: return "It waits for another core: give the other core less to do before it sets its flag.";
	case GROUP_QUEUE:
		return "The scalar unit stands before a full queue: that is harmless when the pipe behind it is busy.";
	default: return "More work per block makes fixed costs smaller.";
	}
}

static uint32_t leading_pipe(const struct vtr_head *h, const struct core_time *t)
{
	uint32_t lead = 0;
	int64_t most = -1;
	for (uint32_t p = 0; p < h->n_pipe; p++)
		if (t->present[p] && strcmp(h->pipe[p], "S") != 0 && t->busy[p] > most) {
			most = t->busy[p];
			lead = p;
		}
	return lead;
}

/* What a pipe lost most cycles to, launch and end left out. */
static uint32_t main_loss(const struct vtr_head *h, const struct core_time *t, uint32_t p)
{
	uint32_t best = h->n_cause;
	for (uint32_t k = 0; k < h->n_cause; k++) {
		enum cause_group g = cause_group(h->cause[k]);
		if (counts_as_work(h->cause[k]) || g == GROUP_OUTSIDE || t->cause[p][k] == 0)
			continue;
		if (best == h->n_cause || t->cause[p][k] > t->cause[p][best])
			best = k;
	}
	return best;
}

static uint32_t find_pipe(const struct vtr_head *h, const char *name)
{
	uint32_t p = 0;
	while (p < h->n_pipe && strcmp(h->pipe[p], name) != 0)
		p++;
	return p;
}

static double percent(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

/* A pipe without instructions: what the scalar unit did instead of issuing some, unless the cause says it already. */
static void add_scalar(const struct vtr_head *h, const struct core_time *t, const char *loss_text, struct verdict *v)
{
	uint32_t s = find_pipe(h, "S"), loss = s < h->n_pipe ? main_loss(h, t, s) : h->n_cause;
	size_t n = strlen(v->text);
	const char *why = strchr(loss_text, ':');
	enum cause_group g = GROUP_EMPTY;
	if (s < h->n_pipe && loss < h->n_cause && t->busy[s] > 0) {
		snprintf(v->text + n, sizeof v->text - n,
			 " The scalar unit, which issues, works %.0f %% of the time and loses %.0f %% to \"%s\".",
			 percent(t->busy[s], t->total), percent(t->cause[s][loss], t->total), h->cause[loss]);
		g = cause_group(h->cause[loss]);
	}
	if (why)
		g = cause_group(why + 1);
	if (g == GROUP_QUEUE)
		snprintf(v->advice, sizeof v->advice,
			 "The scalar unit stands before one pipe's full queue and cannot feed the others: issue what the idle"
			 " pipe needs earlier, or in fewer, larger instructions.");
	else if (g == GROUP_CACHE)
		snprintf(v->advice, sizeof v->advice, "%s", advice_for(GROUP_CACHE));
}

/* Cycles before the first instruction, of a pipe. */
static int64_t launch_cycles(const struct vtr_head *h, const struct core_time *t, uint32_t pipe)
{
	int64_t sum = 0;
	for (uint32_t k = 0; k < h->n_cause; k++)
		sum += strcmp(h->cause[k], "launch") == 0 ? t->cause[pipe][k] : 0;
	return sum;
}

/* The first sentence: what binds the leading pipe. */
static void say_bound(const struct vtr_head *h, const struct core_time *t, struct verdict *v)
{
	const char *lead = h->pipe[v->pipe], *core = h->core[v->core].name;
	double busy = percent(t->busy[v->pipe], t->total);
	int64_t launch = launch_cycles(h, t, v->pipe);
	if (launch * 2 > t->total) {
		snprintf(v->text, sizeof v->text,
			 "Launch-bound: %.0f %% of the cycles pass before the kernel's first instruction; %s of %s works"
			 " %.0f %%.",
			 percent(launch, t->total), lead, core, busy);
		snprintf(v->advice, sizeof v->advice, "%s", advice_for(GROUP_OUTSIDE));
	} else if (busy >= 75 || v->cause == h->n_cause) {
		snprintf(v->text, sizeof v->text, "%s-bound: %s of %s is busy %.0f %% of the time, the others wait for it.", lead,
			 lead, core, busy);
		snprintf(v->advice, sizeof v->advice, "Give %s less to do, or share its work among more cores.", lead);
	} else {
		snprintf(v->text, sizeof v->text,
			 "No pipe works all the time. %s of %s leads with %.0f %% and loses most, %.0f %%, to \"%s\".",
			 lead, core, busy, percent(t->cause[v->pipe][v->cause], t->total), h->cause[v->cause]);
		snprintf(v->advice, sizeof v->advice, "%s", advice_for(cause_group(h->cause[v->cause])));
	}
}

/* What makes a pipe work slower than it could, when that costs a quarter of its work time; n_cause when nothing does. */
static uint32_t slowed_by(const struct vtr_head *h, const struct core_time *t, uint32_t pipe)
{
	uint32_t slow = h->n_cause;
	for (uint32_t k = 0; k < h->n_cause; k++) {
		enum cause_group g = cause_group(h->cause[k]);
		int64_t cycles = t->cause[pipe][k];
		if ((g == GROUP_BANK || g == GROUP_BANDWIDTH) && cycles > t->busy[pipe] / 4 &&
		    (slow == h->n_cause || cycles > t->cause[pipe][slow]))
			slow = k;
	}
	return slow;
}

void analysis_verdict(const struct model *m, struct verdict *v)
{
	const struct vtr_head *h = &m->vtr->head;
	struct core_time t;
	memset(v, 0, sizeof *v);
	if (m->n_row == 0) {
		snprintf(v->text, sizeof v->text, "Nothing has run yet.");
		return;
	}
	v->core = analysis_last_core(m);
	analysis_core(m, v->core, &t);
	v->pipe = leading_pipe(h, &t);
	v->cause = main_loss(h, &t, v->pipe);
	say_bound(h, &t, v);
	uint32_t slow = slowed_by(h, &t, v->pipe);
	size_t n = strlen(v->text);
	if (slow < h->n_cause) {
		snprintf(v->text + n, sizeof v->text - n, " %.0f %% of %s's work time is lost to \"%s\".",
			 percent(t.cause[v->pipe][slow], t.busy[v->pipe]), h->pipe[v->pipe], h->cause[slow]);
		v->cause = slow;
		snprintf(v->advice, sizeof v->advice, "%s", advice_for(cause_group(h->cause[slow])));
	} else if (v->cause < h->n_cause && cause_group(h->cause[v->cause]) == GROUP_EMPTY && t.busy[v->pipe] * 4 < t.total * 3) {
		add_scalar(h, &t, h->cause[v->cause], v);
	}
	int64_t launch = launch_cycles(h, &t, v->pipe);
	n = strlen(v->text);
	if (launch * 5 > t.total && launch * 2 <= t.total)
		snprintf(v->text + n, sizeof v->text - n, " The launch takes %.0f %%.", percent(launch, t.total));
}

static int64_t overlap(int64_t a0, int64_t a1, int64_t b0, int64_t b1)
{
	int64_t from = a0 > b0 ? a0 : b0, to = a1 < b1 ? a1 : b1;
	return to > from ? to - from : 0;
}

void analysis_range(const struct model *m, const struct lane *l, int64_t from, int64_t to, struct range_stat *r)
{
	(void)m;
	memset(r, 0, sizeof *r);
	for (uint32_t i = lane_find(l, from); i < l->n && l->row[i].start - l->row[i].stall < to; i++) {
		const struct row *x = &l->row[i];
		int64_t busy = overlap(x->start, row_issue_end(x), from, to),
			stall = overlap(x->start - x->stall, x->start, from, to);
		r->busy += busy;
		r->stall += stall;
		r->cause[row_cause(x)] += stall;
		if (x->start < to && (busy || x->issue == 0)) {
			r->n++;
			r->work += x->issue ? (uint64_t)((double)x->work * (double)busy / x->issue) : x->work;
		}
	}
	r->idle = to - from - r->busy - r->stall;
}

double analysis_bytes(const struct model *m, uint32_t pipe, double from, double to)
{
	double width = (double)(INT64_C(1) << m->span_log2), sum = 0;
	const double *s = m->span + (size_t)pipe * MODEL_SPAN_BUCKETS;
	double end = width * MODEL_SPAN_BUCKETS;
	from = from < 0 ? 0 : from;
	to = to > end ? end : to;
	for (double at = from; at < to;) {
		int b = (int)(at / width);
		double until = (b + 1) * width;
		until = until > to ? to : until;
		if (b >= MODEL_SPAN_BUCKETS || until <= at)
			break;
		sum += s[b] * (until - at) / width;
		at = until;
	}
	return sum;
}

bool analysis_roofline(const struct model *m, const struct chip *chip, struct roofline *r)
{
	enum { TILE = 16, K0_F16 = 16, VECTOR_LANES = 64 };
	const struct vtr_head *h = &m->vtr->head;
	double bytes = (double)(m->gm_read + m->gm_write), cores = 0;
	bool cube = m->macs > 0;
	memset(r, 0, sizeof *r);
	if (!chip || m->end <= 0 || bytes <= 0)
		return false;
	for (uint32_t c = 0; c < h->n_core; c++)
		cores += strcmp(h->core[c].kind, "fused") == 0 || (strcmp(h->core[c].kind, "cube") == 0) == cube;
	double work = cube ? (double)m->macs : (double)m->vector_repeats * VECTOR_LANES;
	double step = (double)chip->cube.step_cycles / 1000;
	r->peak = cores * (cube ? TILE * TILE * K0_F16 / (step > 0 ? step : 1) : VECTOR_LANES);
	r->hbm = (double)chip->gm.hbm_rate / 1000;
	r->l2 = (double)chip->gm.l2_rate / 1000;
	r->ops = work / (double)m->end;
	r->intensity = work / bytes;
	r->unit = cube ? "MAC" : "fp32 lane";
	return work > 0;
}
