/*
 * ui_search.c - finding instructions: by mnemonic or source line, by pc or by an address that they touch, by cycle.
 */
#include "ui.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static bool contains(const char *text, const char *part) { return part[0] && strcasestr(text, part) != NULL; }

/* "0x40" or "UB:0x40"; space -1 = any. */
static bool parse_address(const struct vtr_head *h, const char *text, int *space, uint64_t *value)
{
	const char *colon = strchr(text, ':');
	char *end;
	*space = -1;
	if (colon) {
		for (uint32_t s = 0; s < h->n_space; s++)
			if (strncasecmp(h->space[s], text, (size_t)(colon - text)) == 0 && !h->space[s][colon - text])
				*space = (int)s;
		if (*space < 0)
			return false;
		text = colon + 1;
	}
	if (strncmp(text, "0x", 2) != 0 || !isxdigit((unsigned char)text[2]))
		return false;
	*value = strtoull(text, &end, 16);
	return *end == 0;
}

void ui_search_set(struct ui *u, const char *text)
{
	const struct model *m = ui_model(u, 0);
	uint64_t value;
	int space;
	if (text != u->search)
		snprintf(u->search, sizeof u->search, "%s", text);
	u->n_match = 0;
	u->match_on = false;
	u->dirty = true;
	if (!m || u->until_asked)
		return;
	bool address = parse_address(&m->vtr->head, u->search, &space, &value);
	for (uint32_t i = 0; i < m->vtr->n_site; i++) {
		const struct vtr_site *s = &m->vtr->site[i];
		u->match[i] = address ? space < 0 && s->pc == value
				      : contains(s->name, u->search) || contains(s->line, u->search);
		u->match[i] = u->match[i] && m->site[i].n > 0;
		u->n_match += u->match[i] ? m->site[i].n : 0;
	}
	u->match_on = u->n_match > 0;
}

static bool touches(const struct vtr_event *e, int space, uint64_t address)
{
	for (int i = 0; i < e->n_access; i++)
		if ((space < 0 || e->access[i].space == space) && address >= e->access[i].addr &&
		    address - e->access[i].addr < e->access[i].extent)
			return true;
	return false;
}

/* The next instruction behind `after` that touches an address. */
static bool next_touch(const struct model *m, int space, uint64_t address, int64_t after, struct ui_pick *pick)
{
	struct vtr_event e;
	int64_t best = INT64_MAX;
	if (m->live) {
		for (uint32_t li = 0; li < m->n_lane; li++)
			for (uint32_t i = 0; i < m->lane[li].n; i++) {
				const struct row *r = &m->lane[li].row[i];
				if (r->start > after && r->start < best && model_event(m, &m->lane[li], i, &e) &&
				    touches(&e, space, address)) {
					best = r->start;
					*pick = (struct ui_pick){ true, 0, li, i };
				}
			}
		return best != INT64_MAX;
	}
	struct vtr_walk *w = vtr_walk_new(m->vtr, (struct vtr_filter){ -1, after, INT64_MAX }, NULL);
	while (w && vtr_next(w, &e)) {
		if (e.start <= after || e.start >= best || !touches(&e, space, address))
			continue;
		uint32_t li = e.core * m->vtr->head.n_pipe + e.pipe, row = lane_seq(&m->lane[li], (uint32_t)e.seq);
		if (row != UINT32_MAX) {
			best = e.start;
			*pick = (struct ui_pick){ true, 0, li, row };
		}
	}
	vtr_walk_free(w);
	return best != INT64_MAX;
}

static bool later(int64_t start, uint32_t lane, int64_t than, uint32_t than_lane)
{
	return start != than ? start > than : lane > than_lane;
}

/* The nearest match behind (or before) the selection, in order of start and lane, on a core or (core < 0) on all. */
static bool next_match(const struct ui *u, int core, bool forward, int64_t at, uint32_t at_lane, struct ui_pick *pick)
{
	const struct model *m = ui_model(u, 0);
	uint32_t n_pipe = m->vtr->head.n_pipe;
	int64_t best = 0;
	bool any = false;
	for (uint32_t li = core < 0 ? 0 : (uint32_t)core * n_pipe;
	     li < (core < 0 ? m->n_lane : ((uint32_t)core + 1) * n_pipe); li++) {
		const struct lane *l = &m->lane[li];
		uint32_t first = lane_find(l, at - 1);
		int64_t step = forward ? 1 : -1;
		for (int64_t i = forward ? first : (int64_t)(first < l->n ? first : l->n) - (first < l->n ? 0 : 1);
		     i >= 0 && i < l->n; i += step) {
			const struct row *r = &l->row[i];
			bool beyond = forward ? later(r->start, li, at, at_lane) : later(at, at_lane, r->start, li);
			if (!beyond || row_site(r) >= m->vtr->n_site || !u->match[row_site(r)])
				continue;
			/* waits of the scalar unit before an instruction are not the instruction */
			if ((int)l->pipe == m->hold_pipe && m->site[row_site(r)].n > 0)
				continue;
			if (!any ||
			    (forward ? later(best, pick->lane, r->start, li) : later(r->start, li, best, pick->lane))) {
				*pick = (struct ui_pick){ true, 0, li, (uint32_t)i };
				best = r->start;
				any = true;
			}
			break;
		}
	}
	return any;
}

static bool all_digits(const char *s)
{
	if (*s == '@')
		s++;
	if (!*s)
		return false;
	for (; *s; s++)
		if (!isdigit((unsigned char)*s))
			return false;
	return true;
}

static void go_to_cycle(struct ui *u, int64_t cycle)
{
	double room = u->to - u->from;
	if ((double)cycle > ui_span(u))
		cycle = (int64_t)ui_span(u);
	u->cursor = cycle;
	if ((double)cycle < u->from || (double)cycle > u->to)
		ui_show(u, (double)cycle - room / 2, (double)cycle + room / 2, true);
	u->dirty = true;
}

bool ui_search_next(struct ui *u, bool forward)
{
	const struct model *m = ui_model(u, 0);
	struct ui_pick pick = { 0 };
	uint64_t address;
	int space;
	if (!m || !u->search[0])
		return false;
	if (all_digits(u->search)) {
		go_to_cycle(u, strtoll(u->search + (u->search[0] == '@'), NULL, 10));
		return true;
	}
	bool picked = u->pick.any && u->pick.run == 0;
	int64_t at = picked ? m->lane[u->pick.lane].row[u->pick.row].start : -1;
	uint32_t lane = picked ? u->pick.lane : 0;
	bool found = false;
	if (parse_address(&m->vtr->head, u->search, &space, &address) && !u->match_on) {
		found = next_touch(m, space, address, at, &pick) || next_touch(m, space, address, -1, &pick);
	} else if (u->match_on) {
		/* first on the core that is looked at, then around its ends, then anywhere */
		int core = (int)ui_core(u);
		int64_t end = forward ? -1 : INT64_MAX - 1;
		found = next_match(u, core, forward, at, lane, &pick) ||
			next_match(u, core, forward, end, forward ? 0 : UINT32_MAX, &pick) ||
			next_match(u, -1, forward, end, forward ? 0 : UINT32_MAX, &pick);
	}
	if (!found) {
		ui_say(u, false,
		       "\"%s\" is not in this run. Search for a mnemonic (mad), a source line (matmul.c:88), a pc or an address"
		       " (0x40, UB:0x40), or a cycle (@1200).",
		       u->search);
		return false;
	}
	ui_select(u, 0, pick.lane, pick.row, true);
	return true;
}
