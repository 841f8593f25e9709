/*
 * memsys.c - flows over L2 and HBM, max-min fair, and the L2 tags that decide hits.
 */
#include "memsys.h"

#include <stdlib.h>
#include <string.h>

#define ONE INT64_C(65536)
#define DIRTY (UINT64_C(1) << 63)
#define LINE_BITS 44
#define LINE_MASK ((UINT64_C(1) << LINE_BITS) - 1)
#define NO_LINE UINT64_MAX

bool memsys_init(struct memsys *m, const struct chip *chip, struct fail *f)
{
	memset(m, 0, sizeof *m);
	m->chip = chip;
	m->look_again = MEMSYS_NEVER;
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

/* One line through L2: least recently used way goes. parts: those touched. Returns the parts that were there;
 * *wrote_back when a dirty line was pushed out. Nothing is kept of a read when `keep` is false. */
static uint64_t l2_touch(struct memsys *m, uint64_t line, uint64_t parts, bool write, bool keep, bool *wrote_back)
{
	/* successive lines fill all sets; each round begins elsewhere, so that equal strides do not meet in a few sets */
	uint64_t sets = (uint64_t)m->sets, index = (line + line / sets * 7919) % sets;
	uint64_t *set = m->tag + index * (uint64_t)m->ways;
	int64_t way = 0;
	*wrote_back = false;
	while (way < m->ways && (set[way] & LINE_MASK) != line + 1 && set[way] != 0)
		way++;
	bool hit = way < m->ways && set[way] != 0;
	uint64_t had = hit ? set[way] & ~LINE_MASK & ~DIRTY : 0;
	if (!hit && !keep)
		return 0;
	if (way == m->ways) {
		way--;
		*wrote_back = (set[way] & DIRTY) != 0;
	}
	uint64_t entry = (hit ? set[way] : line + 1) | parts << LINE_BITS | (write ? DIRTY : 0);
	memmove(set + 1, set, (size_t)way * sizeof *set);
	set[0] = entry;
	return had >> LINE_BITS;
}

/*
 * Dirty lines leave by the way, out of buffers: what is owed goes out evenly, an average_cycles-th of it per cycle, but never
 * more than three quarters of what HBM can do. Transfers that push out more wait for it themselves.
 */
static int64_t most_back(const struct memsys *m) { return m->hbm_cap / 4 * 3; }
static int64_t most_owed(const struct memsys *m) { return most_back(m) * m->chip->gm.average_cycles; }

/* What they leave for the flows; good for half of average_cycles, since what is owed shrinks. */
static int64_t left_of_hbm(struct memsys *m)
{
	m->back_rate = m->owed / m->chip->gm.average_cycles;
	if (m->back_rate > most_back(m))
		m->back_rate = most_back(m);
	m->look_again = m->back_rate > 0 ? m->now + (m->chip->gm.average_cycles + 1) / 2 : MEMSYS_NEVER;
	return m->hbm_cap - m->back_rate;
}

/* What a transfer asks of L2 and HBM. */
struct demand { int64_t volume, hbm, missed_bytes, missed_requests, lines, requests, answers; };

/* Part of one contiguous stretch in one line. whole: a ragged end of the stretch fetches its whole line. */
static void touch(struct memsys *m, const struct gm_transfer *t, const struct mem_path *path, uint64_t line, uint64_t from,
		  uint64_t to, bool whole, struct demand *d)
{
	uint64_t part = (uint64_t)m->chip->gm.request_least, bytes = (uint64_t)m->chip->gm.l2_line;
	uint64_t first = from / part, last = (to - 1) / part, parts = ((UINT64_C(2) << last) - 1) & ~((UINT64_C(1) << first) - 1);
	uint64_t span = (last - first + 1) * part, missed = span;
	bool wrote_back = false;
	d->volume += (int64_t)span;
	d->lines++;
	if (m->sets > 0) {
		uint64_t had = l2_touch(m, line, parts, t->write, t->write || !path->bypass, &wrote_back);
		missed = (uint64_t)__builtin_popcountll(parts & ~had) * part;
	}
	m->l2_miss_bytes += missed;
	m->l2_hit_bytes += span - missed;
	if (missed > 0) {
		d->missed_bytes += (int64_t)missed;
		d->missed_requests++;
	}
	if (missed > 0 && !t->write) {
		bool ragged = from % part != 0 || to % part != 0;
		uint64_t fetched = whole && ragged ? bytes : missed;
		m->hbm_read_bytes += fetched;
		d->hbm += (int64_t)fetched;
	}
	uint64_t written = wrote_back ? bytes : m->sets == 0 && t->write ? span : 0;
	m->hbm_write_bytes += written;
	if (wrote_back && m->owed < most_owed(m))
		m->owed += (int64_t)written * ONE / 1000 * m->chip->gm.hbm_write_cost;
	else
		d->hbm += (int64_t)written * m->chip->gm.hbm_write_cost / 1000;
}

static int64_t pieces(uint64_t at, int64_t bytes, int64_t piece)
{
	return (int64_t)((at + (uint64_t)bytes - 1) / (uint64_t)piece - at / (uint64_t)piece) + 1;
}

/* Requests of a row of ND to NZ: the largest pieces first, wherever in its line the row begins; a rest of three kinds of
 * pieces may cost more than they do. A row that does not begin at a block goes by blocks. */
static int64_t row_requests(const struct chip *c, uint64_t at, int64_t bytes)
{
	int64_t line = c->gm.l2_line, n = bytes / line, rest = bytes % line;
	if (at % MEM_BLOCK_BYTES != 0)
		return pieces(at, bytes, MEM_BLOCK_BYTES);
	if (rest > line / 2 + c->gm.request_least && c->gm.row_rest_requests > 0)
		return n + c->gm.row_rest_requests;
	for (int64_t piece = line / 2; piece >= c->gm.request_least && rest > 0; piece /= 2)
		if (rest >= piece) {
			n++;
			rest -= piece;
		}
	return n + (rest > 0);
}

/* Requests of a row on its way out of the fixpipe: by lines, from within a line by its parts, from within a block by blocks. */
static int64_t out_requests(const struct chip *c, uint64_t at, int64_t bytes)
{
	int64_t line = c->gm.l2_line, part = c->gm.request_least;
	return pieces(at, bytes, at % (uint64_t)line == 0 ? line : at % MEM_BLOCK_BYTES == 0 ? part : MEM_BLOCK_BYTES);
}

static struct demand walk(struct memsys *m, const struct gm_transfer *t, const struct mem_path *path)
{
	struct demand d = { 0 };
	uint64_t bytes = (uint64_t)m->chip->gm.l2_line;
	bool joined = t->burst_pitch == (int64_t)t->burst_bytes;
	uint32_t n = joined ? 1 : t->n_burst;
	uint64_t length = joined ? t->bytes : t->burst_bytes;
	for (uint32_t b = 0; b < n; b++) {
		uint64_t at = t->addr + (uint64_t)((int64_t)b * t->burst_pitch), end = at + length;
		while (at < end) {
			uint64_t line = at / bytes, stop = (line + 1) * bytes < end ? (line + 1) * bytes : end;
			touch(m, t, path, line, at - line * bytes, stop - line * bytes, length >= bytes, &d);
			d.requests++;
			if (path->cube_granule > 0)
				d.answers += (int64_t)((stop - 1) / (uint64_t)path->cube_granule -
						       at / (uint64_t)path->cube_granule) +
					     1;
			at = stop;
		}
	}
	if (path->cut == MEM_CUT_LINES)
		return d;
	bool rows = path->cut == MEM_CUT_ND2NZ; /* rows that follow each other leave the fixpipe as one stretch */
	n = rows ? t->n_burst : n;
	length = rows ? t->burst_bytes : length;
	d.requests = 0;
	for (uint32_t b = 0; b < n; b++) {
		uint64_t at = t->addr + (uint64_t)((int64_t)b * t->burst_pitch);
		d.requests += rows ? row_requests(m->chip, at, (int64_t)length) : out_requests(m->chip, at, (int64_t)length);
	}
	return d;
}

/* Cycles until what exceeds a window of `size` has come back; notes what is asked for now: `asked`, each for `latency`
 * cycles in the mean. */
static int64_t window_cycles(struct mem_window *w, int64_t now, int64_t asked, int64_t size, int64_t latency)
{
	/* the level is kept in 1/latency, so that it drains by `size` per cycle */
	int64_t drained = (now - w->at) * size;
	w->level = w->level > drained ? w->level - drained : 0;
	w->at = now;
	w->level += asked * latency;
	int64_t excess = w->level - size * latency;
	return excess > 0 ? (excess + size - 1) / size : 0;
}

/* What a transfer takes alone, and how much longer because others use HBM. */
struct span { int64_t alone, more; };

/* Missed bytes are waited for on the way to UB, `wait` longer on a busy chip; every request on the way to L1 and L0, the
 * missed ones longer. A row of ND to NZ is one in this. */
static struct span outstanding(struct mem_window *w, int64_t now, const struct gm_transfer *t, const struct mem_path *p,
			       const struct demand *d, int64_t wait)
{
	if (p->window_bytes > 0) {
		int64_t latency = p->hit_latency_cycles + p->window_miss_cycles;
		int64_t cycles = window_cycles(w, now, d->missed_bytes, p->window_bytes, latency + wait);
		int64_t more = cycles * wait / (latency + wait);
		return (struct span){ cycles - more, more };
	}
	if (p->window_requests <= 0 || d->requests <= 0)
		return (struct span){ 0, 0 };
	int64_t missed = d->missed_requests < d->requests ? d->missed_requests : d->requests;
	int64_t latency = p->hit_latency_cycles + missed * p->window_miss_cycles / d->requests;
	int64_t asked = p->cut == MEM_CUT_ND2NZ ? t->n_burst : d->requests;
	return (struct span){ window_cycles(w, now, asked, p->window_requests, latency), 0 };
}

static struct span cycles_of(struct memsys *m, int64_t now, int core, int pipe, const struct gm_transfer *t,
			     const struct mem_path *p, const struct demand *d, int64_t wait)
{
	int64_t least = (d->volume * 1000 + p->rate_milli - 1) / p->rate_milli, other = p->least_cycles;
	least = least > other ? least : other;
	other = (d->requests * p->request_milli + 999) / 1000;
	least = least > other ? least : other;
	struct span w = { 0, 0 };
	if (!t->write)
		w = outstanding(&m->window[core][pipe], now, t, p, d, wait);
	int64_t loaded = w.alone + w.more, alone = least > w.alone ? least : w.alone;
	loaded = least > loaded ? least : loaded;
	alone += p->issue_cycles;
	loaded += p->issue_cycles;
	return (struct span){ alone > 0 ? alone : 1, alone > 0 ? loaded - alone : 0 };
}

static void advance(struct memsys *m, int64_t now)
{
	int64_t dt = now - m->now;
	if (m->back_rate > 0)
		m->owed = dt <= m->owed / m->back_rate ? m->owed - m->back_rate * dt : 0;
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

/* Flows that wait for memory get on at one level, writes at write_push of it: this much of a rate is the level. */
static int64_t level_at(const struct memsys *m, const struct flow *f, int64_t rate)
{
	return f->write ? rate * 1000 / m->chip->gm.write_push : rate;
}

static int64_t rate_at(const struct memsys *m, const struct flow *f, int64_t level)
{
	return f->write ? level * m->chip->gm.write_push / 1000 : level;
}

/* What a flow takes of a capacity per byte of its own, 1/65536. */
static int64_t weight(const struct flow *f, int resource) { return resource == 0 ? ONE : f->hbm_share; }

enum { RESOURCES = 2 };

/* Everybody at full rate fits: nothing to share. */
static bool uncontended(const struct memsys *m, const int64_t *cap)
{
	for (int r = 0; r < RESOURCES; r++) {
		int64_t sum = 0;
		for (int i = 0; i < m->n_active; i++) {
			const struct flow *f = &m->flow[m->active[i]];
			sum += f->max * weight(f, r) / ONE;
		}
		if (sum > cap[r])
			return false;
	}
	return true;
}

/* The rate at which the flows that still rise use up a capacity. */
static int64_t level_of(const struct memsys *m, const bool *frozen, int resource, int64_t left)
{
	int64_t sum = 0;
	for (int i = 0; i < m->n_active; i++)
		if (!frozen[i])
			sum += rate_at(m, &m->flow[m->active[i]], weight(&m->flow[m->active[i]], resource));
	return sum > 0 ? (int64_t)((__int128)left * ONE / sum) : INT64_MAX;
}

/* Max-min by progressive filling: all unfrozen flows rise together until one reaches its own limit or a capacity is
 * used up; those are frozen, the rest goes on. At least one flow freezes per round. */
static void share(struct memsys *m)
{
	bool frozen[MEMSYS_FLOWS] = { false };
	int64_t left[RESOURCES] = { m->l2_cap, left_of_hbm(m) };
	int n_left = m->n_active;

	if (uncontended(m, left)) {
		m->look_again = MEMSYS_NEVER;
		for (int i = 0; i < m->n_active; i++) {
			m->flow[m->active[i]].limit = FLOW_FREE;
			set_rate(m, &m->flow[m->active[i]], m->flow[m->active[i]].max);
		}
		return;
	}
	while (n_left > 0) {
		int64_t level[RESOURCES], lowest = INT64_MAX;
		for (int i = 0; i < m->n_active; i++) {
			const struct flow *f = &m->flow[m->active[i]];
			int64_t own = level_at(m, f, f->max);
			if (!frozen[i] && own < lowest)
				lowest = own;
		}
		for (int r = 0; r < RESOURCES; r++) {
			level[r] = level_of(m, frozen, r, left[r]);
			lowest = level[r] < lowest ? level[r] : lowest;
		}
		for (int i = 0; i < m->n_active; i++) {
			struct flow *f = &m->flow[m->active[i]];
			int64_t rate = rate_at(m, f, lowest);
			bool own = level_at(m, f, f->max) <= lowest, stop = own;
			for (int r = 0; r < RESOURCES; r++)
				stop |= level[r] <= lowest && weight(f, r) > 0;
			if (frozen[i] || !stop)
				continue;
			frozen[i] = true;
			f->limit = own ? FLOW_FREE : level[1] <= lowest && f->hbm_share > 0 ? FLOW_HBM : FLOW_L2;
			n_left--;
			for (int r = 0; r < RESOURCES; r++) {
				left[r] -= rate * weight(f, r) / ONE;
				left[r] = left[r] < 0 ? 0 : left[r];
			}
			set_rate(m, f, rate);
		}
	}
}

/* Hits keep misses waiting on their way to the cores (measured: times of hits and misses add up), so that bytes from L2
 * take of HBM's time what they take of L2's own; cube cores get whole answers. */
static int64_t hit_cost(const struct memsys *m, const struct gm_transfer *t, const struct mem_path *p, const struct demand *d)
{
	int64_t hits = d->volume - d->missed_bytes, rate = m->chip->gm.l2_rate;
	if (t->write)
		return 0;
	if (p->cube_granule > 0) {
		hits = hits * (d->answers * p->cube_granule) / d->volume;
		rate = m->chip->gm.l2_cube_rate;
	}
	return (int64_t)((__int128)hits * m->chip->gm.hbm_rate / rate);
}

/* What is left of a load by now. */
static int64_t load_at(struct mem_load *l, int64_t now, int64_t average_cycles)
{
	l->level = (int64_t)((__int128)l->level * average_cycles / (average_cycles + now - l->at));
	l->at = now;
	return l->level;
}

/* Notes what a flow asks of HBM. Returns the share of HBM's time that other cores took of late, 1/65536. */
static int64_t load_by_others(struct memsys *m, int64_t now, int core, int64_t asked)
{
	int64_t average = m->chip->gm.average_cycles;
	int64_t all = load_at(&m->load, now, average), own = load_at(&m->core_load[core], now, average);
	int64_t share = (int64_t)((__int128)(all - own) * ONE / average / m->hbm_cap);
	m->load.level += asked;
	m->core_load[core].level += asked;
	return share < 0 ? 0 : share > ONE ? ONE : share;
}

/* Rate of a flow that reads together with others from one place: the place answers so many requests. */
static int64_t with_peers(const struct memsys *m, const struct flow *f)
{
	if (f->peers <= 1 || f->requests == 0)
		return f->own;
	int64_t rate = (int64_t)((__int128)f->volume * m->chip->gm.same_requests / 1000 / f->requests / f->peers);
	return rate < 1 ? 1 : rate < f->own ? rate : f->own;
}

/* A flow comes (change 1) or goes (-1) among those that read from its place. */
static void meet_peers(struct memsys *m, struct flow *f, int change)
{
	f->peers = 1;
	for (int i = 0; i < m->n_active && !f->write; i++) {
		struct flow *o = &m->flow[m->active[i]];
		if (o->place != f->place || o->write)
			continue;
		o->peers += change;
		o->max = with_peers(m, o);
		f->peers++;
	}
	f->max = with_peers(m, f);
}

int memsys_start(struct memsys *m, int64_t now, int core, int pipe, const struct gm_transfer *t,
		 const struct mem_path *path)
{
	int slot = 0;
	while (slot < MEMSYS_FLOWS && m->flow[slot].active)
		slot++;
	if (slot == MEMSYS_FLOWS || core >= MEMSYS_CORES)
		return -1;
	advance(m, now);
	struct flow *f = &m->flow[slot];
	memset(f, 0, sizeof *f);
	struct demand d = walk(m, t, path);
	d.volume = d.volume > 0 ? d.volume : 1;
	f->active = true;
	f->write = t->write;
	f->core = core;
	f->pipe = pipe;
	f->place = t->addr / (uint64_t)m->chip->gm.same_span;
	f->start = now;
	f->missed = d.missed_bytes > 0;
	f->volume = f->left = d.volume * ONE;
	f->hbm_share = (d.hbm + hit_cost(m, t, path, &d)) * ONE / d.volume;
	/* what L2 takes without HBM stands in the same queues, if only for a moment */
	if (t->write && m->sets > 0 && f->hbm_share < ONE / 64)
		f->hbm_share = ONE / 64;
	int64_t used = load_by_others(m, now, core, (int64_t)((__int128)f->volume * f->hbm_share / ONE));
	f->wait = t->write ? 0 : used * m->chip->gm.loaded_latency_cycles / ONE;
	struct span span = cycles_of(m, now, core, pipe, t, path, &d, f->wait);
	f->alone = span.alone;
	f->loaded = span.more;
	f->own = (f->volume + span.alone + span.more - 1) / (span.alone + span.more);
	f->requests = d.requests < d.lines ? d.requests : d.lines; /* what L2 is asked for, a line at a time at most */
	m->l2_bytes += t->bytes;
	m->requests[core][t->write][0] += (uint64_t)d.missed_requests;
	m->requests[core][t->write][1] += (uint64_t)(d.lines - d.missed_requests);
	meet_peers(m, f, 1);
	m->active[m->n_active++] = slot;
	share(m);
	return slot;
}

int64_t memsys_next(const struct memsys *m)
{
	int64_t next = m->n_active > 0 ? m->look_again : MEMSYS_NEVER;
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
	if (best < 0) {
		if (now >= m->look_again) {
			advance(m, now);
			share(m);
		}
		return -1;
	}
	int slot = m->active[best];
	advance(m, now);
	memmove(m->active + best, m->active + best + 1, (size_t)(m->n_active - best - 1) * sizeof m->active[0]);
	m->n_active--;
	m->flow[slot].active = false;
	meet_peers(m, &m->flow[slot], -1);
	share(m);
	return slot;
}

int64_t memsys_alone_cycles(const struct flow *f) { return f->alone; }

int64_t memsys_lost_to_hbm(const struct flow *f, int64_t lost)
{
	int64_t both = f->l2_cycles + f->hbm_cycles, loaded = f->loaded < lost ? f->loaded : lost;
	return loaded + (both > 0 ? (lost - loaded) * f->hbm_cycles / both : 0);
}
