/*
 * memsys.c - flows over L2 and HBM, max-min fair, and the L2 tags that decide hits.
 */
#include "memsys.h"

#include <stdlib.h>
#include <string.h>

#define ONE INT64_C(65536)
#define DIRTY (UINT64_C(1) << 63)

bool memsys_init(struct memsys *m, const struct chip *chip, struct fail *f)
{
	memset(m, 0, sizeof *m);
	m->chip = chip;
	m->l2_cap = chip->gm.l2_rate * ONE / 1000;
	m->hbm_cap = chip->gm.hbm_rate * ONE / 1000;
	m->ways = chip->gm.l2_ways;
	m->sets = chip->gm.l2_bytes / (chip->gm.l2_line * chip->gm.l2_ways);
	if (m->sets > 0) {
		m->tag = calloc((size_t)(m->sets * m->ways), sizeof *m->tag);
		if (!m->tag)
			return fail_set(f, FAIL_INTERNAL, "no memory for the L2 tags of %s", chip->name);
	}
	return true;
}

void memsys_free(struct memsys *m)
{
	free(m->tag);
	m->tag = NULL;
}

/* One line through L2: least recently used way goes. Returns true on a hit; *wrote_back when a dirty line was pushed out. */
static bool l2_touch(struct memsys *m, uint64_t line, bool write, bool *wrote_back)
{
	uint64_t *set = m->tag + (line % (uint64_t)m->sets) * (uint64_t)m->ways;
	int64_t way = 0;
	while (way < m->ways && (set[way] & ~DIRTY) != line + 1 && set[way] != 0)
		way++;
	bool hit = way < m->ways && set[way] != 0;
	*wrote_back = false;
	if (way == m->ways) {
		way--;
		*wrote_back = (set[way] & DIRTY) != 0;
	}
	uint64_t entry = (hit ? set[way] : line + 1) | (write ? DIRTY : 0);
	memmove(set + 1, set, (size_t)way * sizeof *set);
	set[0] = entry;
	return hit;
}

/* HBM bytes that a transfer causes: read misses, and dirty lines that it displaces. */
static uint64_t l2_transfer(struct memsys *m, const struct gm_transfer *t, bool *missed)
{
	uint64_t line_bytes = (uint64_t)m->chip->gm.l2_line, hbm = 0, last = UINT64_MAX;
	if (m->sets == 0) {
		*missed = true;
		*(t->write ? &m->hbm_write_bytes : &m->hbm_read_bytes) += t->bytes;
		return t->bytes;
	}
	for (uint32_t b = 0; b < t->n_burst; b++) {
		uint64_t at = t->addr + (uint64_t)((int64_t)b * t->burst_pitch);
		uint64_t first = at / line_bytes, end = (at + t->burst_bytes - 1) / line_bytes;
		for (uint64_t line = first; line <= end; line++) {
			bool wrote_back;
			if (line == last)
				continue;
			last = line;
			bool hit = l2_touch(m, line, t->write, &wrote_back);
			*(hit ? &m->l2_hit_bytes : &m->l2_miss_bytes) += line_bytes;
			if (!hit && !t->write) {
				*missed = true;
				hbm += line_bytes;
				m->hbm_read_bytes += line_bytes;
			}
			if (wrote_back) {
				hbm += line_bytes;
				m->hbm_write_bytes += line_bytes;
			}
		}
	}
	return hbm;
}

static void advance(struct memsys *m, int64_t now)
{
	int64_t dt = now - m->now;
	if (dt > 0)
		for (int i = 0; i < m->n_active; i++) {
			struct flow *f = &m->flow[m->active[i]];
			f->left -= f->rate * dt;
			f->l2_cycles += f->limit == FLOW_L2 ? dt : 0;
			f->hbm_cycles += f->limit == FLOW_HBM ? dt : 0;
			if (f->left < 0)
				f->left = 0;
		}
	m->now = now;
}

static void set_rate(struct memsys *m, struct flow *f, int64_t rate)
{
	f->rate = rate < 1 ? 1 : rate;
	f->end = m->now + (f->left + f->rate - 1) / f->rate;
}

/* Everybody at full rate fits: nothing to share. */
static bool uncontended(const struct memsys *m)
{
	int64_t l2 = 0, hbm = 0;
	for (int i = 0; i < m->n_active; i++) {
		const struct flow *f = &m->flow[m->active[i]];
		l2 += f->max;
		hbm += f->max * f->hbm_share / ONE;
	}
	return l2 <= m->l2_cap && hbm <= m->hbm_cap;
}

/* Max-min by progressive filling: all unfrozen flows rise together until one reaches its own limit or a capacity is
 * used up; those are frozen, the rest goes on. At least one flow freezes per round. */
static void share(struct memsys *m)
{
	bool frozen[MEMSYS_FLOWS] = { false };
	int n_left = m->n_active;
	int64_t l2_left = m->l2_cap, hbm_left = m->hbm_cap;

	if (uncontended(m)) {
		for (int i = 0; i < m->n_active; i++) {
			m->flow[m->active[i]].limit = FLOW_FREE;
			set_rate(m, &m->flow[m->active[i]], m->flow[m->active[i]].max);
		}
		return;
	}
	while (n_left > 0) {
		int64_t weight = 0, lowest = INT64_MAX;
		for (int i = 0; i < m->n_active; i++) {
			const struct flow *f = &m->flow[m->active[i]];
			if (frozen[i])
				continue;
			weight += f->hbm_share;
			if (f->max < lowest)
				lowest = f->max;
		}
		int64_t level_l2 = l2_left / n_left;
		int64_t level_hbm = weight > 0 ? (int64_t)((__int128)hbm_left * ONE / weight) : INT64_MAX;
		int64_t level = lowest < level_l2 ? lowest : level_l2;
		if (level_hbm < level)
			level = level_hbm;
		for (int i = 0; i < m->n_active; i++) {
			struct flow *f = &m->flow[m->active[i]];
			bool stop = f->max <= level || level_l2 <= level || (level_hbm <= level && f->hbm_share > 0);
			if (frozen[i] || !stop)
				continue;
			frozen[i] = true;
			f->limit = f->max <= level ? FLOW_FREE : level_hbm <= level && f->hbm_share > 0 ? FLOW_HBM : FLOW_L2;
			n_left--;
			l2_left -= level;
			hbm_left -= level * f->hbm_share / ONE;
			set_rate(m, f, level);
		}
		l2_left = l2_left < 0 ? 0 : l2_left;
		hbm_left = hbm_left < 0 ? 0 : hbm_left;
	}
}

int memsys_start(struct memsys *m, int64_t now, int core, int pipe, const struct gm_transfer *t, int64_t rate_milli,
		 int64_t volume_bytes)
{
	int slot = 0;
	while (slot < MEMSYS_FLOWS && m->flow[slot].active)
		slot++;
	if (slot == MEMSYS_FLOWS)
		return -1;
	advance(m, now);
	struct flow *f = &m->flow[slot];
	memset(f, 0, sizeof *f);
	f->active = true;
	f->core = core;
	f->pipe = pipe;
	f->start = now;
	f->volume = f->left = volume_bytes * ONE;
	f->max = rate_milli * ONE / 1000;
	uint64_t hbm = l2_transfer(m, t, &f->missed);
	f->hbm_share = (int64_t)(hbm * (uint64_t)ONE / (uint64_t)(volume_bytes ? volume_bytes : 1));
	m->l2_bytes += t->bytes;
	m->active[m->n_active++] = slot;
	share(m);
	return slot;
}

int64_t memsys_next(const struct memsys *m)
{
	int64_t next = MEMSYS_NEVER;
	for (int i = 0; i < m->n_active; i++)
		if (m->flow[m->active[i]].end < next)
			next = m->flow[m->active[i]].end;
	return next;
}

int memsys_ended(struct memsys *m, int64_t now)
{
	int best = -1;
	for (int i = 0; i < m->n_active; i++) {
		const struct flow *f = &m->flow[m->active[i]];
		if (f->end > now)
			continue;
		const struct flow *b = best < 0 ? NULL : &m->flow[m->active[best]];
		if (!b || f->core < b->core || (f->core == b->core && f->pipe < b->pipe))
			best = i;
	}
	if (best < 0)
		return -1;
	int slot = m->active[best];
	advance(m, now);
	memmove(m->active + best, m->active + best + 1, (size_t)(m->n_active - best - 1) * sizeof m->active[0]);
	m->n_active--;
	m->flow[slot].active = false;
	share(m);
	return slot;
}

int64_t memsys_alone_cycles(const struct flow *f)
{
	return (f->volume + f->max - 1) / f->max;
}

int64_t memsys_lost_to_hbm(const struct flow *f, int64_t lost)
{
	int64_t both = f->l2_cycles + f->hbm_cycles;
	return both > 0 ? lost * f->hbm_cycles / both : 0;
}
