/*
 * vector_conv.c - conversions between element types. Rounding comes with the row (hardware.md 3.3); CTRL[48] chooses
 * saturation or inf and NaN for floats, CTRL[59] truncation instead of saturation for integers.
 */
#include "vector.h"

#include <string.h>

static uint64_t from_float(const struct vec *v, float x)
{
	enum isa_type t = v->o[VEC_DST].type;

	switch (t) {
	case TYPE_F32: return num_bits(v->o[VEC_SRC0].type == TYPE_F32 ? num_round_integral(x, v->round) : x);
	case TYPE_F16: return num_to_f16(x, v->round, v->keep);
	case TYPE_BF16: return num_to_bf16(x, v->round, v->keep);
	default: return (uint64_t)num_to_int(x, v->round, (int)isa_type_bits(t), vec_is_signed(t), v->truncate);
	}
}

static uint64_t from_int(const struct vec *v, int64_t x)
{
	enum isa_type t = v->o[VEC_DST].type;

	switch (t) {
	case TYPE_F32: return num_bits(num_int_to_float(x, v->round));
	case TYPE_F16: return num_int_to_f16(x, v->round, v->keep);
	case TYPE_BF16: return num_to_bf16(num_int_to_float(x, v->round), v->round, v->keep);
	default:
		return (uint64_t)(v->truncate ? x : num_saturate(x, (int)isa_type_bits(t), vec_is_signed(t)));
	}
}

/* f16(src * deqscale), one rounding: the product of 32 and 11 bits is exact in binary64. The scale is the fp16 in the
 * low half of the deqscale register. */
uint64_t vec_dequantise(const struct vec *v, const struct op *op, int64_t x)
{
	uint16_t h = num_f16_from_double((double)x * (double)num_from_f16((uint16_t)op->spr.deqscale));

	if (v->keep || (h & 0x7c00) != 0x7c00)
		return h;
	return h & 0x3ff ? 0 : (uint64_t)((h & 0x8000) | 0x7bff);
}

uint64_t vec_convert(const struct vec *v, const struct op *op, uint64_t a)
{
	enum isa_type t = v->o[VEC_SRC0].type;

	if (v->vop == VOP_DEQ)
		return vec_dequantise(v, op, vec_int_of(t, a));
	if (vec_is_float(t))
		return from_float(v, vec_float_of(t, a));
	return from_int(v, vec_int_of(t, a));
}

static void put_lane(void *dst, unsigned bits, uint32_t lane, uint64_t x)
{
	uint8_t *p = dst;

	if (bits == 4)
		p[lane / 2] = (uint8_t)(lane & 1 ? (p[lane / 2] & 0x0f) | (x & 15) << 4 : x & 15);
	else
		vec_put(p + lane * (bits / 8), bits, x);
}

/* Saturating to 32 bits first changes nothing for the narrower types. */
static void float_to_int(const struct vec *v, const float *x, void *dst)
{
	enum isa_type t = v->o[VEC_DST].type;
	int bits = (int)isa_type_bits(t);
	bool is_signed = vec_is_signed(t);
	int32_t high = (int32_t)((UINT32_C(1) << (bits - is_signed)) - 1), low = is_signed ? -high - 1 : 0;
	int32_t n[128];
	uint8_t *d8 = dst;
	uint16_t d16[128];

	num_f32_to_s32_n(x, n, v->lanes, v->round);
	if (bits == 32) {
		memcpy(dst, n, v->lanes * 4);
		return;
	}
	for (uint32_t i = 0; i < v->lanes; i++) {
		n[i] = n[i] > high ? high : n[i] < low ? low : n[i];
		d16[i] = (uint16_t)n[i];
	}
	if (bits == 16)
		memcpy(dst, d16, v->lanes * 2);
	else
		for (uint32_t i = 0; i < v->lanes; i++)
			d8[i] = (uint8_t)d16[i];
}

void vec_conv_repeat(const struct vec *v, const struct op *op, const void *src, void *dst)
{
	enum isa_type ts = v->o[VEC_SRC0].type, td = v->o[VEC_DST].type;
	unsigned bits = v->o[VEC_DST].bits;
	float x[128];
	int64_t n[128];

	if (!vec_is_float(ts)) {
		vec_to_int(ts, src, n, v->lanes);
		for (uint32_t i = 0; i < v->lanes; i++)
			put_lane(dst, bits, i,
				 v->vop == VOP_DEQ ? vec_dequantise(v, op, n[i]) : from_int(v, n[i]));
		return;
	}
	vec_to_float(ts, src, x, v->lanes);
	if (td == TYPE_F32 && ts != TYPE_F32)
		memcpy(dst, x, v->lanes * 4);
	else if (td == TYPE_F16 && v->round == NUM_RINT)
		num_f32_to_f16_n(x, dst, v->lanes, v->keep);
	else if (!v->truncate && (bits == 8 || td == TYPE_S16 || td == TYPE_S32))
		float_to_int(v, x, dst);
	else
		for (uint32_t i = 0; i < v->lanes; i++)
			put_lane(dst, bits, i, from_float(v, x[i]));
}
