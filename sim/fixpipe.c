/*
 * fixpipe.c - copy_matrix_cc_to_gm, copy_matrix_cc_to_cbuf: a matrix of L0C (strips of 16 columns) goes out as NZ, with
 * channel merge for 1-byte and channel split for fp32 results, or as rows (nz2nd). Facts: hardware.md 3.6, 4.
 */
#include "fixpipe.h"
#include "mte.h"

#include <inttypes.h>
#include <string.h>

enum { N_MAX = 4096, M_MAX_ND = 8192 };

struct fix {
	struct fix_mode mode;
	enum isa_space space;
	bool nd, split;
	uint32_t m, n, elem;         /* rows, columns, bytes of a stored element */
	uint32_t group;              /* NZ: columns that stand together in a row of the destination */
	uint32_t num;                /* matrices */
	uint64_t src, dst;
	int64_t src_strip, src_nd;   /* pitches, bytes */
	int64_t dst_pitch, dst_nd;   /* NZ: group to group; ND: row to row */
};

static enum isa_space fix_space(unsigned insn)
{
	switch (insn) {
	case INSN_copy_matrix_cc_to_gm: return SPACE_GM;
	case INSN_copy_matrix_cc_to_cbuf: return SPACE_L1;
	default: return SPACE_NONE;
	}
}

static bool fix_of(const struct op *op, struct fix *x, struct fail *f)
{
	uint64_t m = op->x[2], t = op->x[3];

	*x = (struct fix){ .space = fix_space(op->insn), .nd = fixt_nz2nd(t), .split = fixt_channel_split(t),
			   .m = (uint32_t)fixm_m_size(m), .n = (uint32_t)fixm_n_size(m), .num = 1, .src = op->x[1],
			   .dst = op->x[0], .src_strip = (int64_t)fixt_src_stride(t) * 64 };
	if (x->space == SPACE_NONE)
		return op_fail(f, FAIL_MODEL, op, "this fixpipe copy is not modelled");
	if (!fix_mode_of(op, &x->mode, f))
		return false;
	x->elem = isa_type_bits(x->mode.dst) / 8;
	x->group = x->elem == 1 ? 32 : x->split ? 8 : 16;
	x->dst_pitch = (int64_t)(fixm_dst_stride(m) * (x->nd ? x->elem : MTE_BLOCK));
	if (x->nd) {
		x->num = (uint32_t)ndpara_nd_num(op->spr.nd_para);
		x->src_nd = (int64_t)ndpara_src_nd_stride(op->spr.nd_para) * 1024;
		x->dst_nd = (int64_t)(ndpara_dst_nd_stride(op->spr.nd_para) * x->elem);
	}
	return true;
}

static bool fix_limits(const struct op *op, const struct fix *x, struct fail *f)
{
	uint64_t t = op->x[3];

	if (!mte_reserved(op, "mode", t, UINT64_C(0xfff0000ffff), f))
		return false;
	if (fixt_unit_flag(t) == 1)
		return op_fail(f, FAIL_KERNEL, op, "unit flag mode 1 is reserved (0 off, 2 leave, 3 clear)");
	if (x->split && x->mode.dst != TYPE_F32)
		return op_fail(f, FAIL_KERNEL, op, "channel split is for f32 results, not %s",
			isa_type_name(x->mode.dst));
	if (x->split && x->nd)
		return op_fail(f, FAIL_KERNEL, op, "channel split and nz2nd exclude each other");
	if (x->nd && x->m > M_MAX_ND)
		return op_fail(f, FAIL_KERNEL, op, "%u rows with nz2nd, but at most %d", x->m, M_MAX_ND);
	if (x->nd && x->num == 0) {
		op_fail(f, FAIL_KERNEL, op, "nz2nd of 0 matrices");
		return fail_hint(f, "set_nd_para(1) before the first nz2nd copy");
	}
	if (!x->nd && x->n % (x->split ? 8 : 16)) {
		op_fail(f, FAIL_KERNEL, op, "%u columns are no multiple of %d", x->n, x->split ? 8 : 16);
		return fail_hint(f, "only nz2nd takes any number of columns");
	}
	if (x->nd && x->m > 1 && x->dst_pitch == 0)
		return op_fail(f, FAIL_KERNEL, op, "the row pitch dst_stride is 0");
	return mte_aligned(op, "source", SPACE_L0C, x->src, 64, f) &&
	       mte_aligned(op, "destination", x->space, x->dst, MTE_BLOCK, f);
}

/* Bytes of a row of the destination's last group: an odd last strip of a channel merge stays 16 wide. */
static uint32_t last_row(const struct fix *x)
{
	uint32_t rest = x->n % x->group;

	return (rest ? rest : x->group) * x->elem;
}

static void add_destination(const struct fix *x, struct effect *e)
{
	uint32_t groups = (uint32_t)mte_ceil_div(x->n, x->group), row = x->group * x->elem, last = last_row(x);

	if (x->nd) {
		effect_add(e, x->space, true, x->dst, x->n * x->elem, x->m, x->dst_pitch, x->num, x->dst_nd, 1, 0);
		if (x->space == SPACE_GM)
			mte_gm_transfer(e, true, x->dst, (uint64_t)x->m * x->num, x->n * x->elem,
					x->m > 1 ? x->dst_pitch : x->dst_nd);
		return;
	}
	uint32_t whole = last == row ? groups : groups - 1;
	effect_add(e, x->space, true, x->dst, x->m * row, whole, x->dst_pitch, 1, 0, 1, 0);
	if (whole < groups)
		effect_add(e, x->space, true, x->dst + (uint64_t)(whole * x->dst_pitch), x->m * last, 1, 0, 1, 0, 1, 0);
	if (x->space == SPACE_GM)
		mte_gm_transfer(e, true, x->dst, groups, whole ? x->m * row : x->m * last, x->dst_pitch);
}

/* Tables in FB: fpc[15:8] counts 128 bytes to the scales, fpc[7:0] 64 bytes to the relu parameters. */
static uint64_t scales_addr(const struct op *op) { return (op->spr.fpc >> 8 & 255) * 128; }
static uint64_t alphas_addr(const struct op *op) { return (op->spr.fpc & 255) * 64; }

bool fix_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
		struct fail *f)
{
	struct mte_atomic a = { 0 };
	struct fix x;

	if (!fix_of(op, &x, f))
		return false;
	e->nop = x.m == 0 || x.n == 0;
	if (e->nop)
		return true;
	if (!fix_limits(op, &x, f))
		return false;
	a = x.space == SPACE_GM ? mte_atomic_of(op) : a;
	if (a.type != TYPE_NONE && a.type != x.mode.dst)
		return op_fail(f, FAIL_KERNEL, op, "atomic on %s, but the result is %s", isa_type_name(a.type),
			       isa_type_name(x.mode.dst));
	if (x.space == SPACE_GM && !mte_atomic_check(chip, op, SPACE_L0C, x.elem, &a, f))
		return false;
	uint32_t whole = x.n / 16, rest = x.n % 16;
	effect_add(e, SPACE_L0C, false, x.src, x.m * 64, whole, x.src_strip, x.num, x.src_nd, 1, 0);
	if (rest) /* the valid columns of the last strip */
		effect_add(e, SPACE_L0C, false, x.src + (uint64_t)(whole * x.src_strip), rest * 4, x.m, 64, x.num,
			x.src_nd, 1, 0);
	add_destination(&x, e);
	if (x.mode.vector)
		effect_add(e, SPACE_FB, false, scales_addr(op), x.n * 8, 1, 0, 1, 0, 1, 0);
	if (x.mode.relu == FIX_LEAKY_VECTOR)
		effect_add(e, SPACE_FB, false, alphas_addr(op), x.n * 4, 1, 0, 1, 0, 1, 0);
	for (unsigned i = 0; i < e->n_access; i++)
		e->access[i].atomic = e->access[i].space == SPACE_GM && a.type != TYPE_NONE;
	e->gm.atomic = a.type != TYPE_NONE;
	e->bytes = (uint64_t)x.m * x.n * x.num * x.elem;
	e->elem_bytes = x.elem;
	return effect_check(mem, op, e, f);
}

/* Columns col .. col + n - 1 of row r of a matrix that starts at L0C address src, gathered from the strips. */
static void gather(const struct core_mem *mem, const struct fix *x, uint64_t src, uint32_t r, uint32_t col, uint32_t n,
		   uint8_t *acc)
{
	for (uint32_t i = 0, part; i < n; i += part) {
		uint32_t c = col + i, room = 16 - c % 16;
		part = n - i < room ? n - i : room;
		uint64_t at = src + (uint64_t)(c / 16 * x->src_strip) + (uint64_t)r * 64 + c % 16 * 4;
		memcpy(acc + 4 * i, mte_local(mem, SPACE_L0C, at), 4 * part);
	}
}

struct fix_out {
	const struct fix *x;
	struct mte_window window;
	struct mte_atomic atomic;
	uint8_t acc[N_MAX * 4], out[N_MAX * 4];
};

static bool put_row(struct core_mem *mem, const struct op *op, struct fix_out *o, uint64_t src, uint32_t r,
	uint32_t col,
		    uint32_t n, uint64_t dst, struct fail *f)
{
	const struct fix *x = o->x;
	uint8_t *to = x->space == SPACE_GM ? mte_window_at(mem, &o->window, dst, (uint64_t)n * x->elem)
					   : mte_local(mem, x->space, dst);

	if (!to)
		return op_fail(f, FAIL_INTERNAL, op, "GM bytes that were checked are gone");
	gather(mem, x, src, r, col, n, o->acc);
	fix_convert(&x->mode, col, o->acc, o->out, n);
	mte_store(&o->atomic, to, o->out, (uint64_t)n * x->elem);
	return true;
}

static bool put_nd(struct core_mem *mem, const struct op *op, struct fix_out *o, struct fail *f)
{
	const struct fix *x = o->x;

	for (int64_t i = 0; i < x->num; i++)
		for (int64_t r = 0; r < x->m; r++)
			if (!put_row(mem, op, o, x->src + (uint64_t)(i * x->src_nd), (uint32_t)r, 0, x->n,
				     x->dst + (uint64_t)(i * x->dst_nd + r * x->dst_pitch), f))
				return false;
	return true;
}

static bool put_nz(struct core_mem *mem, const struct op *op, struct fix_out *o, struct fail *f)
{
	const struct fix *x = o->x;

	for (uint32_t col = 0, g = 0; col < x->n; col += x->group, g++) {
		uint32_t n = x->n - col < x->group ? x->n - col : x->group;
		for (uint32_t r = 0; r < x->m; r++)
			if (!put_row(mem, op, o, x->src, r, col, n,
				     x->dst + (uint64_t)(g * x->dst_pitch) + (uint64_t)r * n * x->elem, f))
				return false;
	}
	return true;
}

bool fix_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	static _Thread_local struct fix_out out;
	struct fix x;

	if (e->nop)
		return true;
	if (!fix_of(op, &x, f))
		return false;
	if (x.mode.vector)
		x.mode.scales = mte_local(mem, SPACE_FB, scales_addr(op));
	if (x.mode.relu == FIX_LEAKY_VECTOR)
		x.mode.alphas = mte_local(mem, SPACE_FB, alphas_addr(op));
	out.x = &x;
	out.window = (struct mte_window){ .write = true };
	out.atomic = (struct mte_atomic){ 0 };
	for (unsigned i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_GM) {
			out.window = mte_window_open(mem, &e->access[i]);
			out.atomic = e->access[i].atomic ? mte_atomic_of(op) : out.atomic;
			break;
		}
	return x.nd ? put_nd(mem, op, &out, f) : put_nz(mem, op, &out, f);
}
