/*
 * check_race.c - two accesses to the same bytes, one of them a write, that nothing orders; and writes that are overwritten
 * before anything read them. Every memory has a shadow of its last accesses; what is ordered is what the vector clocks know,
 * so the timing that happened does not matter.
 *
 * Instructions of one pipe are ordered by a barrier alone (hardware.md 2.2), but for mads of at least ten fractals of C on
 * the same accumulators, and mad and fixpipe that both use the unit flag.
 */
#include "check_priv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Does something order `old` before this access? */
static bool ordered(struct race *r, epoch old)
{
	if (old == r->me)
		return true;
	if (clock_knows(r->k, (unsigned)r->c->id, r->clock, old)) {
		if (r->k->bits & CHECK_OVER && epoch_core(old) == (unsigned)r->c->id)
			over_used(r->k, r->kc, r->scalar ? SLOT_S : r->pipe, old);
		return true;
	}
	if (epoch_atomic(old) && epoch_atomic(r->me))
		return true;
	if (epoch_core(old) != (unsigned)r->c->id)
		return false;
	if (r->scalar && (epoch_slot(old) == SLOT_S || epoch_slot(old) == SLOT_STORE))
		return true;
	if (r->space != SPACE_L0C)
		return false;
	return (epoch_unit(old) && epoch_unit(r->me)) ||
	       (epoch_slot(old) == PIPE_M && r->pipe == PIPE_M && epoch_big(old) && epoch_big(r->me));
}

/* True: a race. */
static bool look(struct race *r, const struct shadow *sh, epoch old, enum race_relation rel, uint64_t addr, uint64_t bytes)
{
	if (old == r->ok || old == r->ok_before)
		return false;
	if (old == r->bad)
		return true;
	if (ordered(r, old)) {
		r->ok_before = r->ok;
		r->ok = old;
		return false;
	}
	r->raced = true;
	r->bad = old;
	race_report(r, sh, old, rel, addr, bytes);
	return true;
}

/* ---- fates ---- */

static struct fate *fate_of(const struct race *r, epoch e)
{
	struct fate *f = &r->k->core[epoch_core(e)].fate[epoch_slot(e)][epoch_number(e) % FATES];
	return f->number == epoch_number(e) ? f : NULL;
}

static void was_read(struct race *r, epoch w)
{
	if (w == r->read_ok)
		return;
	r->read_ok = w;
	struct fate *f = fate_of(r, w);
	if (!f)
		return;
	f->read = true;
	if (r->fate && !r->fate->early)
		r->fate->early = f->early;
}

static uint32_t bits_in(uint32_t m) { return m == UINT32_MAX ? 32 : (uint32_t)__builtin_popcount(m); }

static void was_lost(struct race *r, const struct shadow *sh, epoch w, uint32_t bits, uint64_t addr, uint64_t bytes)
{
	if (epoch_atomic(r->me)) { /* it adds to what was written */
		was_read(r, w);
		return;
	}
	struct fate *t = fate_of(r, w);
	bool fresh;
	if (!t || t->read || t->exempt || !(r->k->bits & CHECK_MEM) || epoch_core(w) != (unsigned)r->c->id)
		return;
	t->lost += bits;
	if (t->lost != t->total || r->raced)
		return;
	struct check_finding *f = check_find(r->k, CHECK_MEMORY, "never-read", r->c, r->pc, r->c,
					     check_site_pc(r->c, epoch_site(w)), &fresh);
	if (f)
		root_bytes(r->k, f, r->space, addr, bytes);
	if (!f || !fresh)
		return;
	char range[160];
	race_range(sh, r->space, addr, bytes, range, sizeof range);
	check_place_at(r->k, r->c, r->pipe, r->pc, r->cycle, &f->at);
	check_place_of(r->k, w, &f->other);
	check_say(f->other_role, sizeof f->other_role, "the write that is lost");
	check_say(f->what, sizeof f->what,
		  "%s (pipe %s) overwrites all that %s (pipe %s) wrote before anything read it, last %s", f->at.insn,
		  isa_pipe_name((enum isa_pipe)r->pipe), f->other.insn, race_pipe(w), range);
	check_say(f->hint, sizeof f->hint,
		  "a buffer too few, a wrong address, or a missing store; else the first write is useless");
}

/* ---- cells ---- */

static void more_push(struct race *r, struct cell *c, epoch e, uint32_t mask, bool write)
{
	struct checker *k = r->k;
	uint32_t i = k->free_more;
	if (i) {
		k->free_more = k->more[i].next;
	} else {
		if (k->n_more == k->max_more) {
			uint32_t max = k->max_more ? 2 * k->max_more : 1024;
			struct more *m = realloc(k->more, max * sizeof *m);
			if (!m) {
				k->broken = true;
				return;
			}
			k->more = m;
			k->max_more = max;
		}
		if (k->n_more == 0)
			k->n_more = 1; /* 0 is the end of a list */
		i = k->n_more++;
	}
	k->more[i] = (struct more){ e, mask, c->more, write };
	c->more = i;
}

static void more_drop(struct checker *k, uint32_t *at)
{
	uint32_t i = *at;
	*at = k->more[i].next;
	k->more[i].next = k->free_more;
	k->free_more = i;
}

static bool same_slot(epoch a, epoch b) { return a >> 52 == b >> 52; }

static void more_read(struct race *r, const struct shadow *sh, struct cell *c, uint32_t m, uint64_t addr,
		      uint64_t bytes)
{
	struct more *all = r->k->more;
	for (uint32_t *at = &c->more; *at;) {
		struct more *e = &all[*at];
		if (e->write && e->mask & m) {
			look(r, sh, e->e, READ_AFTER_WRITE, addr, bytes);
			was_read(r, e->e);
		} else if (!e->write && same_slot(e->e, r->me) && !(e->mask &= ~m)) {
			more_drop(r->k, at);
			continue;
		}
		at = &e->next;
	}
}

static void more_write(struct race *r, const struct shadow *sh, struct cell *c, uint32_t m, uint64_t addr,
		       uint64_t bytes, bool raced)
{
	struct more *all = r->k->more;
	for (uint32_t *at = &c->more; *at;) {
		struct more *e = &all[*at];
		if (e->mask & m) {
			if (!e->write || !raced)
				look(r, sh, e->e, e->write ? WRITE_AFTER_WRITE : WRITE_AFTER_READ, addr, bytes);
			if (e->write && !raced && e->e != r->me)
				was_lost(r, sh, e->e, bits_in(e->mask & m), addr, bytes);
			if (!(epoch_atomic(e->e) && epoch_atomic(r->me)) && !(e->mask &= ~m)) {
				more_drop(r->k, at);
				continue;
			}
		}
		at = &e->next;
	}
}

static void cell_read(struct race *r, const struct shadow *sh, struct cell *c, uint32_t m, uint64_t addr,
		      uint64_t bytes)
{
	if (c->wm & m) {
		look(r, sh, c->w, READ_AFTER_WRITE, addr, bytes);
		was_read(r, c->w);
	}
	if (c->more)
		more_read(r, sh, c, m, addr, bytes);
	uint32_t keep = c->rm;
	if (same_slot(c->r, r->me) || r->me == c->r)
		keep &= ~m;
	if (c->r == r->me) {
		c->rm |= m;
		return;
	}
	if (keep)
		more_push(r, c, c->r, keep, false);
	c->r = r->me;
	c->rm = m;
}

static void cell_write(struct race *r, const struct shadow *sh, struct cell *c, uint32_t m, uint64_t addr,
		       uint64_t bytes)
{
	bool both_atomic = epoch_atomic(c->w) && epoch_atomic(r->me), raced = false;
	if (c->rm & m) {
		raced = look(r, sh, c->r, WRITE_AFTER_READ, addr, bytes);
		c->rm &= ~m;
	}
	/* order behind the reader brings order behind what it read */
	if (c->wm & m && c->w != r->me && !raced) {
		look(r, sh, c->w, WRITE_AFTER_WRITE, addr, bytes);
		if (!both_atomic)
			was_lost(r, sh, c->w, bits_in(c->wm & m), addr, bytes);
	}
	if (c->more)
		more_write(r, sh, c, m, addr, bytes, raced);
	if (c->w == r->me) {
		c->wm |= m;
		return;
	}
	uint32_t keep = both_atomic && !same_slot(c->w, r->me) ? c->wm : c->wm & ~m;
	if (keep)
		more_push(r, c, c->w, keep, true);
	c->w = r->me;
	c->wm = m;
}

/* Bits of a granule that bytes [from, to) fall on. */
static uint32_t bits_of(unsigned shift, uint64_t from, uint64_t to)
{
	uint64_t g = UINT64_C(1) << shift, low = from * 32 / g, high = (to * 32 + g - 1) / g;
	uint32_t below = high >= 32 ? UINT32_MAX : (UINT32_C(1) << high) - 1;
	return below & ~((UINT32_C(1) << low) - 1);
}

/* The detailed cell of a granule, made of what the pair says; NULL: no memory. */
static struct cell *detail(struct checker *k, struct pair *p)
{
	if (p->w >= EPOCH_DETAIL)
		return &k->cell[(uint32_t)p->w];
	uint32_t i = k->free_cell;
	if (i) {
		k->free_cell = k->cell[i].more;
	} else {
		if (k->n_cell + 1 >= k->max_cell) {
			uint32_t max = k->max_cell ? 2 * k->max_cell : 1024;
			struct cell *c = realloc(k->cell, max * sizeof *c);
			if (!c) {
				k->broken = true;
				return NULL;
			}
			k->cell = c;
			k->max_cell = max;
		}
		i = ++k->n_cell; /* 0 is none */
	}
	k->cell[i] = (struct cell){ .w = p->w, .r = p->r, .wm = p->w ? UINT32_MAX : 0, .rm = p->r ? UINT32_MAX : 0 };
	p->w = EPOCH_DETAIL | i;
	p->r = 0;
	return &k->cell[i];
}

/* Back to a pair once one access covers the granule again. */
static void simplify(struct checker *k, struct pair *p)
{
	uint32_t i = (uint32_t)p->w;
	struct cell *c = &k->cell[i];
	if (c->more || c->wm != UINT32_MAX || (c->rm && c->rm != UINT32_MAX))
		return;
	*p = (struct pair){ c->w, c->rm ? c->r : 0 };
	c->more = k->free_cell;
	k->free_cell = i;
}

static void touch_part(struct race *r, const struct shadow *sh, struct pair *p, uint32_t m, bool write, uint64_t addr,
		       uint64_t bytes)
{
	struct cell *c = detail(r->k, p);
	if (!c)
		return;
	(write ? cell_write : cell_read)(r, sh, c, m, addr, bytes);
	if (m == UINT32_MAX)
		simplify(r->k, p);
}

static void lost_flush(struct race *r, const struct shadow *sh, uint64_t addr, uint64_t bytes)
{
	if (r->lost)
		was_lost(r, sh, r->lost, r->lost_bits, addr, bytes);
	r->lost = 0;
	r->lost_bits = 0;
}

static inline void read_whole(struct race *r, const struct shadow *sh, struct pair *p, uint64_t addr, uint64_t bytes)
{
	if (p->w >= EPOCH_DETAIL || (p->r && !same_slot(p->r, r->me))) {
		touch_part(r, sh, p, UINT32_MAX, false, addr, bytes);
		return;
	}
	if (p->w) {
		if (p->w != r->ok && p->w != r->ok_before)
			look(r, sh, p->w, READ_AFTER_WRITE, addr, bytes);
		if (p->w != r->read_ok)
			was_read(r, p->w);
	}
	p->r = r->me;
}

static inline void write_whole(struct race *r, const struct shadow *sh, struct pair *p, uint64_t addr, uint64_t bytes)
{
	bool raced = false;
	if (p->w >= EPOCH_DETAIL || (epoch_atomic(r->me) && epoch_atomic(p->w))) {
		touch_part(r, sh, p, UINT32_MAX, true, addr, bytes);
		return;
	}
	if (p->r && p->r != r->ok && p->r != r->ok_before)
		raced = look(r, sh, p->r, WRITE_AFTER_READ, addr, bytes);
	if (p->w && p->w != r->me && !raced) {
		if (p->w != r->ok && p->w != r->ok_before)
			look(r, sh, p->w, WRITE_AFTER_WRITE, addr, bytes);
		if (p->w != r->lost) {
			lost_flush(r, sh, addr, bytes);
			r->lost = p->w;
		}
		r->lost_bits += 32;
	}
	*p = (struct pair){ r->me, 0 };
}

void race_touch(struct race *r, struct shadow *sh, uint64_t addr, uint64_t bytes, bool write)
{
	uint64_t g = UINT64_C(1) << sh->shift, off = addr - sh->base, end = off + bytes;
	uint32_t bits = 0;
	if (!sh->pair || off > sh->bytes || bytes > sh->bytes - off)
		return;
	while (off < end) {
		uint64_t in = off & (g - 1), n = g - in < end - off ? g - in : end - off;
		struct pair *p = &sh->pair[off >> sh->shift];
		if (n < g) {
			uint32_t m = bits_of(sh->shift, in, in + n);
			touch_part(r, sh, p, m, write, addr, bytes);
			bits += bits_in(m);
			off += n;
			continue;
		}
		for (; end - off >= g; off += g, bits += 32, p++) {
			if (write)
				write_whole(r, sh, p, addr, bytes);
			else
				read_whole(r, sh, p, addr, bytes);
		}
	}
	lost_flush(r, sh, addr, bytes);
	if (write && r->fate)
		r->fate->total += bits;
}

/* ---- ops ---- */

static epoch epoch_new(const struct core *c, unsigned slot, uint32_t number, uint64_t pc, bool atomic, bool big,
		       bool unit)
{
	return (uint64_t)c->id << 55 | (uint64_t)slot << 52 | (uint64_t)atomic << 51 | (uint64_t)big << 50 |
	       (uint64_t)unit << 49 | (uint64_t)check_site(c, pc) << 32 | number;
}

static bool is_big(const struct op *op)
{
	uint64_t w = op->x[3];
	return isa_table[op->insn].form == FORM_MAD && (mad_m(w) + 15) / 16 * ((mad_n(w) + 15) / 16) >= 10;
}

static bool uses_unit_flag(const struct op *op)
{
	unsigned form = isa_table[op->insn].form;
	return (form == FORM_MAD && mad_unit_flag(op->x[3])) || (form == FORM_FIX && fixt_unit_flag(op->x[3]));
}

void race_access(struct race *r, const struct access *a)
{
	struct runs runs;
	uint64_t addr, bytes;
	r->space = a->space;
	runs_open(&runs, a);
	while (runs_next(&runs, &addr, &bytes)) {
		struct shadow *sh = check_shadow(r->k, r->kc, a->space, addr);
		if (sh)
			race_touch(r, sh, addr, bytes, a->write);
	}
}

/* What a gather fetches is decided by values: offsets as UB holds them when it starts. */
static void touch_gathered(struct race *r, const struct op *op, const struct effect *e)
{
	bool blocks = isa_table[op->insn].form == FORM_VGATHERB;
	const struct access *o = &e->access[0], *d = &e->access[e->n_access - 1];
	struct shadow *ub = &r->kc->space[SPACE_UB];
	uint64_t at, n, bytes = blocks ? 32 : d->elem_bytes;
	struct runs runs;
	if (r->k->sim->options.timing_only || !d->write || o->write)
		return;
	r->space = SPACE_UB;
	runs_open(&runs, o);
	while (runs_next(&runs, &at, &n))
		for (uint64_t i = 0; i + 4 <= n; i += 4) {
			uint32_t offset;
			memcpy(&offset, r->c->mem.buf[SPACE_UB] + at + i, 4);
			race_touch(r, ub, op->x[2] + offset, bytes, false);
		}
}

/* CMPMASK: compares without destination and set_cmpmask write it, select and get_cmpmask read it. */
static void touch_cmpmask(struct race *r, const struct op *op, bool write)
{
	unsigned form = isa_table[op->insn].form;
	bool writes = form == FORM_VCMP || op->insn == INSN_set_cmpmask;
	if (write != writes || !(writes || form == FORM_VSEL || op->insn == INSN_get_cmpmask))
		return;
	r->space = SPACE_CMPMASK;
	race_touch(r, &r->kc->cmpmask, 0, 16, write);
}

static bool is_constant(unsigned form) { return form == FORM_FILL || form == FORM_VDUP; }

/* A write to GM that others may poll for: they learn what this pipe knows, and that it is done where nothing of its pipe was
 * under way before it. */
static void note_write(const struct race *r, const struct effect *e, uint32_t before, bool atomic)
{
	struct clock own = *r->clock;
	if (own.t[r->pipe] >= before)
		own.t[r->pipe] = epoch_number(r->me);
	for (int i = 0; i < e->n_access; i++) {
		const struct access *a = &e->access[i];
		if (a->write && a->space == SPACE_GM && a->n[1] == 1 && a->n[2] == 1 &&
		    (a->n[0] == 1 || a->stride[0] == a->unit_bytes))
			poll_write(r->k, r->c, &own, a->addr, (uint64_t)a->unit_bytes * a->n[0], atomic);
	}
}

void race_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e)
{
	struct check_core *kc = &k->core[c->id];
	uint32_t before = kc->last_work[op->pipe], number = kc->last_work[op->pipe] = ++kc->number[op->pipe];
	bool atomic = false;
	for (int i = 0; i < e->n_access; i++)
		atomic |= e->access[i].atomic;
	struct sync_site *site = over_site(k, c, op->pc);
	if (site)
		site->times++;
	if (k->bits & CHECK_OVER)
		over_real(k, c, op->pipe);
	struct race r = { .k = k,
			  .c = c,
			  .kc = kc,
			  .seq = op->seq,
			  .clock = &kc->clock[op->pipe],
			  .pipe = op->pipe,
			  .pc = op->pc,
			  .cycle = k->sim->now,
			  .me = epoch_new(c, op->pipe, number, op->pc, atomic, is_big(op), uses_unit_flag(op)) };
	r.fate = &kc->fate[op->pipe][number % FATES];
	*r.fate = (struct fate){ .number = number,
				 .seq = op->seq,
				 .exempt = is_constant(isa_table[op->insn].form) || atomic };
	if (k->poll && (op->pipe == PIPE_MTE2 || poll_is_before(&r, e)))
		poll_settle(k, c);
	bool polls = k->poll && poll_kind(k, c, op->pc) & POLL_COPY;
	for (int i = 0; i < e->n_access; i++)
		if (polls && !e->access[i].write && e->access[i].space == SPACE_GM)
			poll_copy(k, c, &r, &e->access[i]);
		else if (!e->access[i].write)
			race_access(&r, &e->access[i]);
	if (isa_table[op->insn].form == FORM_VGATHER || isa_table[op->insn].form == FORM_VGATHERB)
		touch_gathered(&r, op, e);
	touch_cmpmask(&r, op, false);
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].write)
			race_access(&r, &e->access[i]);
	touch_cmpmask(&r, op, true);
	for (int i = 0; kc->n_dirty > 0 && i < e->n_access; i++)
		if (e->access[i].space == SPACE_GM)
			race_cache_dirty(k, c, op, &e->access[i]);
	if (k->poll)
		note_write(&r, e, before, atomic);
}

/* ---- the scalar unit and its cache ---- */

static bool stored_at(const struct line_note *l, uint64_t addr)
{
	uint64_t i = addr - l->addr;
	return l->stored[i >> 5] >> (i & 31) & 1;
}

/* Bytes that the scalar unit has stored but its cache still keeps: others see the old ones. */
void race_cache_dirty(struct checker *k, struct core *c, const struct op *op, const struct access *a)
{
	struct check_core *kc = &k->core[c->id];
	struct runs runs;
	uint64_t addr, bytes;
	bool fresh;
	runs_open(&runs, a);
	while (runs_next(&runs, &addr, &bytes))
		for (uint32_t i = 0; i < c->scalar.d_sets * c->scalar.d_ways; i++) {
			const struct line_note *l = &kc->line[i];
			if (!l->dirty || l->addr >= addr + bytes || l->addr + c->scalar.d_line <= addr)
				continue;
			uint64_t from = addr > l->addr ? addr : l->addr, to = l->addr + c->scalar.d_line, at = from;
			to = to < addr + bytes ? to : addr + bytes;
			while (at < to && !stored_at(l, at))
				at++;
			if (at == to)
				continue;
			struct check_finding *f =
				check_find(k, CHECK_RACES, "store-in-cache", c, op->pc, c, l->store_pc, &fresh);
			kc->line[i].told = true;
			if (!f || !fresh)
				continue;
			check_place_at(k, c, op->pipe, op->pc, k->sim->now, &f->at);
			check_place_at(k, c, PIPE_S, l->store_pc, -1, &f->other);
			check_say(f->other_role, sizeof f->other_role, "the store");
			check_say(f->what, sizeof f->what,
				  "%s (pipe %s) %s GM byte 0x%" PRIx64 ", which the scalar unit has stored but its data"
				  " cache has not written back",
				  f->at.insn, isa_pipe_name(op->pipe), race_verb(a->write), at);
			check_say(f->hint, sizeof f->hint,
				  "dcci(address, SINGLE_CACHE_LINE, CACHELINE_OUT) behind the store");
		}
}

static struct race scalar_race(struct checker *k, struct core *c, uint64_t pc, bool store, bool clobber)
{
	struct check_core *kc = &k->core[c->id];
	unsigned slot = store ? SLOT_STORE : SLOT_S;
	return (struct race){ .k = k,
			      .c = c,
			      .kc = kc,
			      .clock = &kc->clock[SLOT_S],
			      .pipe = PIPE_S,
			      .pc = pc,
			      .cycle = c->scalar.cycle,
			      .scalar = true,
			      .seq = c->seq,
			      .me = epoch_new(c, slot, ++kc->number[slot], pc, false, false, clobber) };
}

/* Who wrote these bytes was read, by a poll. */
static void polled(struct race *r, const struct shadow *sh, uint64_t addr, unsigned bytes)
{
	if (!sh->pair)
		return;
	for (uint64_t at = (addr - sh->base) >> sh->shift; at <= (addr + bytes - 1 - sh->base) >> sh->shift; at++) {
		const struct pair *p = &sh->pair[at];
		if (p->w >= EPOCH_DETAIL) {
			const struct cell *cell = &r->k->cell[(uint32_t)p->w];
			was_read(r, cell->w);
			for (uint32_t i = cell->more; i; i = r->k->more[i].next)
				if (r->k->more[i].write)
					was_read(r, r->k->more[i].e);
		} else if (p->w) {
			was_read(r, p->w);
		}
	}
}

static void poll_line(struct checker *k, struct core *c, struct shadow *sh, struct line_note *l, uint64_t pc, uint64_t addr,
		      unsigned bytes)
{
	struct race r = scalar_race(k, c, pc, false, false);
	struct check_core *kc = &k->core[c->id];
	polled(&r, sh, addr, bytes);
	poll_see(k, c, addr, bytes, l->stamp);
	/* the line came in after what is seen in it */
	l->filled.remote = kc->clock[SLOT_S].remote;
}

static void load_line(struct checker *k, struct core *c, struct shadow *sh, struct line_note *l, uint64_t pc,
		      uint64_t addr, unsigned bytes)
{
	struct race r = scalar_race(k, c, pc, false, false);
	r.space = SPACE_GM;
	r.clock = &l->filled;
	for (unsigned i = 0; i < bytes; i++) {
		unsigned n = 0;
		while (i + n < bytes && !stored_at(l, addr + i + n))
			n++;
		if (n)
			race_touch(&r, sh, addr + i, n, false);
		i += n;
	}
}

void check_scalar(struct checker *k, int core, uint64_t pc, uint64_t addr, unsigned bytes, bool write, int line)
{
	struct core *c = &k->sim->core[core];
	struct check_core *kc = &k->core[core];
	struct shadow *sh = check_shadow(k, kc, line < 0 ? SPACE_UB : SPACE_GM, addr);
	if (!sh || k->broken)
		return;
	if (k->bits & CHECK_RACE && line < 0) {
		struct race r = scalar_race(k, c, pc, write, false);
		r.space = SPACE_UB;
		if (k->poll && !write && sh->pair) {
			epoch w = sh->pair[(addr - sh->base) >> sh->shift].w;
			poll_loaded(k, c, w >= EPOCH_DETAIL ? k->cell[(uint32_t)w].w : w);
		}
		race_touch(&r, sh, addr, bytes, write);
	} else if (k->bits & CHECK_RACE) {
		struct line_note *l = &kc->line[line];
		if (write) {
			for (unsigned i = 0; i < bytes; i++)
				l->stored[(addr + i - l->addr) >> 5] |= UINT32_C(1) << ((addr + i - l->addr) & 31);
			kc->n_dirty += !l->dirty;
			l->dirty = true;
			l->store_pc = pc;
		} else if (k->poll && poll_kind(k, c, pc) & POLL_LOAD) {
			poll_line(k, c, sh, l, pc, addr, bytes);
		} else {
			load_line(k, c, sh, l, pc, addr, bytes);
		}
	}
	if (k->bits & CHECK_INIT && sh->init)
		init_scalar(k, c, sh, pc, addr, bytes, write);
}

void check_device(struct checker *k, struct core *c, uint64_t pc, uint64_t addr, unsigned bytes, bool write)
{
	struct shadow *sh = check_shadow(k, &k->core[c->id], SPACE_GM, addr);
	if (!sh || k->broken)
		return;
	if (k->bits & CHECK_RACE) {
		struct race r = scalar_race(k, c, pc, false, false);
		r.space = SPACE_GM;
		r.me |= EPOCH_ATOMIC; /* one word at the memory: two of these are no race */
		if (!write && k->poll && poll_kind(k, c, pc) & POLL_LOAD) {
			polled(&r, sh, addr, bytes);
			poll_see(k, c, addr, bytes, k->poll_stamp);
		} else {
			race_touch(&r, sh, addr, bytes, write);
		}
		if (write && k->poll) {
			struct clock own = clock_scalar(&k->core[c->id]);
			poll_write(k, c, &own, addr, bytes, false);
		}
	}
	if (k->bits & CHECK_INIT && sh->init)
		init_scalar(k, c, sh, pc, addr, bytes, write);
}

void check_cache_fill(struct checker *k, int core, int line, uint64_t addr)
{
	struct check_core *kc = &k->core[core];
	struct line_note *l = &kc->line[line];
	kc->n_dirty -= l->dirty; /* thrown away without being written back */
	*l = (struct line_note){ .filled = kc->clock[SLOT_S], .addr = addr, .valid = true };
	l->filled.t[SLOT_S] = kc->number[SLOT_S];
	l->stamp = k->poll_stamp;
}

void check_cache_back(struct checker *k, int core, int line, uint64_t addr, unsigned bytes)
{
	struct core *c = &k->sim->core[core];
	struct check_core *kc = &k->core[core];
	struct line_note *l = &kc->line[line];
	if (!l->dirty)
		return;
	l->dirty = false;
	kc->n_dirty--;
	struct shadow *sh = check_shadow(k, kc, SPACE_GM, addr);
	if (!sh || !(k->bits & CHECK_RACE) || k->broken || l->told)
		return;
	struct race w = scalar_race(k, c, l->store_pc, false, false),
		    keep = scalar_race(k, c, l->store_pc, false, true);
	w.space = keep.space = SPACE_GM;
	keep.clock = &l->filled;
	for (unsigned i = 0; i < bytes;) {
		bool stored = stored_at(l, addr + i);
		unsigned n = 1;
		while (i + n < bytes && stored_at(l, addr + i + n) == stored)
			n++;
		race_touch(stored ? &w : &keep, sh, addr + i, n, stored);
		if (stored && k->poll) {
			struct clock own = clock_scalar(kc);
			poll_write(k, c, &own, addr + i, n, false);
		}
		i += n;
	}
	memset(l->stored, 0, sizeof l->stored);
	/* the line holds GM's bytes as of now */
	l->filled = kc->clock[SLOT_S];
	l->filled.t[SLOT_S] = kc->number[SLOT_S];
}
