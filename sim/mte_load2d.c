/*
 * mte_load2d.c - loads of 512-byte fractals: load_cbuf_to_ca/cb, load_gm_to_ca/cb/cbuf and their s4 forms, and the forms
 * that transpose whole squares (16 x 16 of 2-byte elements, 32 x 32 bytes, 16 x 16 of 4, 64 x 64 nibbles).
 * Facts: hardware.md 3.5.
 */
#include "mte.h"

#include <inttypes.h>
#include <string.h>

struct load_route { enum isa_space dst, src; };

static struct load_route load2d_route(unsigned insn)
{
	switch (insn) {
	case INSN_load_cbuf_to_ca:
	case INSN_load_cbuf_to_ca_s4: return (struct load_route){ SPACE_L0A, SPACE_L1 };
	case INSN_load_cbuf_to_cb:
	case INSN_load_cbuf_to_cb_s4: return (struct load_route){ SPACE_L0B, SPACE_L1 };
	case INSN_load_gm_to_ca:
	case INSN_load_gm_to_ca_s4: return (struct load_route){ SPACE_L0A, SPACE_GM };
	case INSN_load_gm_to_cb:
	case INSN_load_gm_to_cb_s4: return (struct load_route){ SPACE_L0B, SPACE_GM };
	case INSN_load_gm_to_cbuf: return (struct load_route){ SPACE_L1, SPACE_GM };
	default: return (struct load_route){ SPACE_NONE, SPACE_NONE };
	}
}

static unsigned load_elem_bits(const struct op *op)
{
	switch (op->insn) {
	case INSN_load_cbuf_to_ca_s4:
	case INSN_load_cbuf_to_cb_s4:
	case INSN_load_gm_to_ca_s4:
	case INSN_load_gm_to_cb_s4:
	case INSN_load_cbuf_to_cb_transpose_s4: return 4;
	default: return isa_type_bits(isa_operand_type(op->insn, op->variant, 0));
	}
}

bool mte_load2d_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = load2d_repeat(w);
	int64_t src_pitch = (int64_t)(load2d_src_stride(w) * MTE_FRACTAL) * (load2d_addr_mode(w) ? -1 : 1);
	int64_t dst_pitch = (int64_t)((load2d_dst_gap(w) + 1) * MTE_FRACTAL);
	uint64_t src = op->x[1] + load2d_base_idx(w) * MTE_FRACTAL;
	struct load_route r = load2d_route(op->insn);

	(void)chip;
	if (r.dst == SPACE_NONE)
		return op_fail(f, FAIL_MODEL, op, "this fractal load is not modelled");
	if (!mte_reserved(op, "load", w, ~(UINT64_C(3) << 60), f))
		return false;
	if (load2d_transpose(w) && (load_elem_bits(op) != 16 || r.src == SPACE_GM)) {
		op_fail(f, FAIL_KERNEL, op, "transposes 2-byte elements from L1 only");
		return fail_hint(f, "other widths: load_cbuf_to_ca_transpose, load_cbuf_to_cb_transpose");
	}
	if (!mte_aligned(op, "destination", r.dst, op->x[0], r.dst == SPACE_L1 ? MTE_BLOCK : MTE_FRACTAL, f) ||
	    !mte_aligned(op, "source", r.src, op->x[1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0;
	if (e->nop)
		return true;
	effect_add(e, r.src, false, src, MTE_FRACTAL, (uint32_t)n, src_pitch, 1, 0, 1, 0);
	effect_add(e, r.dst, true, op->x[0], MTE_FRACTAL, (uint32_t)n, dst_pitch, 1, 0, 1, 0);
	e->repeats = (uint32_t)n;
	e->bytes = n * MTE_FRACTAL;
	e->elem_bytes = load_elem_bits(op) < 8 ? 1 : load_elem_bits(op) / 8;
	if (r.src == SPACE_GM)
		mte_gm_transfer(e, false, src, n, MTE_FRACTAL, src_pitch);
	return true;
}

static void transpose16(uint16_t *restrict to, const uint16_t *restrict from)
{
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			to[i * 16 + j] = from[j * 16 + i];
}

bool mte_load2d_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	struct mte_window w = mte_window_open(mem, s);
	uint16_t in[256], out[256];

	for (uint32_t i = 0; i < s->n[0]; i++) {
		const uint8_t *from = mte_at(mem, &w, s, s->addr + (uint64_t)(i * s->stride[0]), MTE_FRACTAL);
		uint8_t *to = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[0]));
		if (!from)
			return op_fail(f, FAIL_INTERNAL, op, "GM bytes that were checked are gone");
		if (!load2d_transpose(op->x[3])) {
			memcpy(to, from, MTE_FRACTAL);
			continue;
		}
		memcpy(in, from, MTE_FRACTAL);
		transpose16(out, in);
		memcpy(to, out, MTE_FRACTAL);
	}
	return true;
}

/* load_cbuf_to_cb_sp: fractals of stored weights follow each other, their indices likewise, 128 bytes each. */
bool mte_loadsp_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = load2d_repeat(w), weights = op->x[1] & UINT32_MAX, index = op->x[1] >> 32;

	(void)chip;
	if (!mte_reserved(op, "load", w, UINT64_C(0xffffff), f) ||
	    !mte_aligned(op, "destination", SPACE_L0B, op->x[0], MTE_FRACTAL, f) ||
	    !mte_aligned(op, "source", SPACE_L1, weights, MTE_BLOCK, f) ||
	    !mte_aligned(op, "index", SPACE_L1, index, MTE_BLOCK, f))
		return false;
	e->nop = n == 0;
	if (e->nop)
		return true;
	uint32_t bytes = (uint32_t)n * MTE_FRACTAL;
	effect_add(e, SPACE_L1, false, weights + load2d_base_idx(w) * MTE_FRACTAL, bytes, 1, 0, 1, 0, 1, 0);
	effect_add(e, SPACE_L1, false, index + load2d_base_idx(w) * (MTE_FRACTAL / 4), bytes / 4, 1, 0, 1, 0, 1, 0);
	effect_add(e, SPACE_L0B, true, op->x[0], bytes, 1, 0, 1, 0, 1, 0);
	e->repeats = (uint32_t)n;
	e->bytes = bytes + bytes / 4;
	e->elem_bytes = 1;
	return true;
}

bool mte_loadsp_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *weights = &e->access[0], *index = &e->access[1];

	(void)f;
	memcpy(mte_local(mem, SPACE_L0B, op->x[0]), mte_local(mem, SPACE_L1, weights->addr), weights->unit_bytes);
	memcpy(mem->index0b + op->x[0] / 4, mte_local(mem, SPACE_L1, index->addr), index->unit_bytes);
	return true;
}

/* A square of `side` rows: `fractals` fractals of 16 rows x 32 bytes. In the source they stand one below the other for 1-byte
 * and 4-bit elements, side by side for 4-byte ones; in the destination likewise. */
struct square { unsigned bits, side, fractals; };

static bool square_of(const struct op *op, struct square *q)
{
	q->bits = load_elem_bits(op);
	switch (q->bits) {
	case 4: q->side = 64; q->fractals = 4; return true;
	case 8: q->side = 32; q->fractals = 2; return true;
	case 16: q->side = 16; q->fractals = 1; return true;
	case 32: q->side = 16; q->fractals = 2; return true;
	default: return false;
	}
}

static enum isa_space loadtr_space(unsigned insn)
{
	switch (insn) {
	case INSN_load_cbuf_to_ca_transpose: return SPACE_L0A;
	case INSN_load_cbuf_to_cb_transpose:
	case INSN_load_cbuf_to_cb_transpose_s4: return SPACE_L0B;
	default: return SPACE_NONE;
	}
}

bool mte_loadtr_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], gaps = op->x[2], n = loadtr_repeat(w);
	enum isa_space space = loadtr_space(op->insn);
	struct square q;

	(void)chip;
	if (space == SPACE_NONE || !square_of(op, &q))
		return op_fail(f, FAIL_MODEL, op, "this transposing load is not modelled");
	if (!mte_reserved(op, "load", w, UINT64_C(0x8ffff0ffffffffff), f) ||
	    !mte_reserved(op, "fractal gap", gaps, UINT64_C(0xffffffff), f) ||
	    !mte_aligned(op, "destination", space, op->x[0], MTE_FRACTAL, f) ||
	    !mte_aligned(op, "source", SPACE_L1, op->x[1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0;
	if (e->nop)
		return true;
	/* strides count squares; the gap of the destination runs from first fractal to first fractal */
	int64_t square_bytes = (int64_t)q.fractals * MTE_FRACTAL;
	int64_t step = (int64_t)loadtr_src_stride(w) * square_bytes * (loadtr_addr_mode(w) ? -1 : 1);
	effect_add(e, SPACE_L1, false, op->x[1] + loadtr_base_idx(w) * (uint64_t)square_bytes, MTE_FRACTAL, q.fractals,
		   (int64_t)((loadtrgap_src_frac_gap(gaps) + 1) * MTE_FRACTAL), (uint32_t)n, step, 1, 0);
	effect_add(e, space, true, op->x[0], MTE_FRACTAL, q.fractals,
		   (int64_t)((loadtrgap_dst_frac_gap(gaps) + 1) * MTE_FRACTAL), (uint32_t)n,
		   (int64_t)((loadtr_dst_gap(w) + 1) * MTE_FRACTAL), 1, 0);
	e->repeats = (uint32_t)(n * q.fractals);
	e->bytes = n * (uint64_t)square_bytes;
	e->elem_bytes = q.bits < 8 ? 1 : q.bits / 8;
	return true;
}

/* Place of element (r, c) of a square: fractal, and element within it. */
static unsigned square_fractal(const struct square *q, unsigned r,
	unsigned c) { return q->bits == 32 ? c / 8 : r / 16; }
static unsigned square_elem(const struct square *q, unsigned r, unsigned c)
{
	unsigned c0 = 256 / q->bits;

	return r % 16 * c0 + c % c0;
}

static void square_move(const struct square *q, uint8_t *to[4], uint8_t *const from[4], unsigned r, unsigned c)
{
	unsigned d = square_elem(q, r, c), s = square_elem(q, c, r);
	uint8_t *out = to[square_fractal(q, r, c)];
	const uint8_t *in = from[square_fractal(q, c, r)];

	if (q->bits == 4) {
		unsigned v = in[s / 2] >> (s % 2 * 4) & 15;
		out[d / 2] = (uint8_t)((out[d / 2] & (0xf0 >> (d % 2 * 4))) | v << (d % 2 * 4));
		return;
	}
	memcpy(out + d * (q->bits / 8), in + s * (q->bits / 8), q->bits / 8);
}

bool mte_loadtr_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	struct square q;
	uint8_t *to[4], *from[4];

	if (!square_of(op, &q))
		return op_fail(f, FAIL_INTERNAL, op, "not a transposing load");
	for (uint32_t i = 0; i < s->n[1]; i++) {
		for (unsigned k = 0; k < q.fractals; k++) {
			from[k] = mte_local(mem, s->space, s->addr + (uint64_t)(i * s->stride[1] + k * s->stride[0]));
			to[k] = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[1] + k * d->stride[0]));
		}
		for (unsigned r = 0; r < q.side; r++)
			for (unsigned c = 0; c < q.side; c++)
				square_move(&q, to, from, r, c);
	}
	return true;
}
