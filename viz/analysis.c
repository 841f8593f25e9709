/*
 * analysis.c - where cycles went, where to look first, statistics of a stretch, the roofline.
 */
#include "analysis.h"

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

void analysis_focus(const struct model *m, struct focus *v)
{
	const struct vtr_head *h = &m->vtr->head;
	struct core_time t;
	*v = (struct focus){ 0, 0, h->n_cause };
	if (m->n_row == 0 && !m->vtr->findings)
		return;
	v->core = m->vtr->findings ? m->vtr->findings->path_core : analysis_last_core(m);
	analysis_core(m, v->core, &t);
	v->pipe = leading_pipe(h, &t);
	v->cause = main_loss(h, &t, v->pipe);
	uint32_t slow = slowed_by(h, &t, v->pipe);
	if (slow < h->n_cause)
		v->cause = slow;
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
