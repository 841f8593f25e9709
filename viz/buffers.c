/*
 * buffers.c - what a core's buffers hold at a cycle: bytes that somebody writes or reads just then, bytes that were
 * written and will be read (live), bytes that were written and will not (stale).
 */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a cell while the events pass by in any order. */
struct cell_time {
	int64_t wrote, read_after, wrote_after;
	uint64_t reader, writer;
	bool conflict;
}; /* reader, writer: now, seq */

struct mapper {
	const struct model *m;
	int64_t cycle;
	struct buffer_map *map;
	struct cell_time (*cell)[MAP_CELLS];
};

static int64_t buffer_bytes(const struct model *m, const struct chip *chip, uint32_t space)
{
	static const struct {
		const char *name;
		enum isa_space space;
	} of[] = {
		{ "UB", SPACE_UB },   { "L1", SPACE_L1 }, { "L0A", SPACE_L0A }, { "L0B", SPACE_L0B },
		{ "L0C", SPACE_L0C }, { "BT", SPACE_BT }, { "FB", SPACE_FB },
	};
	int64_t top = (int64_t)m->space_top[space];
	for (size_t i = 0; chip && i < sizeof of / sizeof of[0]; i++)
		if (strcmp(of[i].name, m->vtr->head.space[space]) == 0)
			return chip_buffer_bytes(chip, of[i].space) > top ? chip_buffer_bytes(chip, of[i].space) : top;
	return top;
}

static void note_now(struct buffer_map *b, const struct vtr_event *e, const struct vtr_access *a, const struct model *m)
{
	const int max = (int)(sizeof b->now / sizeof b->now[0]);
	uint32_t lane = e->core * m->vtr->head.n_pipe + e->pipe;
	uint32_t row = lane_seq(&m->lane[lane], (uint32_t)e->seq);
	if (b->n_now < max && row != UINT32_MAX) {
		b->now[b->n_now].lane = lane;
		b->now[b->n_now].row = row;
		b->now[b->n_now].write = a->write;
		b->now[b->n_now].addr = a->addr;
		b->now[b->n_now++].extent = a->extent;
	}
}

static void note(struct mapper *x, const struct vtr_event *e)
{
	for (int i = 0; i < e->n_access; i++) {
		const struct vtr_access *a = &e->access[i];
		struct buffer_map *b = &x->map[a->space];
		if (!b->present || a->extent == 0)
			continue;
		uint64_t first = a->addr * MAP_CELLS / (uint64_t)b->bytes,
			 last = (a->addr + a->extent - 1) * MAP_CELLS / (uint64_t)b->bytes;
		bool now = e->start <= x->cycle && x->cycle < e->end;
		if (now)
			note_now(b, e, a, x->m);
		for (uint64_t c = first; c <= last && c < MAP_CELLS; c++) {
			struct cell_time *t = &x->cell[a->space][c];
			if (now) {
				/* an instruction may read what it overwrites; two of them must not meet */
				t->conflict |= a->write ? (t->reader && t->reader != e->seq) ||
								  (t->writer && t->writer != e->seq)
							: t->writer && t->writer != e->seq;
				*(a->write ? &t->writer : &t->reader) = e->seq;
			}
			if (a->write && e->start <= x->cycle && e->start > t->wrote)
				t->wrote = e->start;
			if (a->write && e->start > x->cycle && e->start < t->wrote_after)
				t->wrote_after = e->start;
			if (!a->write && e->start > x->cycle && e->start < t->read_after)
				t->read_after = e->start;
		}
	}
}

/* Blocks of the file near the cycle: all of them when there are few. */
static void walk(struct mapper *x, uint32_t core)
{
	const struct vtr *t = x->m->vtr;
	struct vtr_walk *w = vtr_walk_new(t, (struct vtr_filter){ (int)core, 0, INT64_MAX }, NULL);
	struct vtr_event e;
	uint32_t at = 0, first = 0, last = UINT32_MAX;
	bool whole = t->n_block <= MAP_BLOCKS;
	if (!whole) {
		while (at + 1 < t->n_block && t->block[at].max_cycle < x->cycle)
			at++;
		first = at > MAP_BLOCKS / 2 ? at - MAP_BLOCKS / 2 : 0;
		last = first + MAP_BLOCKS - 1;
	}
	if (w) {
		vtr_seek(w, first, last);
		while (vtr_next(w, &e))
			note(x, &e);
	}
	vtr_walk_free(w);
	for (int s = 0; s < VTR_SPACES; s++)
		x->map[s].whole = whole;
}

static void walk_live(struct mapper *x, uint32_t core)
{
	const struct model *m = x->m;
	uint32_t n_pipe = m->vtr->head.n_pipe;
	struct vtr_event e;
	for (uint32_t li = core * n_pipe; li < (core + 1) * n_pipe; li++)
		for (uint32_t i = 0; i < m->lane[li].n; i++)
			if (model_event(m, &m->lane[li], i, &e))
				note(x, &e);
	for (int s = 0; s < VTR_SPACES; s++)
		x->map[s].whole = true;
}

static enum map_state state_of(const struct cell_time *t)
{
	if (t->conflict)
		return MAP_CONFLICT;
	if (t->writer)
		return MAP_WRITE;
	if (t->reader)
		return MAP_READ;
	if (t->wrote < 0)
		return MAP_NEVER;
	return t->read_after < INT64_MAX && t->read_after <= t->wrote_after ? MAP_LIVE : MAP_STALE;
}

bool analysis_buffers(const struct model *m, const struct chip *chip, uint32_t core, int64_t cycle,
		      struct buffer_map map[VTR_SPACES])
{
	struct mapper x = { m, cycle, map, calloc(VTR_SPACES, sizeof *x.cell) };
	memset(map, 0, VTR_SPACES * sizeof *map);
	if (!x.cell || core >= m->vtr->head.n_core) {
		free(x.cell);
		return false;
	}
	for (uint32_t s = 0; s < m->vtr->head.n_space; s++) {
		const char *name = m->vtr->head.space[s];
		map[s].bytes = buffer_bytes(m, chip, s);
		map[s].present =
			m->space_top[s] > 0 && map[s].bytes > 0 && strcmp(name, "GM") != 0 && strcmp(name, "none") != 0;
		for (int c = 0; c < MAP_CELLS; c++)
			x.cell[s][c] = (struct cell_time){ -1, INT64_MAX, INT64_MAX, 0, 0, false };
	}
	if (m->live)
		walk_live(&x, core);
	else
		walk(&x, core);
	for (uint32_t s = 0; s < m->vtr->head.n_space; s++)
		for (int c = 0; c < MAP_CELLS; c++)
			map[s].cell[c] = (uint8_t)state_of(&x.cell[s][c]);
	free(x.cell);
	return true;
}
