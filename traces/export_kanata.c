/*
 * export_kanata.c - Kanata log, version 4, for the Konata viewer: a row per instruction with the stages
 *   Ds (on its way to the queue)  Q (in the queue)  X (occupies the pipe)  Wb (until its results are visible)
 * in lane 0, what it waited for in lane 1, arrows from set_flag to wait_flag.
 *
 * Lines must be in order of cycles, events come in order of starting: a heap holds lines back until no later block can
 * have an earlier cycle.
 */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>

enum step { STEP_BEGIN, STEP_QUEUE, STEP_STALL, STEP_ISSUE, STEP_WRITE, STEP_END };
enum { NO_ID = -1, IDS = 1 << 16 };

struct row { struct vtr_event e; int64_t id; uint64_t number, set; };

struct line { int64_t cycle; uint64_t seq; uint32_t core, row; enum step step; };

struct kanata {
	struct export *x;
	FILE *out;
	struct row *row;
	uint32_t *spare;                  /* unused rows */
	uint32_t n_row, n_spare;
	struct line *heap;
	size_t n, max;
	int64_t now, next_id, retired;
	uint64_t number;                  /* events seen */
	struct { uint64_t number; int64_t id; } ids[IDS]; /* of recent events, for arrows */
};

static bool before(const struct line *a, const struct line *b)
{
	if (a->cycle != b->cycle)
		return a->cycle < b->cycle;
	if (a->core != b->core)
		return a->core < b->core;
	if (a->seq != b->seq)
		return a->seq < b->seq;
	return a->row != b->row ? a->row < b->row : a->step < b->step;
}

static bool push(struct kanata *k, struct line l)
{
	if (k->n == k->max) {
		size_t max = k->max ? k->max * 2 : 4096;
		struct line *heap = realloc(k->heap, max * sizeof *heap);
		if (!heap)
			return false;
		k->heap = heap;
		k->max = max;
	}
	size_t i = k->n++;
	for (; i > 0 && before(&l, &k->heap[(i - 1) / 2]); i = (i - 1) / 2)
		k->heap[i] = k->heap[(i - 1) / 2];
	k->heap[i] = l;
	return true;
}

static struct line pop(struct kanata *k)
{
	struct line top = k->heap[0], last = k->heap[--k->n];
	size_t i = 0;
	for (size_t c; (c = 2 * i + 1) < k->n; i = c) {
		if (c + 1 < k->n && before(&k->heap[c + 1], &k->heap[c]))
			c++;
		if (!before(&k->heap[c], &last))
			break;
		k->heap[i] = k->heap[c];
	}
	k->heap[i] = last;
	return top;
}

static uint32_t take_row(struct kanata *k)
{
	if (k->n_spare == 0) {
		uint32_t n = k->n_row ? k->n_row * 2 : 1024;
		struct row *row = realloc(k->row, n * sizeof *row);
		if (row)
			k->row = row;
		uint32_t *spare = row ? realloc(k->spare, n * sizeof *spare) : NULL;
		if (!spare)
			return UINT32_MAX;
		k->spare = spare;
		while (k->n_row < n)
			k->spare[k->n_spare++] = k->n_row++;
	}
	return k->spare[--k->n_spare];
}

/* Text without the tabs and line ends that structure the log. */
static void text(FILE *out, const char *s)
{
	for (; *s; s++)
		putc((unsigned char)*s < 0x20 ? ' ' : *s, out);
}

static void begin(struct kanata *k, struct row *r)
{
	const struct vtr *t = k->x->t;
	const struct vtr_event *e = &r->e;
	const struct vtr_site *s = &t->site[e->site];
	char operands[512];
	r->id = k->next_id++;
	k->ids[r->number % IDS].number = r->number;
	k->ids[r->number % IDS].id = r->id;
	fprintf(k->out, "I\t%" PRId64 "\t%" PRIu64 "\t%u\nL\t%" PRId64 "\t0\t0x%" PRIx64 " ", r->id, e->seq, e->core,
		r->id, s->pc);
	text(k->out, t->head.pipe[e->pipe]);
	putc(' ', k->out);
	text(k->out, s->name);
	if (e->has_flag) {
		putc(' ', k->out);
		text(k->out, t->head.pipe[e->flag_src]);
		fputs(" -> ", k->out);
		text(k->out, t->head.pipe[e->flag_dst]);
		fprintf(k->out, " event %u", e->event_id);
	}
	export_accesses(t, e, operands, sizeof operands);
	fprintf(k->out, "\nL\t%" PRId64 "\t1\t", r->id);
	text(k->out, t->head.core[e->core].name);
	fprintf(k->out, " block %d ", e->block);
	text(k->out, s->line);
	putc(' ', k->out);
	text(k->out, operands);
	fprintf(k->out, "\nS\t%" PRId64 "\t0\tDs\n", r->id);
}

static void step(struct kanata *k, struct row *r, enum step what)
{
	const struct vtr_event *e = &r->e;
	const char *cause = k->x->t->head.cause[e->cause];
	FILE *out = k->out;
	switch (what) {
	case STEP_BEGIN: begin(k, r); break;
	case STEP_QUEUE: fprintf(out, "E\t%" PRId64 "\t0\tDs\nS\t%" PRId64 "\t0\tQ\n", r->id, r->id); break;
	case STEP_STALL:
		fprintf(out, "S\t%" PRId64 "\t1\t", r->id);
		text(out, cause);
		putc('\n', out);
		break;
	case STEP_ISSUE:
		if (e->start > vtr_ready(e)) {
			fprintf(out, "E\t%" PRId64 "\t1\t", r->id);
			text(out, cause);
			putc('\n', out);
		}
		fprintf(out, "E\t%" PRId64 "\t0\tQ\nS\t%" PRId64 "\t0\tX\n", r->id, r->id);
		if (r->set && k->ids[r->set % IDS].number == r->set)
			fprintf(out, "W\t%" PRId64 "\t%" PRId64 "\t0\n", r->id, k->ids[r->set % IDS].id);
		break;
	case STEP_WRITE: fprintf(out, "E\t%" PRId64 "\t0\tX\nS\t%" PRId64 "\t0\tWb\n", r->id, r->id); break;
	case STEP_END:
		fprintf(out, "E\t%" PRId64 "\t0\t%s\nR\t%" PRId64 "\t%" PRId64 "\t0\n", r->id,
			e->end > e->issue_end ? "Wb" : "X", r->id, k->retired++);
	}
}

/* Write the lines before `cycle`. */
static void flush(struct kanata *k, int64_t cycle)
{
	while (k->n > 0 && k->heap[0].cycle < cycle) {
		struct line l = pop(k);
		if (k->now < 0)
			fprintf(k->out, "C=\t%" PRId64 "\n", l.cycle);
		else if (l.cycle > k->now)
			fprintf(k->out, "C\t%" PRId64 "\n", l.cycle - k->now);
		k->now = l.cycle;
		step(k, &k->row[l.row], l.step);
		if (l.step == STEP_END)
			k->spare[k->n_spare++] = l.row;
	}
}

static bool add(struct kanata *k, const struct vtr_event *e, uint64_t set)
{
	uint32_t i = take_row(k);
	if (i == UINT32_MAX)
		return false;
	k->row[i] = (struct row){ *e, NO_ID, k->number, set };
	struct line l = { e->dispatched, e->seq, e->core, i, STEP_BEGIN };
	bool ok = push(k, l);
	l.cycle = e->arrived, l.step = STEP_QUEUE;
	ok = ok && push(k, l);
	l.cycle = vtr_ready(e), l.step = STEP_STALL;
	ok = ok && (e->start <= l.cycle || push(k, l));
	l.cycle = e->start, l.step = STEP_ISSUE;
	ok = ok && push(k, l);
	l.cycle = e->issue_end, l.step = STEP_WRITE;
	ok = ok && (e->end <= e->issue_end || push(k, l));
	l.cycle = e->end, l.step = STEP_END;
	return ok && push(k, l);
}

/* earliest[i]: no event of blocks i and later is before this cycle. */
static int64_t *earliest_cycles(const struct vtr *t)
{
	int64_t *at = malloc((t->n_block + 1) * sizeof *at);
	if (!at)
		return NULL;
	at[t->n_block] = INT64_MAX;
	for (uint32_t i = t->n_block; i-- > 0;)
		at[i] = t->block[i].min_cycle < at[i + 1] ? t->block[i].min_cycle : at[i + 1];
	return at;
}

bool export_kanata(struct export *x, FILE *out, struct fail *f)
{
	const struct vtr *t = x->t;
	struct kanata *k = calloc(1, sizeof *k);
	struct vtr_walk *w = vtr_walk_new(t, x->filter, f);
	struct links *links = w ? links_new(t, f) : NULL;
	int64_t *earliest = earliest_cycles(t);
	bool ok = k && links && earliest;
	struct vtr_event e;
	struct link_end set;
	uint32_t block = UINT32_MAX;
	if (ok) {
		k->x = x;
		k->out = out;
		k->now = -1;
		fputs("Kanata\t0004\n", out);
	}
	while (ok && vtr_next(w, &e)) {
		if (vtr_walk_block(w) != block)
			flush(k, earliest[block = vtr_walk_block(w)]);
		k->number++;
		links_note(links, &e, k->number, 0);
		bool paired = t->site[e.site].role == VTR_WAIT_FLAG && links_set_of(links, &e, &set);
		ok = add(k, &e, paired ? set.id : 0);
		x->n_event++;
	}
	if (ok)
		flush(k, INT64_MAX);
	else
		fail_set(f, FAIL_INTERNAL, "no memory for the Kanata log");
	x->n_bad = w ? vtr_walk_bad(w) : 0;
	if (k) {
		free(k->row);
		free(k->spare);
		free(k->heap);
	}
	free(k);
	free(earliest);
	links_free(links);
	vtr_walk_free(w);
	return ok;
}
