/*
 * vtr_walk.c - events out of the blocks of an open .vtr, in order of emission, those of a core and a range of cycles.
 */
#include "vtr_store.h"

#include <stdlib.h>

struct vtr_walk {
	const struct vtr *t;
	struct vtr_filter filter;
	uint8_t *buffer;
	size_t buffer_max;
	struct vtr_lane *lane;
	struct vtr_in in;
	bool with_words, have_words; /* asked for; there for this block */
	uint8_t *word_buffer;
	size_t word_max;
	struct vtr_in words;
	uint32_t core, left;     /* of the last event; events left in the block */
	uint32_t block, next, last;
	uint32_t n_bad;
};

struct vtr_walk *vtr_walk_new(const struct vtr *t, struct vtr_filter filter, struct fail *f)
{
	struct vtr_walk *w = calloc(1, sizeof *w);
	if (w)
		w->lane = calloc((size_t)t->head.n_core * t->head.n_pipe, sizeof *w->lane);
	if (!w || !w->lane) {
		free(w);
		fail_set(f, FAIL_INTERNAL, "no memory for reading the trace");
		return NULL;
	}
	w->t = t;
	w->filter = filter;
	vtr_rewind(w);
	return w;
}

void vtr_walk_free(struct vtr_walk *w)
{
	if (!w)
		return;
	free(w->buffer);
	free(w->word_buffer);
	free(w->lane);
	free(w);
}

void vtr_walk_words(struct vtr_walk *w) { w->with_words = true; }

void vtr_seek(struct vtr_walk *w, uint32_t block, uint32_t last)
{
	w->next = block;
	w->last = last;
	w->left = 0;
}

void vtr_rewind(struct vtr_walk *w)
{
	vtr_seek(w, 0, UINT32_MAX);
	w->n_bad = 0;
}

uint32_t vtr_walk_block(const struct vtr_walk *w) { return w->block; }
uint32_t vtr_walk_bad(const struct vtr_walk *w) { return w->n_bad; }

static bool overlaps(const struct vtr_filter *f, int64_t min, int64_t max) { return min <= f->to && max >= f->from; }

static bool block_may_match(const struct vtr_walk *w, const struct vtr_block *b)
{
	if (!overlaps(&w->filter, b->min_cycle, b->max_cycle))
		return false;
	if (w->filter.core < 0)
		return true;
	const struct vtr_block_core *row = w->t->block_core + b->core_at;
	uint32_t low = 0, high = b->n_core;
	while (low < high) {
		uint32_t mid = (low + high) / 2;
		if (row[mid].core < (uint32_t)w->filter.core)
			low = mid + 1;
		else
			high = mid;
	}
	return low < b->n_core && row[low].core == (uint32_t)w->filter.core &&
	       overlaps(&w->filter, row[low].min_cycle, row[low].max_cycle);
}

static void take_accesses(struct vtr_in *in, struct vtr_lane *l, struct vtr_event *e)
{
	e->n_access = vtr_take_byte(in);
	if (e->n_access > VTR_ACCESSES) {
		in->bad = true;
		e->n_access = 0;
	}
	for (unsigned i = 0; i < e->n_access; i++) {
		uint8_t head = vtr_take_byte(in);
		in->bad |= head & ~(unsigned)ACC_KNOWN;
		e->access[i].space = head & 15;
		e->access[i].write = head & ACC_WRITE;
		e->access[i].addr = l->addr[i] += vtr_zag(vtr_take(in));
		if (head & ACC_EXTENT)
			l->extent[i] = vtr_take(in);
		e->access[i].extent = l->extent[i];
	}
}

static void take_optional(struct vtr_in *in, unsigned bits, struct vtr_event *e)
{
	if (bits & REC_RELEASER) {
		e->releaser_pipe = vtr_take_byte(in);
		e->releaser = e->seq - vtr_zag(vtr_take(in));
	}
	if (bits & REC_FLAG) {
		e->has_flag = true;
		e->flag_src = vtr_take_byte(in);
		e->flag_dst = vtr_take_byte(in);
		e->event_id = (uint16_t)vtr_take_max(in, UINT16_MAX);
	}
	if (bits & REC_EXTRA) {
		e->extra_bank = (int64_t)vtr_take_max(in, INT64_MAX);
		e->extra_bandwidth = (int64_t)vtr_take_max(in, INT64_MAX);
	}
	if (bits & REC_WORK) {
		e->repeats = vtr_take(in);
		e->bytes = vtr_take(in);
		e->macs = vtr_take(in);
	}
}

/* What the writer guarantees must hold, so that users of the events need no checks of their own. */
static bool valid(const struct vtr_head *h, const struct vtr_block *b, uint32_t n_site, const struct vtr_event *e)
{
	bool ok = e->site < n_site && e->cause < h->n_cause && e->releaser_pipe < h->n_pipe && e->block >= -1 &&
		  e->dispatched >= b->min_cycle && e->dispatched <= e->arrived && e->arrived <= e->start &&
		  e->stall_begin >= b->min_cycle && e->stall_begin <= e->start && e->start <= e->issue_end &&
		  e->issue_end <= e->end && e->end <= b->max_cycle && e->flag_src < h->n_pipe &&
		  e->flag_dst < h->n_pipe;
	for (unsigned i = 0; i < e->n_access; i++)
		ok &= e->access[i].space < h->n_space;
	return ok;
}

static bool take_event(struct vtr_walk *w, struct vtr_event *e)
{
	const struct vtr_head *h = &w->t->head;
	struct vtr_in here = w->in, *in = &here; /* of its own, so that it stays in registers */
	unsigned bits = (unsigned)vtr_take_max(in, REC_KNOWN);
	*e = (struct vtr_event){ .pipe = bits & 15 };
	if (bits & REC_CORE)
		w->core = (uint32_t)(w->core + vtr_zag(vtr_take(in)));
	if (w->core >= h->n_core || e->pipe >= h->n_pipe || in->bad)
		return false;
	struct vtr_lane *l = &w->lane[(size_t)w->core * h->n_pipe + e->pipe];
	e->core = w->core;
	if (bits & REC_BLOCK)
		l->block += vtr_zag(vtr_take(in));
	in->bad |= (int64_t)l->block < -1 || (int64_t)l->block > INT32_MAX;
	e->block = (int32_t)(uint32_t)l->block;
	l->site += vtr_zag(vtr_take(in));
	in->bad |= l->site >= w->t->n_site;
	e->site = (uint32_t)l->site;
	e->seq = l->seq += vtr_zag(vtr_take(in));
	uint64_t start = l->issue_end + vtr_zag(vtr_take(in)), stall_begin = l->issue_end;
	e->start = (int64_t)start;
	e->issue_end = (int64_t)(start + vtr_take(in));
	e->dispatched = (int64_t)(l->dispatched += vtr_zag(vtr_take(in)));
	if (bits & REC_ARRIVE)
		l->arrive = vtr_take(in);
	e->arrived = (int64_t)(l->dispatched + l->arrive);
	if (bits & REC_BEGIN)
		stall_begin = start - vtr_take(in);
	e->stall_begin = (int64_t)stall_begin;
	e->end = (int64_t)((uint64_t)e->issue_end + (bits & REC_LATENCY ? vtr_take(in) : 0));
	if (bits & REC_CAUSE)
		l->cause = vtr_take_byte(in);
	e->cause = l->cause;
	l->issue_end = (uint64_t)e->issue_end;
	take_optional(in, bits, e);
	if (bits & REC_ACCESS)
		take_accesses(in, l, e);
	w->in = here;
	return !in->bad && valid(h, &w->t->block[w->block], w->t->n_site, e);
}

static void open_words(struct vtr_walk *w, uint32_t block)
{
	const struct vtr_store *s = w->t->store;
	uint64_t at = w->with_words && block < s->n_words ? s->words[block] : 0;
	w->have_words = at && vtr_chunk_load(s, at, VTR_WORD, &w->word_buffer, &w->word_max, &w->words);
}

static bool open_block(struct vtr_walk *w)
{
	const struct vtr *t = w->t;
	for (; w->next < t->n_block && w->next <= w->last; w->next++) {
		const struct vtr_block *b = &t->block[w->next];
		if (!block_may_match(w, b))
			continue;
		if (!vtr_chunk_load(t->store, b->offset, VTR_EVTS, &w->buffer, &w->buffer_max, &w->in)) {
			w->n_bad++;
			continue;
		}
		memset(w->lane, 0, (size_t)t->head.n_core * t->head.n_pipe * sizeof *w->lane);
		open_words(w, w->next);
		w->core = 0;
		w->left = b->n_event;
		w->block = w->next++;
		return true;
	}
	return false;
}

bool vtr_next(struct vtr_walk *w, struct vtr_event *e)
{
	for (;;) {
		if (w->left == 0 && !open_block(w))
			return false;
		w->left--;
		if (!take_event(w, e) || (w->left == 0 && w->in.p != w->in.end)) {
			w->n_bad++;
			w->left = 0;
			continue;
		}
		/* words that are damaged leave their events without any */
		if (w->have_words && !vtr_take_words(&w->words, &w->lane[(size_t)e->core * w->t->head.n_pipe + e->pipe], e)) {
			w->have_words = false;
			e->has_words = false;
		}
		int64_t min = e->stall_begin < e->dispatched ? e->stall_begin : e->dispatched;
		if ((w->filter.core < 0 || e->core == (uint32_t)w->filter.core) && overlaps(&w->filter, min, e->end))
			return true;
	}
}
