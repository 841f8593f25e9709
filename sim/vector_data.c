/*
 * vector_data.c - elements of the vector unit: raw bits to numbers and back, repeats gathered from and spread over
 * strided blocks.
 */
#include "vector.h"

#include <string.h>

bool vec_is_float(enum isa_type t)
{
	return t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32;
}

bool vec_is_signed(enum isa_type t)
{
	return t == TYPE_S4 || t == TYPE_S8 || t == TYPE_S16 || t == TYPE_S32 || t == TYPE_S64;
}

uint64_t vec_element(const uint8_t *p, unsigned bits)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < bits / 8; i++)
		x |= (uint64_t)p[i] << (8 * i);
	return x;
}

void vec_put(uint8_t *p, unsigned bits, uint64_t value)
{
	for (unsigned i = 0; i < bits / 8; i++)
		p[i] = (uint8_t)(value >> (8 * i));
}

int64_t vec_int_of(enum isa_type t, uint64_t bits)
{
	unsigned width = isa_type_bits(t);

	if (width == 0 || width >= 64)
		return (int64_t)bits;
	bits &= (UINT64_C(1) << width) - 1;
	if (vec_is_signed(t) && (bits >> (width - 1)))
		bits |= UINT64_MAX << width;
	return (int64_t)bits;
}

float vec_float_of(enum isa_type t, uint64_t bits)
{
	switch (t) {
	case TYPE_F16: return num_from_f16((uint16_t)bits);
	case TYPE_BF16: return num_from_bf16((uint16_t)bits);
	case TYPE_F32: return num_float((uint32_t)bits);
	default: return 0;
	}
}

void vec_to_float(enum isa_type t, const void *raw, float *x, uint32_t n)
{
	if (t == TYPE_F32)
		memcpy(x, raw, n * sizeof(float));
	else if (t == TYPE_F16)
		num_f16_to_f32_n(raw, x, n);
	else if (t == TYPE_BF16)
		num_bf16_to_f32_n(raw, x, n);
	else
		memset(x, 0, n * sizeof(float));
}

#define WIDEN(c_type)                                                                                                  \
	for (uint32_t i = 0; i < n; i++) {                                                                             \
		c_type e;                                                                                              \
		memcpy(&e, (const uint8_t *)raw + i * sizeof(e), sizeof(e));                                           \
		x[i] = (int64_t)e;                                                                                     \
	}                                                                                                              \
	break

void vec_to_int(enum isa_type t, const void *raw, int64_t *x, uint32_t n)
{
	switch (t) {
	case TYPE_S4:
		for (uint32_t i = 0; i < n; i++)
			x[i] = vec_int_of(TYPE_S4, ((const uint8_t *)raw)[i / 2] >> (i & 1 ? 4 : 0));
		break;
	case TYPE_S8: WIDEN(int8_t);
	case TYPE_U8: case TYPE_B8: WIDEN(uint8_t);
	case TYPE_S16: WIDEN(int16_t);
	case TYPE_S32: WIDEN(int32_t);
	case TYPE_U32: case TYPE_B32: WIDEN(uint32_t);
	case TYPE_S64: case TYPE_U64: WIDEN(int64_t);
	default: WIDEN(uint16_t);
	}
}

#define NARROW(c_type)                                                                                                 \
	for (uint32_t i = 0; i < n; i++) {                                                                             \
		c_type e = (c_type)x[i];                                                                               \
		memcpy((uint8_t *)raw + i * sizeof(e), &e, sizeof(e));                                                 \
	}                                                                                                              \
	break

void vec_from_int(enum isa_type t, const int64_t *x, void *raw, uint32_t n)
{
	switch (isa_type_bits(t)) {
	case 8: NARROW(uint8_t);
	case 16: NARROW(uint16_t);
	case 32: NARROW(uint32_t);
	default: NARROW(uint64_t);
	}
}

void vec_load(const uint8_t *ub, const struct vec *v, int operand, uint32_t repeat, void *raw)
{
	const struct vec_operand *o = &v->o[operand];
	const struct vec_on *on = vec_on(v, repeat);
	uint8_t *out = raw;

	if (on->full && o->blk == 32) {
		const uint8_t *p = ub + vec_block_addr(o, repeat, 0);
		if (o->blocks == 8)
			memcpy(out, p, 256);
		else if (o->blocks == 4)
			memcpy(out, p, 128);
		else
			memcpy(out, p, 64);
		return;
	}
	for (uint32_t b = 0; b < o->blocks; b++) {
		if (on->block[operand] >> b & 1)
			memcpy(out + b * 32, ub + vec_block_addr(o, repeat, b), 32);
		else
			memset(out + b * 32, 0, 32);
	}
}

/* Lanes one by one, since the mask has holes. */
static void store_masked(uint8_t *ub, const struct vec *v, uint32_t repeat, const uint8_t *raw)
{
	const struct vec_operand *o = &v->o[VEC_DST];
	const struct vec_on *on = vec_on(v, repeat);

	for (uint32_t lane = 0; lane < v->lanes; lane++) {
		if (!vec_lane(on, lane))
			continue;
		if (o->bits == 4) {
			uint8_t *p = ub + vec_block_addr(o, repeat, lane / 64) + lane % 64 / 2;
			uint8_t half = lane & 1 ? 0xf0 : 0x0f;
			*p = (uint8_t)((*p & ~half) | (raw[lane / 2] & half));
		} else {
			unsigned bytes = o->bits / 8;
			memcpy(ub + vec_lane_addr(o, repeat, lane), raw + lane * bytes, bytes);
		}
	}
}

void vec_store(uint8_t *ub, const struct vec *v, uint32_t repeat, const void *raw)
{
	const struct vec_operand *o = &v->o[VEC_DST];

	if (!vec_on(v, repeat)->full) {
		store_masked(ub, v, repeat, raw);
		return;
	}
	if (o->blk == 32 && o->blocks == 8) {
		memcpy(ub + vec_block_addr(o, repeat, 0), raw, 256);
		return;
	}
	if (o->blk == 32 && o->blocks == 4) {
		memcpy(ub + vec_block_addr(o, repeat, 0), raw, 128);
		return;
	}
	for (uint32_t b = 0; b < o->blocks; b++)
		memcpy(ub + vec_block_addr(o, repeat, b), (const uint8_t *)raw + b * 32, 32);
}
