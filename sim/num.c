/*
 * num.c - numbers: conversions between formats with every rounding mode, saturation, integral rounding. Integer code
 * throughout, so that the same bits come out on every host. Bulk forms and elementary functions: num_simd.c, num_fn.c.
 */
#include "num.h"

/* sig / 2^shift, rounded; negative says how floor and ceil lean. shift may be anything >= 0. */
static uint64_t round_shift(uint64_t sig, int shift, enum num_round mode, bool negative)
{
	uint64_t q, rest, half;

	if (shift <= 0)
		return sig << -shift;
	if (shift > 63) { /* far below half a unit, when sig < 2^62; the position does not matter any more */
		q = 0;
		rest = sig ? 1 : 0;
		half = 2;
	} else {
		q = sig >> shift;
		half = UINT64_C(1) << (shift - 1);
		rest = sig & ((half << 1) - 1);
	}
	if (!rest)
		return q;
	switch (mode) {
	case NUM_RINT: return q + (rest > half || (rest == half && (q & 1)));
	case NUM_AWAY: return q + (rest >= half);
	case NUM_FLOOR: return q + negative;
	case NUM_CEIL: return q + !negative;
	case NUM_ODD: return q | 1;
	default: return q;
	}
}

/* Overflow goes to infinity in the directions that IEEE 754 says, else to the largest finite number. */
static bool overflow_to_inf(enum num_round mode, bool negative)
{
	return mode == NUM_RINT || mode == NUM_AWAY || (mode == NUM_FLOOR && negative) ||
	       (mode == NUM_CEIL && !negative);
}

float num_from_f16(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, e = h >> 10 & 0x1f, m = h & 0x3ff;

	if (e == 0x1f)
		return num_float(m ? 0x7fc00000u : sign | 0x7f800000u);
	if (e == 0) /* m * 2^-24 is exact */
		return num_float(num_bits((float)m * 0x1p-24f) | sign);
	return num_float(sign | (e + 112) << 23 | m << 13);
}

float num_from_bf16(uint16_t h)
{
	return num_canon(num_float((uint32_t)h << 16));
}

/* Magnitude bits of sig * 2^exp in fp16 before the overflow test: 0x7c00 or more means too large. sig has its top bit
 * at `top` (0..63), value in [2^(top+exp), 2^(top+exp+1)). */
static uint32_t f16_magnitude(uint64_t sig, int exp, int top, enum num_round mode, bool negative)
{
	int e = top + exp;

	if (e > 15)
		return 0x7c00;
	if (e < -14) /* subnormal: units of 2^-24 */
		return (uint32_t)round_shift(sig, -24 - exp, mode, negative);
	return (uint32_t)((e + 14) << 10) + (uint32_t)round_shift(sig, top - 10, mode, negative);
}

static uint16_t f16_finish(uint32_t magnitude, uint16_t sign, enum num_round mode, bool keep)
{
	if (magnitude >= 0x7c00)
		magnitude = keep && overflow_to_inf(mode, sign != 0) ? 0x7c00 : 0x7bff;
	return (uint16_t)(sign | magnitude);
}

uint16_t num_to_f16(float x, enum num_round mode, bool keep)
{
	uint32_t u = num_bits(x), a = u & 0x7fffffff, m = a & 0x7fffff;
	uint16_t sign = (uint16_t)(u >> 16 & 0x8000);

	if (a > 0x7f800000)
		return keep ? 0x7e00 : 0;
	if (a == 0x7f800000)
		return (uint16_t)(sign | (keep ? 0x7c00 : 0x7bff));
	if (a < 0x00800000) /* zero, or far below the smallest fp16 */
		return (uint16_t)(sign | round_shift(m, 63, mode, sign != 0));
	return f16_finish(f16_magnitude(m | 0x800000, (int)(a >> 23) - 150, 23, mode, sign != 0), sign, mode, keep);
}

uint16_t num_f16_from_double(double x)
{
	uint64_t u = num_bits64(x), a = u & INT64_MAX, m = a & ((UINT64_C(1) << 52) - 1);
	uint16_t sign = (uint16_t)(u >> 48 & 0x8000);

	if (a >> 52 == 0x7ff)
		return m ? 0x7e00 : (uint16_t)(sign | 0x7c00);
	if (a >> 52 == 0)
		return sign;
	return f16_finish(f16_magnitude(m | UINT64_C(1) << 52, (int)(a >> 52) - 1075, 52, NUM_RINT, sign != 0), sign,
			  NUM_RINT, true);
}

uint16_t num_to_bf16(float x, enum num_round mode, bool keep)
{
	uint32_t u = num_bits(x), a = u & 0x7fffffff, q;
	uint16_t sign = (uint16_t)(u >> 16 & 0x8000);

	if (a > 0x7f800000)
		return keep ? 0x7fc0 : 0;
	if (a == 0x7f800000)
		return (uint16_t)(sign | (keep ? 0x7f80 : 0x7f7f));
	q = (uint32_t)round_shift(a, 16, mode, sign != 0);
	if (q >= 0x7f80)
		q = keep && overflow_to_inf(mode, sign != 0) ? 0x7f80 : 0x7f7f;
	return (uint16_t)(sign | q);
}

float num_to_hf32(float x, bool round_away)
{
	uint32_t u = num_bits(x), a = u & 0x7fffffff;

	if (a > 0x7f800000)
		return num_float(0x7fc00000u);
	if (a == 0x7f800000)
		return x;
	a = (uint32_t)round_shift(a, 13, round_away ? NUM_AWAY : NUM_RINT, false) << 13;
	return num_float((u & 0x80000000u) | a);
}

int64_t num_saturate(int64_t v, int bits, bool is_signed)
{
	int64_t high = is_signed ? (int64_t)((UINT64_C(1) << (bits - 1)) - 1)
				 : bits >= 63 ? INT64_MAX : (int64_t)((UINT64_C(1) << bits) - 1);
	int64_t low = is_signed ? -high - 1 : 0;

	return v > high ? high : v < low ? low : v;
}

/* The low bits of v as an integer of that type. */
static int64_t low_bits(uint64_t v, int bits, bool is_signed)
{
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;

	v &= mask;
	if (is_signed && bits < 64 && (v >> (bits - 1) & 1))
		v |= ~mask;
	return (int64_t)v;
}

int64_t num_to_int(double x, enum num_round mode, int bits, bool is_signed, bool truncate)
{
	uint64_t u = num_bits64(x), sig = u & ((UINT64_C(1) << 52) - 1), mag;
	int e = (int)(u >> 52 & 0x7ff);
	bool negative = u >> 63, huge;

	if (x != x)
		return 0;
	if (e)
		sig |= UINT64_C(1) << 52;
	huge = e >= 1023 + 63; /* 2^63 and more, infinity */
	if (e == 0x7ff && truncate)
		return num_saturate(negative ? INT64_MIN : INT64_MAX, bits, is_signed);
	if (e >= 1075)
		mag = e - 1075 < 64 ? sig << (e - 1075) : 0;
	else
		mag = round_shift(sig, 1075 - e, mode, negative);
	if (truncate)
		return low_bits(negative ? 0 - mag : mag, bits, is_signed);
	if (huge || mag > INT64_MAX)
		return num_saturate(negative ? INT64_MIN : INT64_MAX, bits, is_signed);
	return num_saturate(negative ? -(int64_t)mag : (int64_t)mag, bits, is_signed);
}

float num_int_to_float(int64_t v, enum num_round mode)
{
	uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	uint32_t sign = v < 0 ? 0x80000000u : 0;
	int top;

	if (!mag)
		return 0;
	top = 63 - __builtin_clzll(mag);
	/* the hidden bit of the rounded significand adds the last one to the exponent */
	uint32_t magnitude = ((uint32_t)(top + 126) << 23) + (uint32_t)round_shift(mag, top - 23, mode, v < 0);
	return num_float(sign | magnitude);
}

uint16_t num_int_to_f16(int64_t v, enum num_round mode, bool keep)
{
	uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
	uint16_t sign = v < 0 ? 0x8000 : 0;

	if (!mag)
		return 0;
	return f16_finish(f16_magnitude(mag, 0, 63 - __builtin_clzll(mag), mode, v < 0), sign, mode, keep);
}

float num_round_integral(float x, enum num_round mode)
{
	uint32_t u = num_bits(x), sign = u & 0x80000000u, a = u & 0x7fffffff;
	int e = (int)(a >> 23);

	if (a > 0x7f800000)
		return num_float(0x7fc00000u);
	if (e >= 150) /* 2^23 and more: already integral */
		return x;
	if (!a)
		return x;
	uint64_t sig = (a & 0x7fffff) | (e ? 0x800000 : 0);
	uint64_t q = round_shift(sig, 150 - (e ? e : 1), mode, sign != 0);
	return num_float(sign | num_bits((float)q));
}
