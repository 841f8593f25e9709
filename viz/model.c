/*
 * model.c - rows: adding, finding, and from a row back to the whole event.
 */
#include "model.h"

#include <stdlib.h>
#include <string.h>

static uint32_t clip32(int64_t v) { return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v; }

static struct row row_of(const struct vtr_event *e)
{
	int64_t release = e->releaser ? (int64_t)(e->seq - e->releaser) : 0;
	uint32_t bank = e->extra_bank > e->extra_bandwidth;
	return (struct row){
		.start = e->start,
		.issue = clip32(e->issue_end - e->start),
		.tail = clip32(e->end - e->issue_end),
		.stall = clip32(e->start - vtr_ready(e)),
		.what = (e->site & 0xfffff) | (uint32_t)(e->cause & 63) << 20 |
			(uint32_t)(e->releaser_pipe & 15) << 26 | bank << 31,
		.seq = (uint32_t)e->seq,
		.release = release > INT32_MAX || release < INT32_MIN ? 0 : (int32_t)release,
		.extra = clip32(e->extra_bank + e->extra_bandwidth),
		.work = clip32((int64_t)(e->bytes ? e->bytes : e->macs)),
	};
}

/* Bytes spread evenly over the cycles that moved them. */
static void note_span(struct model *m, const struct vtr_event *e)
{
	double *span = m->span + (size_t)e->pipe * MODEL_SPAN_BUCKETS;
	int64_t cycles = e->issue_end - e->start, at = e->start;
	if (!e->bytes)
		return;
	while ((e->issue_end >> m->span_log2) >= MODEL_SPAN_BUCKETS) {
		for (uint32_t p = 0; p < m->vtr->head.n_pipe; p++) {
			double *s = m->span + (size_t)p * MODEL_SPAN_BUCKETS;
			for (int i = 0; i < MODEL_SPAN_BUCKETS; i++)
				s[i] = i < MODEL_SPAN_BUCKETS / 2 ? s[2 * i] + s[2 * i + 1] : 0;
		}
		m->span_log2++;
	}
	if (cycles <= 0) {
		span[at >> m->span_log2] += (double)e->bytes;
		return;
	}
	while (at < e->issue_end) {
		int64_t bucket = at >> m->span_log2, until = (bucket + 1) << m->span_log2;
		if (until > e->issue_end)
			until = e->issue_end;
		span[bucket] += (double)e->bytes * (double)(until - at) / (double)cycles;
		at = until;
	}
}

static struct row *add_row(struct lane *l)
{
	if (l->n == l->max) {
		uint32_t more = l->max ? l->max * 2 : 64;
		struct row *r = realloc(l->row, (size_t)more * sizeof *r);
		if (!r)
			return NULL;
		l->row = r;
		l->max = more;
	}
	return &l->row[l->n++];
}

enum { STORE_EVENT, STORE_HOLD };

/* Behind a byte that says what it is; *at: where it begins. */
static bool keep(struct model *m, uint8_t what, const void *from, size_t bytes, uint64_t *at)
{
	if (m->store_n + bytes + 1 > m->store_max) {
		size_t more = m->store_max ? m->store_max * 2 : 1 << 20;
		uint8_t *s = realloc(m->store, more);
		if (!s)
			return false;
		m->store = s;
		m->store_max = more;
	}
	m->store[m->store_n++] = what;
	*at = m->store_n;
	memcpy(m->store + m->store_n, from, bytes);
	m->store_n += bytes;
	return true;
}

bool model_hold(struct model *m, const struct vtr_hold *h)
{
	struct lane *l = &m->lane[(size_t)h->core * m->vtr->head.n_pipe + h->pipe];
	struct row *older = l->n ? &l->row[l->n - 1] : NULL;
	uint64_t stored;
	if (m->live && !keep(m, STORE_HOLD, h, sizeof *h, &stored))
		return false;
	int64_t work = older ? h->from - row_issue_end(older) : 0;
	if (h->to >= MODEL_LAST_CYCLE || (older && older->seq != ROW_NO_SEQ)) {
		m->n_bad++;
		return true;
	}
	if (work > 0) { /* between two holds it worked */
		older->issue = clip32((int64_t)older->issue + work);
		l->busy += work;
	}
	struct row *r = add_row(l);
	if (!r)
		return false;
	uint32_t site = h->site < m->vtr->n_site ? h->site & 0xfffff : ROW_NO_SITE;
	/* the distance back to the releaser: its seq is what counts, a hold has none */
	*r = (struct row){ .start = h->to, .stall = clip32(h->to - h->from), .seq = ROW_NO_SEQ,
			   .what = site | (uint32_t)(h->cause & 63) << 20 | (uint32_t)(h->releaser_pipe & 15) << 26,
			   .release = h->releaser ? (int32_t)(ROW_NO_SEQ - (uint32_t)h->releaser) : 0 };
	l->stall += r->stall;
	l->cause[h->cause] += r->stall;
	enum cause_group g = cause_group(m->vtr->head.cause[h->cause]);
	/* cache misses and launches are the code's before the instruction, not its own */
	if (site != ROW_NO_SITE && g != GROUP_OUTSIDE && g != GROUP_CACHE) {
		m->site[site].stall += r->stall;
		if (m->site_cause)
			m->site_cause[(size_t)site * m->vtr->head.n_cause + h->cause] += r->stall;
	}
	m->hold_pipe = h->pipe;
	m->end = h->to > m->end ? h->to : m->end;
	return true;
}

const struct vtr_site *model_site(const struct model *m, const struct row *r)
{
	return row_site(r) < m->vtr->n_site ? &m->vtr->site[row_site(r)] : NULL;
}

const char *model_name(const struct model *m, const struct lane *l, const struct row *r)
{
	const struct vtr_site *s = model_site(m, r);
	return (int)l->pipe == m->hold_pipe || !s ? "scalar code" : s->name;
}

bool model_note(struct model *m, const struct vtr_event *e)
{
	const struct vtr_head *h = &m->vtr->head;
	struct lane *l = &m->lane[(size_t)e->core * h->n_pipe + e->pipe];
	if (e->end >= MODEL_LAST_CYCLE || e->stall_begin < 0 || e->dispatched < 0) {
		m->n_bad++;
		return true;
	}
	struct row *r = add_row(l);
	if (!r)
		return false;
	*r = row_of(e);
	m->n_row++;
	if (m->end < e->end)
		m->cycles = m->end = e->end;
	struct site_sum *s = &m->site[e->site];
	bool sync = m->vtr->site[e->site].role != VTR_WORK;
	s->n++;
	s->busy += r->issue;
	s->stall += r->stall;
	s->work += r->work;
	if (m->site_cause)
		m->site_cause[(size_t)e->site * h->n_cause + e->cause] += r->stall;
	*(sync ? &l->sync : &l->busy) += r->issue;
	l->stall += r->stall;
	l->cause[e->cause] += r->stall;
	l->work += e->bytes;
	if (!e->bytes) {
		l->macs += e->macs;
		m->macs += e->macs;
	}
	m->vector_repeats += e->bytes == 0 && e->macs == 0 ? e->repeats : 0;
	for (int i = 0; i < e->n_access; i++) {
		const struct vtr_access *a = &e->access[i];
		if (a->space == m->gm_space) {
			*(a->write ? &m->gm_write : &m->gm_read) += e->bytes;
			continue;
		}
		if (m->space_top[a->space] < a->addr + a->extent)
			m->space_top[a->space] = a->addr + a->extent;
	}
	note_span(m, e);
	return true;
}

bool model_begin(struct model *m, const struct vtr *head, struct fail *f)
{
	const struct vtr_head *h = &head->head;
	memset(m, 0, sizeof *m);
	m->vtr = head;
	m->n_lane = h->n_core * h->n_pipe;
	m->lane = calloc(m->n_lane ? m->n_lane : 1, sizeof *m->lane);
	m->site = calloc(head->n_site ? head->n_site : 1, sizeof *m->site);
	m->span = calloc((size_t)(h->n_pipe ? h->n_pipe : 1) * MODEL_SPAN_BUCKETS, sizeof *m->span);
	m->space_top = calloc(VTR_SPACES, sizeof *m->space_top);
	if (head->n_site <= 65536)
		m->site_cause = calloc((size_t)(head->n_site + 1) * (h->n_cause + 1), sizeof *m->site_cause);
	m->store_at = calloc(m->n_lane ? m->n_lane : 1, sizeof *m->store_at);
	m->live = true;
	m->gm_space = m->hold_pipe = -1;
	for (uint32_t i = 0; i < h->n_space; i++)
		if (strcmp(h->space[i], "GM") == 0)
			m->gm_space = (int)i;
	if (!m->lane || !m->site || !m->span || !m->space_top || !m->store_at) {
		model_free(m);
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	}
	for (uint32_t i = 0; i < m->n_lane; i++) {
		m->lane[i].core = i / h->n_pipe;
		m->lane[i].pipe = i % h->n_pipe;
	}
	return true;
}

static size_t event_bytes(const struct vtr_event *e)
{
	return offsetof(struct vtr_event, access) + e->n_access * sizeof e->access[0];
}

/* A live run keeps its events: what precedes `access`, and as many accesses as there are. */
bool model_add(struct model *m, const struct vtr_event *e, struct fail *f)
{
	uint32_t at = (uint32_t)((size_t)e->core * m->vtr->head.n_pipe + e->pipe);
	struct lane *l = &m->lane[at];
	uint32_t max = l->max;
	uint32_t n = l->n;
	uint64_t stored;
	if (!keep(m, STORE_EVENT, e, event_bytes(e), &stored))
		return fail_set(f, FAIL_INTERNAL, "no memory for the live trace");
	if (!model_note(m, e))
		return fail_set(f, FAIL_INTERNAL, "no memory for the live trace");
	if (l->n == n)
		return true;
	if (l->max != max) {
		uint64_t *o = realloc(m->store_at[at], l->max * sizeof *o);
		if (!o)
			return fail_set(f, FAIL_INTERNAL, "no memory for the live trace");
		m->store_at[at] = o;
	}
	m->store_at[at][l->n - 1] = stored;
	return true;
}

static void free_levels(struct lane *l)
{
	for (int k = 0; k < l->n_level; k++)
		free(l->level[k]);
	l->n_level = 0;
}

static void model_clear(struct model *m)
{
	const struct vtr_head *h = &m->vtr->head;
	for (uint32_t i = 0; i < m->n_lane; i++) {
		struct lane *l = &m->lane[i],
			    empty = { .core = l->core, .pipe = l->pipe, .row = l->row, .max = l->max };
		free_levels(l);
		*l = empty;
	}
	memset(m->site, 0, m->vtr->n_site * sizeof *m->site);
	memset(m->span, 0, (size_t)h->n_pipe * MODEL_SPAN_BUCKETS * sizeof *m->span);
	memset(m->space_top, 0, VTR_SPACES * sizeof *m->space_top);
	if (m->site_cause)
		memset(m->site_cause, 0, (size_t)m->vtr->n_site * h->n_cause * sizeof *m->site_cause);
	m->end = m->cycles = 0;
	m->n_row = m->gm_read = m->gm_write = m->macs = m->vector_repeats = 0;
	m->store_n = 0;
	m->span_log2 = 0;
}

bool model_rewind(struct model *m, uint64_t n, struct fail *f)
{
	uint8_t *old = m->store;
	size_t at = 0, size = m->store_n;
	bool ok = true;
	m->store = NULL;
	m->store_max = 0;
	model_clear(m);
	for (; ok && n > 0 && at < size; n--) {
		struct vtr_event e = { 0 };
		struct vtr_hold h;
		if (old[at++] == STORE_HOLD) {
			memcpy(&h, old + at, sizeof h);
			at += sizeof h;
			ok = model_hold(m, &h) || fail_set(f, FAIL_INTERNAL, "no memory for the live trace");
		} else {
			memcpy(&e, old + at, offsetof(struct vtr_event, access));
			memcpy(e.access, old + at + offsetof(struct vtr_event, access), e.n_access * sizeof e.access[0]);
			at += event_bytes(&e);
			ok = model_add(m, &e, f);
		}
	}
	free(old);
	return ok;
}

void model_free(struct model *m)
{
	for (uint32_t i = 0; m->lane && i < m->n_lane; i++) {
		free_levels(&m->lane[i]);
		free(m->lane[i].row);
		if (m->store_at)
			free(m->store_at[i]);
	}
	free(m->lane);
	free(m->site);
	free(m->site_cause);
	free(m->span);
	free(m->space_top);
	free(m->store);
	free(m->store_at);
	if (m->vtr == &m->own)
		vtr_close(&m->own);
	memset(m, 0, sizeof *m);
}

uint32_t lane_find(const struct lane *l, int64_t cycle)
{
	uint32_t low = 0, high = l->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (row_issue_end(&l->row[mid]) <= cycle)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint32_t lane_seq(const struct lane *l, uint32_t seq)
{
	uint32_t low = 0, high = l->n;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (l->row[mid].seq < seq)
			low = mid + 1;
		else
			high = mid;
	}
	return low < l->n && l->row[low].seq == seq ? low : UINT32_MAX;
}

bool model_releaser(const struct model *m, const struct lane *l, const struct row *r, uint32_t *lane, uint32_t *row)
{
	if (r->release == 0)
		return false;
	*lane = l->core * m->vtr->head.n_pipe + row_pipe(r);
	*row = lane_seq(&m->lane[*lane], r->seq - (uint32_t)r->release);
	return *row != UINT32_MAX;
}

bool model_released(const struct model *m, const struct lane *l, uint32_t row, uint32_t *lane, uint32_t *at)
{
	const struct vtr_head *h = &m->vtr->head;
	const struct row *from = &l->row[row];
	int64_t best = INT64_MAX;
	enum { LOOK = 4096 };
	for (uint32_t p = 0; p < h->n_pipe; p++) {
		uint32_t li = l->core * h->n_pipe + p;
		const struct lane *o = &m->lane[li];
		uint32_t i = lane_find(o, from->start);
		for (uint32_t n = 0; i < o->n && n < LOOK && o->row[i].start < best; i++, n++) {
			const struct row *r = &o->row[i];
			if (r->release == 0 || row_pipe(r) != l->pipe || r->seq - (uint32_t)r->release != from->seq ||
			    r == from)
				continue;
			best = r->start;
			*lane = li;
			*at = i;
			break;
		}
	}
	return best != INT64_MAX;
}

bool model_event(const struct model *m, const struct lane *l, uint32_t row, struct vtr_event *e)
{
	const struct row *r = &l->row[row];
	if ((int)l->pipe == m->hold_pipe)
		return false;
	if (m->live) {
		const uint8_t *p = m->store + m->store_at[l->core * m->vtr->head.n_pipe + l->pipe][row];
		memset(e, 0, sizeof *e);
		memcpy(e, p, offsetof(struct vtr_event, access));
		memcpy(e->access, p + offsetof(struct vtr_event, access), e->n_access * sizeof e->access[0]);
		return true;
	}
	struct vtr_filter at = { (int)l->core, r->start, r->start };
	struct vtr_walk *w = vtr_walk_new(m->vtr, at, NULL);
	bool found = false;
	if (w)
		vtr_walk_words(w);
	while (w && !found && vtr_next(w, e))
		found = e->pipe == l->pipe && e->start == r->start && (uint32_t)e->seq == r->seq;
	vtr_walk_free(w);
	return found;
}
