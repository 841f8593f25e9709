/*
 * scalar_cache.c - the data cache, which holds bytes of its own, the presence map of the instruction cache, and every
 * access that the interpreter's fast path does not serve.
 */
#include "check.h"
#include "scalar_priv.h"

#include <inttypes.h>
#include <string.h>

static struct scalar_hot *hot_slot(struct scalar_hot *hot, uint64_t addr)
{
	return &hot[(addr >> SCALAR_HOT_SHIFT) % SCALAR_HOT];
}

static void hot_remove(struct scalar *s, struct scalar_hot *hot, uint64_t line)
{
	for (uint64_t a = line; a < line + s->d_line; a += UINT64_C(1) << SCALAR_HOT_SHIFT)
		if (hot_slot(hot, a)->line == line)
			hot_slot(hot, a)->line = SCALAR_HOT_NONE;
}

static void hot_add(struct scalar *s, struct scalar_hot *hot, struct cache_line *line, uint64_t addr)
{
	/* a line that GM fills only in part, or that checks watch, keeps being looked at */
	if (line->first == 0 && line->end == s->d_line && !line->watched)
		*hot_slot(hot, addr) = (struct scalar_hot){ line->tag, (uintptr_t)line->data - (uintptr_t)line->tag };
}

void scalar_cache_drop(struct scalar *s)
{
	for (uint32_t i = 0; i < s->d_sets * s->d_ways; i++)
		s->d[i].valid = s->d[i].dirty = false;
	memset(s->d_next, 0, s->d_sets);
	for (int i = 0; i < SCALAR_HOT; i++)
		s->hot_load[i].line = s->hot_store[i].line = SCALAR_HOT_NONE;
}

static struct cache_line *set_of(const struct scalar *s, uint64_t addr, uint32_t *set)
{
	*set = (uint32_t)(addr / s->d_line % s->d_sets);
	return &s->d[(uint64_t)*set * s->d_ways];
}

static struct cache_line *find(const struct scalar *s, uint64_t addr)
{
	uint64_t tag = addr & ~(uint64_t)(s->d_line - 1);
	uint32_t set;
	struct cache_line *way = set_of(s, addr, &set);

	for (uint32_t i = 0; i < s->d_ways; i++)
		if (way[i].valid && way[i].tag == tag)
			return &way[i];
	return NULL;
}

static bool write_back(struct scalar *s, struct cache_line *line, struct fail *f)
{
	uint64_t addr = line->tag + line->first;
	uint8_t *to = gm_at(s->mem->gm, s->mem->core, addr, line->end - line->first, true);

	if (!to)
		return fail_set(f, FAIL_INTERNAL, "data cache: dirty line 0x%" PRIx64 " has no place in GM", line->tag);
	memcpy(to, line->data + line->first, line->end - line->first);
	if (s->check)
		check_cache_back(s->check, s->mem->core, (int)(line - s->d), addr, line->end - line->first);
	line->dirty = false;
	/* the next store has to mark it again */
	hot_remove(s, s->hot_store, line->tag);
	return true;
}

static void drop(struct scalar *s, struct cache_line *line)
{
	hot_remove(s, s->hot_load, line->tag);
	hot_remove(s, s->hot_store, line->tag);
	line->valid = line->dirty = false;
}

/* Free a way of the set of addr: one that is empty, else the next in turn. */
static struct cache_line *victim(struct scalar *s, uint64_t addr)
{
	uint32_t set;
	struct cache_line *way = set_of(s, addr, &set);

	for (uint32_t i = 0; i < s->d_ways; i++)
		if (!way[i].valid)
			return &way[i];
	struct cache_line *line = &way[s->d_next[set]];
	s->d_next[set] = (uint8_t)((s->d_next[set] + 1) % s->d_ways);
	return line;
}

static struct cache_line *fill(struct scalar *s, const struct gm_region *r, struct scalar_access *a, struct fail *f)
{
	struct cache_line *line = victim(s, a->addr);

	a->extra = s->chip->scalar.dcache_miss_cycles;
	if (line->valid && line->dirty) {
		a->extra *= 2;
		if (!write_back(s, line, f))
			return NULL;
	}
	if (line->valid)
		drop(s, line);
	uint64_t tag = a->addr & ~(uint64_t)(s->d_line - 1);
	uint64_t last = r->addr + (r->size - 1);
	line->tag = tag;
	line->first = (uint8_t)(r->addr > tag ? r->addr - tag : 0);
	line->end = (uint8_t)(last - tag < s->d_line ? last - tag + 1 : s->d_line);
	line->writable = r->writable;
	line->valid = true;
	uint64_t from = tag + line->first, n = line->end - line->first;
	const uint8_t *bytes = gm_at(s->mem->gm, s->mem->core, from, n, false);
	if (!bytes) {
		line->valid = false;
		fail_set(f, FAIL_INTERNAL, "data cache: no bytes at 0x%" PRIx64 " of %s", from, r->name);
		return NULL;
	}
	memcpy(line->data + line->first, bytes, n);
	line->watched = s->check && !check_ignores(r);
	if (line->watched)
		check_cache_fill(s->check, s->mem->core, (int)(line - s->d), tag);
	s->dcache_misses++;
	s->stall_dcache += a->extra;
	return line;
}

static const char *verb(const struct scalar_access *a) { return a->write ? "store" : "load"; }

static uint8_t *refuse(struct scalar_access *a, enum scalar_stop stop)
{
	a->stop = stop;
	return NULL;
}

static uint8_t *reach_ub(struct scalar *s, struct scalar_access *a, struct fail *f)
{
	if (a->addr & (a->size - 1)) {
		scalar_fault(s, f, a->pc, a->now, "misaligned %s of %u bytes at UB address 0x%" PRIx64, verb(a), a->size,
			     a->addr);
		return refuse(a, SCALAR_FAULT);
	}
	if (a->now > a->until)
		return refuse(a, SCALAR_YIELD);
	const int64_t ub = s->chip->scalar.load_ub_cycles, gm = s->chip->scalar.load_gm_cycles;
	a->extra = !a->write && ub > gm ? ub - gm : 0;
	s->ub_bytes[a->write] += a->size;
	if (s->check)
		check_scalar(s->check, s->mem->core, a->pc, a->addr, a->size, a->write, -1);
	return s->mem->buf[SPACE_UB] + a->addr;
}

static uint8_t *outside_gm(struct scalar *s, struct scalar_access *a, struct fail *f)
{
	char text[256];

	gm_describe(s->mem->gm, a->addr, a->size, a->write, text, sizeof(text));
	scalar_fault(s, f, a->pc, a->now, "%s of %u bytes at 0x%" PRIx64 ": %s", verb(a), a->size, a->addr, text);
	if (s->x[2] < GM_STACK_TOP - (uint64_t)s->chip->buffers.stack && a->addr >= s->x[2] && a->addr < GM_STACK_TOP)
		fail_hint(f, "the stack has overflowed: large local arrays or a deep recursion");
	return refuse(a, SCALAR_FAULT);
}

static uint8_t *reach_gm(struct scalar *s, struct scalar_access *a, struct fail *f)
{
	uint32_t at = (uint32_t)a->addr & (s->d_line - 1);
	struct cache_line *line = find(s, a->addr);

	if (at + a->size > s->d_line) {
		scalar_fault(s, f, a->pc, a->now, "misaligned %s of %u bytes at 0x%" PRIx64 " crosses a data cache line",
			     verb(a), a->size, a->addr);
		return refuse(a, SCALAR_FAULT);
	}
	if (line) {
		if (at < line->first || at + a->size > line->end || (a->write && !line->writable))
			return outside_gm(s, a, f);
		s->dcache_hits++;
	} else {
		if (a->now > a->until)
			return refuse(a, SCALAR_YIELD);
		const struct gm_region *r = gm_find(s->mem->gm, a->addr, a->size);
		if (!r || (a->write && !r->writable))
			return outside_gm(s, a, f);
		line = fill(s, r, a, f);
		if (!line)
			return refuse(a, SCALAR_FAULT);
	}
	if (line->watched)
		check_scalar(s->check, s->mem->core, a->pc, a->addr, a->size, a->write, (int)(line - s->d));
	hot_add(s, s->hot_load, line, a->addr);
	if (a->write) {
		line->dirty = true;
		hot_add(s, s->hot_store, line, a->addr);
	}
	return line->data + at;
}

uint8_t *scalar_reach(struct scalar *s, struct scalar_access *a, struct fail *f)
{
	uint64_t ub = (uint64_t)s->mem->size[SPACE_UB];

	a->extra = 0;
	if (a->addr >= GM_BASE)
		return reach_gm(s, a, f);
	if (s->mem->buf[SPACE_UB] && a->addr < ub && a->size <= ub - a->addr)
		return reach_ub(s, a, f);
	if (!s->mem->buf[SPACE_UB])
		scalar_fault(s, f, a->pc, a->now, "%s of %u bytes at 0x%" PRIx64 ": this core has no UB, and GM begins at 4 GiB",
			     verb(a), a->size, a->addr);
	else
		scalar_fault(s, f, a->pc, a->now,
			     "%s of %u bytes at 0x%" PRIx64 ": past the end of UB (%" PRIu64 " bytes), and GM begins at 4 GiB",
			     verb(a), a->size, a->addr, ub);
	fail_hint(f, "the scalar unit reaches UB and GM only; a null or local-buffer pointer (L1, L0) was used");
	return refuse(a, SCALAR_FAULT);
}

static bool clean(struct scalar *s, struct cache_line *line, bool back, bool invalidate, struct fail *f)
{
	if (!line->valid)
		return true;
	if (back && line->dirty) {
		if (!write_back(s, line, f))
			return false;
		s->cycle += s->chip->scalar.dcache_miss_cycles;
		s->stall_dcache += s->chip->scalar.dcache_miss_cycles;
	}
	if (invalidate)
		drop(s, line);
	return true;
}

bool scalar_cache_line(struct scalar *s, uint64_t addr, bool back, bool invalidate, struct fail *f)
{
	struct cache_line *line = find(s, addr);

	if (line)
		return clean(s, line, back, invalidate, f);
	if (gm_find(s->mem->gm, addr, 1))
		return true;
	char text[256];
	gm_describe(s->mem->gm, addr, 1, false, text, sizeof(text));
	scalar_fault(s, f, s->pc, s->cycle, "data cache control at 0x%" PRIx64 ": %s", addr, text);
	return false;
}

bool scalar_cache_fetch(struct scalar *s, uint64_t addr, struct fail *f)
{
	struct scalar_access a = { .addr = addr, .pc = s->pc, .size = 1, .now = s->cycle, .until = INT64_MAX };

	return scalar_reach(s, &a, f) != NULL;
}

bool scalar_cache_all(struct scalar *s, bool back, bool invalidate, struct fail *f)
{
	for (uint32_t i = 0; i < s->d_sets * s->d_ways; i++)
		if (!clean(s, &s->d[i], back, invalidate, f))
			return false;
	return true;
}

int64_t scalar_fetch(struct scalar *s, uint32_t line)
{
	if (s->i_present[line])
		return 0;
	uint64_t first = s->program->text_addr / s->i_line;
	uint32_t set = (uint32_t)((first + line) % s->i_sets);
	uint32_t *slot = &s->i_slot[(uint64_t)set * s->i_ways + s->i_next[set]];

	if (*slot)
		s->i_present[*slot - 1] = 0;
	*slot = line + 1;
	s->i_present[line] = 1;
	s->i_next[set] = (uint8_t)((s->i_next[set] + 1) % s->i_ways);
	s->icache_misses++;
	s->stall_icache += s->chip->scalar.icache_miss_cycles;
	return s->chip->scalar.icache_miss_cycles;
}
