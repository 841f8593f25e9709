/*
 * vector_deq.c - s16 to 8 bits with a scale (vconv_deqs162b8 and kin, vaddreluconv_vdeqs162b8), and s32 sums to fp16 with a
 * scale (vadddeqrelu). Public pages (CastDequant, SetDeqScale): 16 results of a source block go to one half of a
 * destination block; parameters are those of the fixpipe, 64 bits: scale [31:0] fp32, offset [45:37], [46] signed result,
 * in the register deqscale or, for the v forms, 16 of them in UB at deqscale * 32, one per lane of a block.
 *   result = sat8(sat9(rint(src * scale)) + offset), the product rounded to fp32; the order of steps is a choice.
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

enum { LANES = 128, HALF = 16 };

static bool per_channel(const struct op *op)
{
	return op->insn != INSN_vconv_deqs162b8h && op->insn != INSN_vconv_deqs162b8l && op->insn != INSN_vconv_deqs162b8;
}

static bool high_half(const struct vec *v, const struct op *op)
{
	switch (op->insn) {
	case INSN_vconv_deqs162b8h:
	case INSN_vconv_vdeqs162b8h: return true;
	case INSN_vconv_deqs162b8:
	case INSN_vconv_vdeqs162b8: return !(op->x[2] & 1); /* the public halfBlock: true is the low half */
	default: return v->form == FORM_VBIN && v->order;
	}
}

static uint64_t table_addr(const struct op *op) { return (op->spr.deqscale & 0xffffff) * 32; }

static uint64_t dst_addr(const struct vec *v, const struct op *op, uint32_t repeat, uint32_t block)
{
	return vec_block_addr(&v->o[VEC_DST], repeat, block) + (high_half(v, op) ? HALF : 0);
}

static bool sign_matches(const struct vec *v, const struct op *op, uint64_t q, struct fail *f)
{
	bool is_signed = q >> 46 & 1;

	if (is_signed == vec_is_signed(v->o[VEC_DST].type))
		return true;
	op_fail(f, FAIL_KERNEL, op, "the parameter 0x%" PRIx64 " is for %s results (bit 46)", q, is_signed ? "s8" : "u8");
	return fail_hint(f, "set_deqscale with the sign mode of the destination's type");
}

static bool apart(const struct vec *v, const struct op *op, int src, struct fail *f)
{
	const struct vec_operand *d = &v->o[VEC_DST], *s = &v->o[src];
	uint64_t n = v->repeats - 1, d_end = d->addr + n * (uint64_t)d->rep + 7 * (uint64_t)d->blk + 32;
	uint64_t s_end = s->addr + n * (uint64_t)s->rep + 7 * (uint64_t)s->blk + 32;

	if (d_end <= s->addr || s_end <= d->addr)
		return true;
	return op_fail(f, FAIL_KERNEL, op, "dst (0x%" PRIx64 ") and src%d (0x%" PRIx64 ") overlap", d->addr, src - 1, s->addr);
}

bool vec_deq_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	const struct vec_operand *d = &v->o[VEC_DST];

	if (!v->repeats)
		return true;
	if (!vec_align(op, "dst", d->addr, 32, f))
		return false;
	if (d->blk == 0)
		return op_fail(f, FAIL_KERNEL, op, "destination block stride 0 writes several blocks to one place");
	for (int k = VEC_SRC0; k < VEC_SRC0 + v->n_src; k++) {
		if (!vec_align(op, "src", v->o[k].addr, 32, f) || !apart(v, op, k, f))
			return false;
		vec_access(v, k, false, e);
	}
	if (per_channel(op))
		effect_add(e, SPACE_UB, false, table_addr(op), 128, 1, 0, 1, 0, 1, 0);
	else if (!sign_matches(v, op, op->spr.deqscale, f))
		return false;
	struct access *a = effect_add(e, SPACE_UB, true, dst_addr(v, op, 0, 0), HALF, 8, d->blk, v->repeats, d->rep, 1, 0);
	a->elem_bytes = 1;
	a->tail_lanes = v->tail;
	a->masked = !v->on[0].full;
	a->mask[0] = v->on[0].lane[0];
	a->mask[1] = v->on[0].lane[1];
	return true;
}

static uint8_t quantise(uint64_t q, int64_t x, bool is_signed)
{
	int64_t r = num_to_int((float)x * num_float((uint32_t)q), NUM_RINT, 9, true, false);
	int64_t offset = (int64_t)(q >> 37 & 511);

	return (uint8_t)num_saturate(r + (offset < 256 ? offset : offset - 512), 8, is_signed);
}

bool vec_deq_value(const struct vec *v, const struct op *op, uint8_t *ub, struct fail *f)
{
	bool is_signed = vec_is_signed(v->o[VEC_DST].type), channels = per_channel(op);
	uint64_t table[HALF];

	for (int i = 0; i < HALF; i++) {
		table[i] = op->spr.deqscale;
		if (channels)
			memcpy(&table[i], ub + table_addr(op) + 8 * i, 8);
		if (!sign_matches(v, op, table[i], f))
			return false;
	}
	for (uint32_t r = 0; r < v->repeats; r++)
		for (uint32_t i = 0; i < LANES; i++) {
			if (!vec_lane(vec_on(v, r), i))
				continue;
			int64_t x = vec_int_of(TYPE_S16, vec_element(ub + vec_lane_addr(&v->o[VEC_SRC0], r, i), 16));
			if (v->n_src == 2) {
				x += vec_int_of(TYPE_S16, vec_element(ub + vec_lane_addr(&v->o[VEC_SRC1], r, i), 16));
				x = x < 0 ? 0 : x;
			}
			ub[dst_addr(v, op, r, i / HALF) + i % HALF] = quantise(table[i % HALF], x, is_signed);
		}
	return true;
}
