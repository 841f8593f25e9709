/*
 * model_load.c - a .vtr file into a model: blocks are independent, so that two threads read halves of the file, and the
 * second half's rows are put behind the first's.
 */
#include "model.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct half {
	struct model m;
	uint32_t first, last;
	bool ok;
};

static void *read_half(void *arg)
{
	struct half *h = arg;
	struct vtr_walk *w = vtr_walk_new(h->m.vtr, VTR_ALL, NULL);
	struct vtr_event e;
	h->ok = w != NULL;
	if (!w)
		return NULL;
	vtr_seek(w, h->first, h->last);
	while (h->ok && vtr_next(w, &e))
		h->ok = model_note(&h->m, &e);
	h->m.n_bad += vtr_walk_bad(w);
	vtr_walk_free(w);
	return NULL;
}

static bool append_lane(struct lane *l, struct lane *more, uint32_t n_cause)
{
	if (more->n == 0)
		return true;
	if (l->n == 0) {
		struct row *mine = l->row;
		l->row = more->row;
		more->row = mine;
		l->max = more->max;
	} else {
		struct row *r = realloc(l->row, ((size_t)l->n + more->n) * sizeof *r);
		if (!r)
			return false;
		memcpy(r + l->n, more->row, more->n * sizeof *r);
		l->row = r;
		l->max = l->n + more->n;
	}
	l->n += more->n;
	l->busy += more->busy;
	l->stall += more->stall;
	l->sync += more->sync;
	l->work += more->work;
	l->macs += more->macs;
	for (uint32_t k = 0; k < n_cause; k++)
		l->cause[k] += more->cause[k];
	free(more->row);
	more->row = NULL;
	return true;
}

static void append_spans(struct model *m, struct model *more)
{
	uint32_t n_pipe = m->vtr->head.n_pipe;
	int log2 = m->span_log2 > more->span_log2 ? m->span_log2 : more->span_log2;
	struct model *both[2] = { m, more };
	for (int k = 0; k < 2; k++)
		for (; both[k]->span_log2 < log2; both[k]->span_log2++)
			for (uint32_t p = 0; p < n_pipe; p++) {
				double *s = both[k]->span + (size_t)p * MODEL_SPAN_BUCKETS;
				for (int i = 0; i < MODEL_SPAN_BUCKETS; i++)
					s[i] = i < MODEL_SPAN_BUCKETS / 2 ? s[2 * i] + s[2 * i + 1] : 0;
			}
	for (size_t i = 0; i < (size_t)n_pipe * MODEL_SPAN_BUCKETS; i++)
		m->span[i] += more->span[i];
}

static bool append(struct model *m, struct model *more)
{
	const struct vtr_head *h = &m->vtr->head;
	for (uint32_t i = 0; i < m->n_lane; i++)
		if (!append_lane(&m->lane[i], &more->lane[i], h->n_cause))
			return false;
	for (uint32_t i = 0; i < m->vtr->n_site; i++) {
		m->site[i].n += more->site[i].n;
		m->site[i].busy += more->site[i].busy;
		m->site[i].stall += more->site[i].stall;
		m->site[i].work += more->site[i].work;
	}
	if (m->site_cause && more->site_cause)
		for (size_t i = 0; i < (size_t)m->vtr->n_site * h->n_cause; i++)
			m->site_cause[i] += more->site_cause[i];
	append_spans(m, more);
	for (int i = 0; i < VTR_SPACES; i++)
		m->space_top[i] = m->space_top[i] > more->space_top[i] ? m->space_top[i] : more->space_top[i];
	m->end = m->end > more->end ? m->end : more->end;
	m->n_row += more->n_row;
	m->gm_read += more->gm_read;
	m->gm_write += more->gm_write;
	m->macs += more->macs;
	m->vector_repeats += more->vector_repeats;
	m->n_bad += more->n_bad;
	return true;
}

static bool in_order(const struct row *a, const struct row *b)
{
	return a->start < b->start || (a->start == b->start && a->seq <= b->seq);
}

static int by_start(const void *a, const void *b) { return in_order(a, b) ? (in_order(b, a) ? 0 : -1) : 1; }

/* The engine emits a pipe's instructions in order; a file from elsewhere may not. */
static void sort_lanes(struct model *m)
{
	for (uint32_t i = 0; i < m->n_lane; i++) {
		struct lane *l = &m->lane[i];
		bool sorted = true;
		for (uint32_t k = 1; k < l->n && sorted; k++)
			sorted = in_order(&l->row[k - 1], &l->row[k]);
		if (!sorted)
			qsort(l->row, l->n, sizeof *l->row, by_start);
	}
}

static bool load(struct model *m, struct half half[2], struct fail *f)
{
	uint32_t n = m->vtr->n_block, middle = n / 2;
	pthread_t thread;
	half[0] = (struct half){ .m = *m, .first = 0, .last = n > 1 ? middle - 1 : UINT32_MAX };
	memset(&half[1], 0, sizeof half[1]);
	if (n > 1) {
		if (!model_begin(&half[1].m, m->vtr, f))
			return false;
		half[1].first = middle;
		half[1].last = UINT32_MAX;
		bool two = pthread_create(&thread, NULL, read_half, &half[1]) == 0;
		read_half(&half[0]);
		if (two)
			pthread_join(thread, NULL);
		else
			read_half(&half[1]);
	} else {
		half[1].ok = true;
		read_half(&half[0]);
	}
	*m = half[0].m;
	bool ok = half[0].ok && half[1].ok && (n <= 1 || append(m, &half[1].m));
	if (n > 1)
		model_free(&half[1].m);
	return ok || fail_set(f, FAIL_USER, "no memory for the %llu events of the trace",
			      (unsigned long long)m->vtr->n_event);
}

struct holds { struct model *m; bool ok; };

static void take_hold(void *user, const struct vtr_hold *h)
{
	struct holds *x = user;
	x->ok = x->ok && model_hold(x->m, h);
}

/* Takes over an open trace. */
static bool take(struct model *m, struct vtr *own, const char *name, struct fail *f)
{
	struct half half[2];
	if (!model_begin(m, own, f)) {
		vtr_close(own);
		return false;
	}
	bool ok = load(m, half, f);
	m->own = *own;
	m->vtr = &m->own;
	m->live = false;
	m->n_bad += own->n_bad;
	snprintf(m->path, sizeof m->path, "%s", name);
	if (!ok) {
		model_free(m);
		return false;
	}
	struct holds holds = { m, true };
	m->n_bad += vtr_each_hold(m->vtr, take_hold, &holds);
	if (!holds.ok) {
		model_free(m);
		return fail_set(f, FAIL_USER, "no memory for the trace");
	}
	m->cycles = m->end;
	if (own->has_done && own->done.end > 0 && own->done.end < MODEL_LAST_CYCLE)
		m->cycles = own->done.end;
	if (m->end < m->cycles)
		m->end = m->cycles;
	sort_lanes(m);
	model_summarise(m);
	return true;
}

bool model_open(struct model *m, const char *path, struct fail *f)
{
	struct vtr own;
	memset(m, 0, sizeof *m);
	return vtr_open(path, &own, f) && take(m, &own, path, f);
}

bool model_open_head(struct model *m, const char *path, struct fail *f)
{
	struct vtr own;
	memset(m, 0, sizeof *m);
	if (!vtr_open(path, &own, f))
		return false;
	if (!model_begin(m, &own, f)) {
		vtr_close(&own);
		return false;
	}
	m->own = own;
	m->vtr = &m->own;
	m->live = false;
	snprintf(m->path, sizeof m->path, "%s", path);
	int64_t end = own.has_done && own.done.end > 0 ? own.done.end : own.max_cycle;
	m->cycles = m->end = end < MODEL_LAST_CYCLE ? end : MODEL_LAST_CYCLE;
	return true;
}

bool model_open_memory(struct model *m, const void *bytes, size_t size, const char *name, struct fail *f)
{
	struct vtr own;
	memset(m, 0, sizeof *m);
	return vtr_open_memory(bytes, size, name, &own, f) && take(m, &own, name, f);
}
