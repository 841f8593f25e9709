/*
 * lod.c - summaries of a lane for every zoom: how busy a stretch of cycles was, how long it waited and mostly for what.
 */
#include "model.h"

#include <pthread.h>

#include <stdlib.h>
#include <string.h>

enum { SHARE = 65535, ROWS_PER_BUCKET = 4, FEW_ROWS = 512 };

static uint16_t share(int64_t part, int64_t whole)
{
	int64_t v = part * SHARE / whole;
	return v > SHARE ? SHARE : (uint16_t)v;
}

/* Sums of one bucket while its rows pass by. */
struct filling {
	int64_t busy, wait, cause[VTR_CAUSES];
};

static void flush(struct bucket *b, struct filling *x, int64_t width, uint32_t n_cause)
{
	uint32_t top = 0;
	for (uint32_t k = 1; k < n_cause; k++)
		if (x->cause[k] > x->cause[top])
			top = k;
	*b = (struct bucket){ share(x->busy, width), share(x->wait, width), share(x->cause[top], width), (uint8_t)top,
			      0 };
	x->busy = x->wait = 0;
	memset(x->cause, 0, n_cause * sizeof x->cause[0]);
}

struct filler {
	struct bucket *b;
	int log2;
	int64_t at;
	uint32_t n_cause;
	struct filling x;
};

/* Cycles [from, to) for one cause (or busy, cause < 0), never before what came earlier. */
static void fill(struct filler *p, int64_t from, int64_t to, int cause)
{
	int64_t width = INT64_C(1) << p->log2;
	while (from < to) {
		int64_t bucket = from >> p->log2, until = (bucket + 1) << p->log2;
		if (bucket != p->at) {
			flush(&p->b[p->at], &p->x, width, p->n_cause);
			p->at = bucket;
		}
		if (until > to)
			until = to;
		if (cause < 0) {
			p->x.busy += until - from;
		} else {
			p->x.wait += until - from;
			p->x.cause[cause] += until - from;
		}
		from = until;
	}
}

static struct bucket merge(const struct bucket *a, const struct bucket *b)
{
	struct bucket m = { (uint16_t)(((uint32_t)a->busy + b->busy) / 2),
			    (uint16_t)(((uint32_t)a->wait + b->wait) / 2), 0, 0, 0 };
	const struct bucket *top = a->top >= b->top ? a : b;
	m.cause = top->cause;
	m.top = (uint16_t)((a->cause == b->cause ? (uint32_t)a->top + b->top : top->top) / 2);
	return m;
}

static void lane_summarise(struct lane *l, int64_t end, uint32_t n_cause)
{
	for (int k = 0; k < l->n_level; k++)
		free(l->level[k]);
	l->n_level = 0;
	if (l->n < FEW_ROWS)
		return;
	int log2 = 0;
	while ((end >> log2) > l->n / ROWS_PER_BUCKET)
		log2++;
	uint32_t n = (uint32_t)(end >> log2) + 1;
	struct filler p = { calloc(n, sizeof(struct bucket)), log2, 0, n_cause, { 0, 0, { 0 } } };
	if (!p.b)
		return;
	int64_t done = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		const struct row *r = &l->row[i];
		int64_t ready = r->start - r->stall, to = row_issue_end(r);
		fill(&p, ready > done ? ready : done, r->start, (int)row_cause(r));
		fill(&p, r->start > done ? r->start : done, to, -1);
		done = to > done ? to : done;
	}
	flush(&p.b[p.at], &p.x, INT64_C(1) << log2, n_cause);
	l->base_log2 = log2;
	l->level[0] = p.b;
	l->n_bucket[0] = n;
	for (l->n_level = 1; l->n_level < MODEL_LEVELS && n > 64; l->n_level++) {
		static const struct bucket none;
		const struct bucket *low = l->level[l->n_level - 1];
		uint32_t half = (n + 1) / 2;
		struct bucket *b = malloc(half * sizeof *b);
		if (!b)
			return;
		for (uint32_t i = 0; i < half; i++)
			b[i] = merge(&low[2 * i], 2 * i + 1 < n ? &low[2 * i + 1] : &none);
		l->level[l->n_level] = b;
		l->n_bucket[l->n_level] = n = half;
	}
}

enum { PARTS = 2 };

struct part {
	struct model *m;
	uint32_t first;
};

static void *summarise_part(void *arg)
{
	struct part *p = arg;
	for (uint32_t i = p->first; i < p->m->n_lane; i += PARTS)
		lane_summarise(&p->m->lane[i], p->m->end, p->m->vtr->head.n_cause);
	return NULL;
}

void model_summarise(struct model *m)
{
	struct part part[PARTS];
	pthread_t thread[PARTS];
	bool started[PARTS] = { false };
	for (uint32_t i = 0; i < PARTS; i++) {
		part[i] = (struct part){ m, i };
		started[i] =
			i > 0 && m->n_row > 100000 && pthread_create(&thread[i], NULL, summarise_part, &part[i]) == 0;
		if (!started[i] && i > 0)
			summarise_part(&part[i]);
	}
	summarise_part(&part[0]);
	for (int i = 1; i < PARTS; i++)
		if (started[i])
			pthread_join(thread[i], NULL);
}

int lane_level(const struct lane *l, double cycles)
{
	int k = -1;
	while (k + 1 < l->n_level && (double)(INT64_C(1) << (l->base_log2 + k + 1)) <= cycles)
		k++;
	return k;
}

struct bucket lane_bucket(const struct lane *l, int64_t from, int64_t to)
{
	int k = lane_level(l, (double)(to - from));
	struct bucket sum = { 0 };
	if (k < 0 || from < 0)
		return sum;
	int log2 = l->base_log2 + k;
	uint32_t a = (uint32_t)(from >> log2), b = (uint32_t)((to - 1) >> log2), n = 0;
	uint32_t busy = 0, wait = 0;
	for (uint32_t i = a; i <= b && i < l->n_bucket[k]; i++, n++) {
		const struct bucket *x = &l->level[k][i];
		busy += x->busy;
		wait += x->wait;
		if (x->top > sum.top) {
			sum.top = x->top;
			sum.cause = x->cause;
		}
	}
	if (n) {
		sum.busy = (uint16_t)(busy / n);
		sum.wait = (uint16_t)(wait / n);
	}
	return sum;
}
