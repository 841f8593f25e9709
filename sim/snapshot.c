/*
 * snapshot.c - a simulation's state page by page: every block of memory that a run changes, in one fixed order, pages of zeros
 * left out.
 */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, BUFFER_MARGIN = 256 /* of core_init */ };

struct snapshot {
	struct sim sim;              /* all that is no pointer of it, and of its cores */
	struct heap_entry *heap;
	struct why_state why;
	uint8_t *page;               /* marks and pages of all blocks, one after the other */
	size_t n, max, limit;
	bool failed;
};

/* Where writing or reading stands. */
struct cursor { struct snapshot *x; size_t at; };

typedef void visit(struct cursor *c, void *at, size_t n);

static void put(struct snapshot *x, const void *from, size_t n)
{
	if (x->failed || x->n + n > x->limit) {
		x->failed = true;
		return;
	}
	if (x->n + n > x->max) {
		size_t more = x->max ? x->max * 2 : 1 << 20;
		more = more < x->n + n ? x->n + n : more;
		uint8_t *p = realloc(x->page, more);
		if (!p) {
			x->failed = true;
			return;
		}
		x->page = p;
		x->max = more;
	}
	memcpy(x->page + x->n, from, n);
	x->n += n;
}

static bool all_zero(const uint8_t *p, size_t n) { return n == 0 || (p[0] == 0 && memcmp(p, p + 1, n - 1) == 0); }

/* Each page: a mark, and its bytes when they are not all 0. */
static void save(struct cursor *c, void *at, size_t n)
{
	for (size_t i = 0; at && i < n; i += PAGE) {
		const uint8_t *p = (const uint8_t *)at + i;
		size_t bytes = n - i < PAGE ? n - i : PAGE;
		uint8_t mark = !all_zero(p, bytes);
		put(c->x, &mark, 1);
		if (mark)
			put(c->x, p, bytes);
	}
}

static void restore(struct cursor *c, void *at, size_t n)
{
	for (size_t i = 0; at && i < n; i += PAGE) {
		uint8_t *p = (uint8_t *)at + i;
		size_t bytes = n - i < PAGE ? n - i : PAGE;
		if (c->x->page[c->at++]) {
			memcpy(p, c->x->page + c->at, bytes);
			c->at += bytes;
		} else if (!all_zero(p, bytes)) { /* a page never touched stays so */
			memset(p, 0, bytes);
		}
	}
}

static void visit_scalar(struct scalar *s, visit *v, struct cursor *c)
{
	v(c, s->d, (size_t)s->d_sets * s->d_ways * sizeof *s->d);
	v(c, s->d_next, s->d_sets);
	v(c, s->i_present, scalar_text_lines(s));
	v(c, s->i_slot, (size_t)s->i_sets * s->i_ways * sizeof *s->i_slot);
	v(c, s->i_next, s->i_sets);
}

static void visit_core(struct core *k, visit *v, struct cursor *c)
{
	for (int sp = 0; sp < SPACE_COUNT; sp++)
		v(c, k->mem.buf[sp], (size_t)k->mem.size[sp] + BUFFER_MARGIN);
	v(c, k->mem.index0b, (size_t)k->mem.size[SPACE_L0B] / 4);
	for (int q = 0; q < PIPE_COUNT; q++)
		v(c, k->pipe[q].queue, ((size_t)k->pipe[q].depth + 2) * sizeof *k->pipe[q].queue);
	visit_scalar(&k->scalar, v, c);
}

/* All that lies behind pointers: they are the same before and after. */
static void visit_all(struct sim *s, struct why *w, visit *v, struct cursor *c)
{
	v(c, s->core, (size_t)s->n_core * sizeof *s->core);
	for (int i = 0; i < s->n_core; i++)
		visit_core(&s->core[i], v, c);
	for (int i = 0; i < s->gm.n_region; i++) {
		struct gm_region *r = &s->gm.region[i];
		if (r->writable || r->per_core)
			v(c, r->host, (size_t)(r->size * (r->per_core ? (uint64_t)s->gm.cores : 1)));
	}
	v(c, s->memsys.tag, (size_t)(s->memsys.sets * s->memsys.ways) * sizeof *s->memsys.tag);
	for (int i = 0; i < 2; i++)
		v(c, w->site[i], w->site[i] ? ((size_t)s->program[i]->n_insn + 1) * sizeof *w->site[i] : 0);
}

struct snapshot *snapshot_take(struct sim *s, struct why *w, size_t max_bytes)
{
	struct snapshot *x = calloc(1, sizeof *x);
	if (!x)
		return NULL;
	struct cursor c = { x, 0 };
	x->limit = max_bytes;
	x->sim = *s;
	x->heap = malloc(((size_t)s->heap_n + 1) * sizeof *x->heap);
	if (x->heap && why_save(w, &x->why)) {
		memcpy(x->heap, s->heap, (size_t)s->heap_n * sizeof *x->heap);
		visit_all(s, w, save, &c);
		if (!x->failed)
			return x;
	}
	snapshot_free(x);
	return NULL;
}

bool snapshot_put_back(const struct snapshot *x, struct sim *s, struct why *w)
{
	struct heap_entry *heap = s->heap;
	int max = s->heap_max;
	struct cursor c = { (struct snapshot *)(uintptr_t)x, 0 };
	if (x->sim.heap_n > max) /* the heap only grows */
		return false;
	visit_all(s, w, restore, &c);
	*s = x->sim;
	s->heap = heap;
	s->heap_max = max;
	s->pause = false;
	memcpy(s->heap, x->heap, (size_t)s->heap_n * sizeof *s->heap);
	why_put_back(w, &x->why);
	return true;
}

size_t snapshot_bytes(const struct snapshot *x) { return x->n + sizeof *x; }

void snapshot_free(struct snapshot *x)
{
	if (!x)
		return;
	free(x->heap);
	why_state_free(&x->why);
	free(x->page);
	free(x);
}
