/*
 * fix_ref.c - see fix_ref.h.
 */
#include "fix_ref.h"
#include "layout_ref.h"

#include <math.h>
#include <string.h>

static float as_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, 4);
	return f;
}

static uint32_t as_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, 4);
	return u;
}

/* M1: sign, 8 bits of exponent, 10 of mantissa, in bits 31..13 */
static double m1(uint64_t q)
{
	int sign = (int)(q >> 31 & 1), e = (int)(q >> 23 & 255), m = (int)(q >> 13 & 1023);
	double v = e ? ldexp(1024 + m, e - 127 - 10) : ldexp(m, -126 - 10);

	return sign ? -v : v;
}

static uint32_t to_8(const struct ref_fix *p, float product)
{
	int offset = (int)(p->scale >> 37 & 511);
	bool is_signed = p->scale >> 46 & 1;
	int64_t v = layout_rint(product, -256, 255) + (offset >= 256 ? offset - 512 : offset);
	int64_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;

	return (uint32_t)(v < low ? low : v > high ? high : v) & 255;
}

uint32_t ref_fix(const struct ref_fix *p, uint32_t acc)
{
	volatile float v = p->from_int ? (float)(int32_t)acc : as_float(acc);

	if (p->quant == REF_REQ8 || p->quant == REF_QF322B8 || p->quant == REF_DEQF16) {
		volatile float product = (float)(v * m1(p->scale));
		if (p->relu == 1 && v < 0)
			product = 0;
		return p->quant == REF_DEQF16 ? layout_to_half(product) : to_8(p, product);
	}
	if (p->quant == REF_SHIFTS16) { /* half up: floor(x + 1/2) */
		double x = p->relu == 1 && v < 0 ? 0 : ldexp((int32_t)acc, -(int)(p->scale >> 32 & 15));
		double r = p->scale >> 32 & 15 ? floor(x + 0.5) : x;
		return (uint32_t)(int32_t)(r > 32767 ? 32767 : r < -32768 ? -32768 : r) & 0xffff;
	}
	if (p->from_int)
		return p->relu == 1 && (int32_t)acc < 0 ? 0 : acc;
	if (p->relu == 1 && v <= 0)
		v = 0;
	if (p->relu == 2 && v < 0)
		v = v * p->alpha;
	return p->quant == REF_F322F16 ? layout_to_half(v) : p->quant == REF_F322BF16 ? layout_to_bfloat(v) : as_bits(v);
}
