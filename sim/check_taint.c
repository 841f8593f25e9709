/*
 * check_taint.c - where undefined bytes go. Moves are executed a second time on memories that hold definedness instead of
 * values; arithmetic goes lane by lane, mad by rows and columns.
 */
#include "check_priv.h"
#include "fixpipe.h"
#include "mte.h"

#include <stdlib.h>
#include <string.h>

struct taint {
	struct checker *k;
	struct core *c;
	struct check_core *kc;
	const struct op *op;
	const struct effect *e;
	uint32_t origin;
};

static void put(struct taint *t, struct shadow *sh, uint64_t addr, uint64_t bytes, bool undefined)
{
	uint64_t off = addr - sh->base;
	init_set(sh, addr, bytes, undefined ? INIT_CARRIED : INIT_DEFINED, check_site(t->c, t->op->pc));
	if (undefined && off < sh->bytes)
		for (uint64_t i = off >> NOTE_SHIFT; i <= (off + bytes - 1) >> NOTE_SHIFT; i++)
			sh->origin[i] = t->origin;
}

static bool undefined_at(const struct shadow *sh, uint64_t addr, uint64_t bytes)
{
	uint64_t off = addr - sh->base;
	return off <= sh->bytes && bytes <= sh->bytes - off && init_first(sh->init + off, bytes) < bytes;
}

static const struct access *written(const struct effect *e)
{
	for (int i = e->n_access; i-- > 0;)
		if (e->access[i].write)
			return &e->access[i];
	return NULL;
}

/* All that is written becomes undefined: where it cannot be said more closely. */
static void all(struct taint *t)
{
	struct runs runs;
	uint64_t addr, bytes;
	for (int i = 0; i < t->e->n_access; i++) {
		if (!t->e->access[i].write)
			continue;
		runs_open(&runs, &t->e->access[i]);
		while (runs_next(&runs, &addr, &bytes)) {
			struct shadow *sh = check_shadow(t->k, t->kc, t->e->access[i].space, addr);
			if (sh && sh->init)
				put(t, sh, addr, bytes, true);
		}
	}
}

/* Does everything that the op reads have definedness? A GM argument that is filled from the start has none. */
static bool has_definedness(const struct taint *t)
{
	struct runs runs;
	uint64_t addr, bytes;
	for (int i = 0; i < t->e->n_access; i++) {
		runs_open(&runs, &t->e->access[i]);
		while (runs_next(&runs, &addr, &bytes)) {
			struct shadow *sh = check_shadow(t->k, t->kc, t->e->access[i].space, addr);
			if (!sh || !sh->init)
				return false;
		}
	}
	return true;
}

/* A move, on definedness. Padding values are 0: defined. */
static void move(struct taint *t)
{
	struct core_mem mem = t->c->mem;
	struct op op = *t->op;
	struct fail f = { 0 };
	struct runs runs;
	uint64_t addr, bytes;
	for (int sp = 0; sp < SPACE_COUNT; sp++)
		mem.buf[sp] = t->kc->space[sp].init;
	mem.gm = &t->k->gm_init;
	op.spr.padding = op.spr.mov_pad_val = op.spr.l0_value = 0;
	if (!has_definedness(t) || !unit_value(t->k->sim->chip, &mem, &op, t->e, &f)) {
		all(t);
		return;
	}
	for (int i = 0; i < t->e->n_access; i++) {
		const struct access *a = &t->e->access[i];
		if (!a->write)
			continue;
		runs_open(&runs, a);
		while (runs_next(&runs, &addr, &bytes)) {
			struct shadow *sh = check_shadow(t->k, t->kc, a->space, addr);
			if (!sh || !sh->init)
				continue;
			uint8_t *p = sh->init + (addr - sh->base);
			for (uint64_t j = init_first(p, bytes); j < bytes; j++)
				if (p[j] != INIT_DEFINED)
					put(t, sh, addr + j, 1, true);
			for (uint64_t j = (addr - sh->base) >> NOTE_SHIFT;
			     j <= (addr - sh->base + bytes - 1) >> NOTE_SHIFT; j++)
				sh->writer[j] = check_site(t->c, t->op->pc) + 1;
		}
	}
}

/* Element by element in the order of both accesses; es, ed: bytes of an element. */
static void linear(struct taint *t, const struct access *from, const struct access *to, uint64_t es, uint64_t ed)
{
	struct runs rf, rt;
	uint64_t fa = 0, fn = 0, ta = 0, tn = 0;
	struct shadow *sf = &t->kc->space[from->space], *st = &t->kc->space[to->space];
	runs_open(&rf, from);
	runs_open(&rt, to);
	for (;;) {
		if (fn < es && !runs_next(&rf, &fa, &fn))
			return;
		if (tn < ed && !runs_next(&rt, &ta, &tn))
			return;
		put(t, st, ta, ed, undefined_at(sf, fa, es));
		fa += es;
		fn -= es;
		ta += ed;
		tn -= ed;
	}
}

/* ---- vector, lane by lane ---- */

static uint32_t per_unit(const struct access *a) { return a->unit_bytes / a->elem_bytes; }
static uint32_t lanes_of(const struct access *a) { return a->elem_bytes ? per_unit(a) * a->n[0] : 0; }

static uint64_t lane_addr(const struct access *a, uint32_t repeat, uint32_t lane)
{
	uint32_t per = per_unit(a);
	return a->addr + (uint64_t)((int64_t)(lane / per) * a->stride[0] + (int64_t)repeat * a->stride[1]) +
	       (uint64_t)(lane % per) * a->elem_bytes;
}

static bool lane_on(const struct access *a, uint32_t repeat, uint32_t lane)
{
	if (a->tail_lanes && repeat == a->n[1] - 1 && lane >= a->tail_lanes)
		return false;
	return !a->masked || (lane < 128 && (a->mask[lane >> 6] >> (lane & 63) & 1));
}

/* Is lane `lane` of a source undefined? Sources of one bit per lane have fewer, 1-byte elements. */
static bool source_undefined(const struct taint *t, const struct access *a, uint32_t lanes, uint32_t repeat,
			     uint32_t lane)
{
	uint32_t own = lanes_of(a);
	if (!own)
		return false;
	return undefined_at(&t->kc->space[SPACE_UB], lane_addr(a, repeat, own == lanes ? lane : lane * own / lanes),
			    a->elem_bytes);
}

static bool any_source(const struct taint *t, uint32_t lanes, uint32_t repeat, uint32_t lane)
{
	for (int i = 0; i < t->e->n_access; i++)
		if (!t->e->access[i].write && source_undefined(t, &t->e->access[i], lanes, repeat, lane))
			return true;
	return false;
}

static void lanewise(struct taint *t)
{
	const struct access *d = written(t->e);
	struct shadow *ub = &t->kc->space[SPACE_UB];
	bool mask = isa_table[t->op->insn].form == FORM_VSEL && t->kc->cmpmask_carried;
	if (!d || !lanes_of(d)) {
		all(t);
		return;
	}
	for (uint32_t r = 0; r < d->n[1]; r++)
		for (uint32_t l = 0; l < lanes_of(d); l++)
			if (lane_on(d, r, l))
				put(t, ub, lane_addr(d, r, l), d->elem_bytes, mask || any_source(t, lanes_of(d), r, l));
}

/* Groups of lanes to one result each. */
static void reduce(struct taint *t, uint32_t results)
{
	const struct access *s = &t->e->access[0], *d = written(t->e);
	struct shadow *ub = &t->kc->space[SPACE_UB];
	uint32_t lanes = lanes_of(s);
	if (!d || s->write || !lanes || !results || lanes % results) {
		all(t);
		return;
	}
	uint32_t per = lanes / results, bytes = d->unit_bytes / results;
	for (uint32_t r = 0; r < s->n[1]; r++)
		for (uint32_t j = 0; j < results; j++) {
			bool on = false, bad = false;
			for (uint32_t l = j * per; l < (j + 1) * per; l++)
				if (lane_on(s, r, l)) {
					on = true;
					bad |= undefined_at(ub, lane_addr(s, r, l), s->elem_bytes);
				}
			if (on)
				put(t, ub, d->addr + (uint64_t)((int64_t)r * d->stride[1]) + j * bytes, bytes, bad);
		}
}

static void pack_bits(struct taint *t)
{
	const struct access *d = written(t->e), *s = &t->e->access[0];
	struct shadow *ub = &t->kc->space[SPACE_UB];
	uint32_t lanes = lanes_of(s);
	if (!d || !lanes) {
		all(t);
		return;
	}
	for (uint32_t r = 0; r < d->n[1]; r++)
		for (uint32_t j = 0; j < d->unit_bytes; j++) {
			bool bad = false;
			for (uint32_t l = 8 * j; l < 8 * j + 8 && l < lanes; l++)
				if (lane_on(s, r, l))
					bad |= any_source(t, lanes, r, l);
			put(t, ub, d->addr + (uint64_t)((int64_t)r * d->stride[1]) + j, 1, bad);
		}
}

/* Offsets are values: they are looked up in UB as it is, before the op runs. */
static void gather(struct taint *t)
{
	const struct access *o = &t->e->access[0], *d = written(t->e);
	struct shadow *ub = &t->kc->space[SPACE_UB];
	bool blocks = isa_table[t->op->insn].form == FORM_VGATHERB;
	uint32_t n = blocks ? 8 : d ? lanes_of(d) : 0;
	if (!d || !n)
		return;
	for (uint32_t r = 0; r < d->n[1]; r++)
		for (uint32_t l = 0; l < n; l++) {
			uint32_t offset;
			uint64_t at = o->addr + (uint64_t)((int64_t)r * o->stride[1]) + l * 4,
				 bytes = blocks ? 32 : d->elem_bytes;
			if ((!blocks && !lane_on(d, r, l)) || at + 4 > ub->bytes)
				continue;
			memcpy(&offset, t->c->mem.buf[SPACE_UB] + at, 4);
			bool bad = undefined_at(ub, at, 4) || undefined_at(ub, t->op->x[2] + offset, bytes);
			put(t, ub,
			    blocks ? d->addr + (uint64_t)((int64_t)r * d->stride[1] + (int64_t)l * d->stride[0])
				   : lane_addr(d, r, l),
			    bytes, bad);
		}
}

/* ---- cube ---- */

struct mad {
	uint32_t m, n, k, kb /* of B as it is stored */, m1, n1, k1, k0, a_bits, c_bytes;
	bool zero, bias, gemv;
	uint64_t a, b, c, bt;
};

static struct mad mad_of(const struct op *op)
{
	uint64_t w = op->x[3];
	bool s4 = op->insn == INSN_mad_s4;
	struct mad j = { .m = (uint32_t)mad_m(w),
			 .n = (uint32_t)mad_n(w),
			 .k = (uint32_t)mad_k(w),
			 .zero = mad_init_val(w),
			 .bias = mad_c_source(w),
			 .a = op->x[1],
			 .b = op->x[2],
			 .c = op->x[0] & UINT32_MAX,
			 .bt = op->x[0] >> 32 };
	j.a_bits = s4 ? 4 : isa_type_bits(isa_operand_type(op->insn, op->variant, 1));
	j.c_bytes = s4 ? 4 : isa_type_bits(isa_operand_type(op->insn, op->variant, 0)) / 8;
	j.k0 = 256 / j.a_bits;
	j.m1 = (j.m + 15) / 16;
	j.n1 = (j.n + 15) / 16;
	j.k1 = (j.k + j.k0 - 1) / j.k0;
	if (j.a_bits == 32 && mad_k_align(w))
		j.k1 = (j.k1 + 1) & ~1u;
	j.gemv = j.m == 1;
	j.kb = op->insn == INSN_mad_sp ? (j.k + 1) / 2 : j.k;
	return j;
}

/* Is a line of k elements undefined? They stand in pieces of 32 bytes, one per fractal. */
static bool line_undefined(const struct shadow *sh, uint64_t first, uint64_t step, const struct mad *j, uint32_t length)
{
	for (uint32_t k = 0; k < length; k += j->k0) {
		uint32_t n = length - k < j->k0 ? length - k : j->k0;
		if (undefined_at(sh, first + k / j->k0 * step, (n * j->a_bits + 7) / 8))
			return true;
	}
	return false;
}

static void mad_rows(struct taint *t, const struct mad *j, const uint8_t *bad_row, const uint8_t *bad_col)
{
	struct shadow *l0c = &t->kc->space[SPACE_L0C], *bt = &t->kc->space[SPACE_BT];
	for (uint32_t s = 0; s < j->n1; s++)
		for (uint32_t r = 0; r < j->m; r++) {
			uint64_t at = j->c + ((uint64_t)s * j->m1 * 16 + r) * 16 * j->c_bytes;
			for (uint32_t i = 0; i < 16 && s * 16 + i < j->n; i++) {
				bool bad = bad_row[r] || bad_col[s * 16 + i];
				if (!j->zero && j->bias)
					bad |= undefined_at(bt, j->bt + (s * 16 + i) * 4, 4);
				else if (!j->zero)
					bad |= undefined_at(l0c, at + i * j->c_bytes, j->c_bytes);
				put(t, l0c, at + i * j->c_bytes, j->c_bytes, bad);
			}
		}
}

/* Results of a mad: row r of A taints row r of C, column n of B column n; what is beyond k does not count. */
static void mad(struct taint *t)
{
	enum { MOST = 4096 };
	static _Thread_local uint8_t bad_row[MOST], bad_col[MOST];
	struct mad j = mad_of(t->op);
	struct shadow *l0a = &t->kc->space[SPACE_L0A], *l0b = &t->kc->space[SPACE_L0B], *l0c = &t->kc->space[SPACE_L0C];
	bool any = false;
	if (j.m > MOST || j.n > MOST)
		return;
	for (uint32_t r = 0; r < j.m; r++) {
		uint64_t first = j.a + (uint64_t)(r / 16) * j.k1 * 512 + r % 16 * 32;
		bad_row[r] = j.gemv ? undefined_at(l0a, j.a, ((uint64_t)j.k * j.a_bits + 7) / 8)
				    : line_undefined(l0a, first, 512, &j, j.k);
		any |= bad_row[r];
	}
	for (uint32_t c = 0; c < j.n; c++) {
		bad_col[c] =
			line_undefined(l0b, j.b + (uint64_t)(c / 16) * 512 + c % 16 * 32, (uint64_t)j.n1 * 512, &j, j.kb);
		any |= bad_col[c];
	}
	if (!j.zero && j.bias)
		any |= undefined_at(&t->kc->space[SPACE_BT], j.bt, (uint64_t)j.n * 4);
	else if (!j.zero && !any)
		for (uint32_t s = 0; s < j.n1 && !any; s++)
			any |= undefined_at(l0c, j.c + (uint64_t)s * j.m1 * 256 * j.c_bytes,
					    (uint64_t)j.m * 16 * j.c_bytes);
	if (any) {
		mad_rows(t, &j, bad_row, bad_col);
		return;
	}
	for (uint32_t s = 0; s < j.n1; s++) {
		uint64_t at = j.c + (uint64_t)s * j.m1 * 256 * j.c_bytes;
		uint32_t cols = j.n - s * 16;
		if (cols >= 16)
			put(t, l0c, at, (uint64_t)j.m * 16 * j.c_bytes, false);
		for (uint32_t r = 0; cols < 16 && r < j.m; r++)
			put(t, l0c, at + (uint64_t)r * 16 * j.c_bytes, (uint64_t)cols * j.c_bytes, false);
	}
}

/* Fixpipe to L1 (stores to GM were reported): element (row, column) to its place. */
static void fix(struct taint *t)
{
	const struct op *op = t->op;
	struct fix_mode mode;
	struct fail f = { 0 };
	uint64_t w = op->x[3], m = op->x[2];
	if (!fix_mode_of(op, &mode, &f) || fixt_nz2nd(w)) {
		all(t);
		return;
	}
	uint32_t elem = isa_type_bits(mode.dst) / 8, group = elem == 1 ? 32 : fixt_channel_split(w) ? 8 : 16;
	int64_t pitch = (int64_t)fixm_dst_stride(m) * MTE_BLOCK, strip = (int64_t)fixt_src_stride(w) * 64;
	for (uint32_t c = 0; c < fixm_n_size(m); c++)
		for (uint32_t r = 0; r < fixm_m_size(m); r++) {
			bool bad = undefined_at(&t->kc->space[SPACE_L0C],
						op->x[1] + (uint64_t)(c / 16 * strip) + r * 64 + c % 16 * 4, 4);
			uint32_t wide =
				fixm_n_size(m) - c / group * group < group ? (uint32_t)fixm_n_size(m) % group : group;
			put(t, &t->kc->space[SPACE_L1],
			    op->x[0] + (uint64_t)(c / group * pitch) + (r * wide + c % group) * elem, elem, bad);
		}
}

void taint_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e, uint32_t origin)
{
	struct taint t = { k, c, &k->core[c->id], op, e, origin };
	uint64_t w = op->x[3];
	switch (isa_table[op->insn].form) {
	case FORM_DMA:
	case FORM_DMAAL:
	case FORM_ND2NZ:
	case FORM_LOAD2D:
	case FORM_LOADTR:
	case FORM_LOAD3D:
	case FORM_LOAD3D1:
	case FORM_VNCHW:
	case FORM_VTRANS: move(&t); return;
	case FORM_VBIN:
	case FORM_VUN:
	case FORM_VUNS:
	case FORM_VDUP:
	case FORM_VCOPY:
	case FORM_VSEL: lanewise(&t); return;
	case FORM_VRED: reduce(&t, 1); return;
	case FORM_VCG: reduce(&t, 8); return;
	case FORM_VCPADD: reduce(&t, lanes_of(&e->access[0]) / 2); return;
	case FORM_VCMPV:
	case FORM_VCMPVS: pack_bits(&t); return;
	case FORM_VGATHER:
	case FORM_VGATHERB: gather(&t); return;
	case FORM_VBRCB: {
		uint64_t bytes = e->access[0].unit_bytes / 8;
		struct shadow *ub = &t.kc->space[SPACE_UB];
		for (uint32_t r = 0; r < e->access[1].n[1]; r++)
			for (uint32_t i = 0; i < 8; i++)
				put(&t, ub,
				    e->access[1].addr +
					    (uint64_t)(i * e->access[1].stride[0] + r * e->access[1].stride[1]),
				    32, undefined_at(ub, e->access[0].addr + (8 * r + i) * bytes, bytes));
		return;
	}
	case FORM_MAD: mad(&t); return;
	case FORM_FIX: fix(&t); return;
	case FORM_CCUB: {
		uint64_t n = (uint64_t)e->access[0].unit_bytes * e->access[0].n[0],
			 d = (uint64_t)e->access[1].unit_bytes * e->access[1].n[0];
		/* 256 elements to a fractal: the elements' sizes follow from the totals */
		uint64_t fractals = ccub_n_burst(w) * ccub_len_burst(w);
		linear(&t, &e->access[0], &e->access[1], n / fractals / 256, d / fractals / 256);
		return;
	}
	default: all(&t); return;
	}
}
