/*
 * num_fn.c - exp, ln, square root, reciprocals: binary64 with fixed series, rounded once to the result type. No libm:
 * its last bit differs between hosts. No branches on values, so that the array forms become SIMD code; IEEE
 * arithmetic in the same order gives the same bits either way.
 */
#include "num.h"

#define INLINE __attribute__((always_inline)) static inline

static const double shifter = 0x1.8p52; /* x + shifter has round(x) in its low bits, for |x| < 2^51 */

INLINE double inf_double(void) { return num_double(UINT64_C(0x7ff0000000000000)); }
INLINE double nan_double(void) { return num_double(UINT64_C(0x7ff8000000000000)); }

/* A select that stays one: compilers move the work for a value behind a branch otherwise. */
INLINE double pick(bool c, double a, double b)
{
	uint64_t mask = 0 - (uint64_t)c;
	return num_double((num_bits64(a) & mask) | (num_bits64(b) & ~mask));
}

/* e^x = 2^k * e^r, |r| <= ln2/2, Taylor to r^13/13!: the first term left out is below 2^-57. Arguments are held in
 * [-110, 90]: beyond, fp32 and fp16 results are 0 and infinity. */
INLINE double exp_double(double x)
{
	const double ln2_high = 0x1.62e42fefap-1; /* 36 bits: k * ln2_high is exact */
	const double ln2_low = 0x1.cf79abc9e3b3ap-40;
	double c = pick(x >= -110, x, -110), t, k, r, p;

	c = pick(c <= 90, c, 90);
	t = c * 0x1.71547652b82fep0 + shifter;
	k = t - shifter;
	r = c - k * ln2_high;
	r -= k * ln2_low;
	p = 1.0 / 6227020800;
	p = p * r + 1.0 / 479001600;
	p = p * r + 1.0 / 39916800;
	p = p * r + 1.0 / 3628800;
	p = p * r + 1.0 / 362880;
	p = p * r + 1.0 / 40320;
	p = p * r + 1.0 / 5040;
	p = p * r + 1.0 / 720;
	p = p * r + 1.0 / 120;
	p = p * r + 1.0 / 24;
	p = p * r + 1.0 / 6;
	p = p * r + 1.0 / 2;
	p = p * r + 1.0;
	p = p * r + 1.0;
	p = p * num_double((num_bits64(t) + 1023) << 52);
	return pick(x == x, p, nan_double());
}

/* ln x = k ln2 + 2 atanh(f), f = (m-1)/(m+1), m in [sqrt(1/2), sqrt 2): f^2 < 0.0295, eleven terms. */
INLINE double ln_double(double x)
{
	bool normal = (x > 0) & (x < inf_double());
	double safe = pick(normal, x, 1.0), m, f, s, p, k, special;
	uint64_t u = num_bits64(safe), half;

	m = num_double((u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
	half = m > 0x1.6a09e667f3bcdp0;
	m = pick(half, m * 0.5, m);
	k = num_double(num_bits64(shifter) + (u >> 52) - 1023 + half) - shifter;
	f = (m - 1) / (m + 1);
	s = f * f;
	p = 1.0 / 23;
	p = p * s + 1.0 / 21;
	p = p * s + 1.0 / 19;
	p = p * s + 1.0 / 17;
	p = p * s + 1.0 / 15;
	p = p * s + 1.0 / 13;
	p = p * s + 1.0 / 11;
	p = p * s + 1.0 / 9;
	p = p * s + 1.0 / 7;
	p = p * s + 1.0 / 5;
	p = p * s + 1.0 / 3;
	p = k * 0x1.62e42fefa39efp-1 + (2 * f + 2 * f * (p * s));
	special = pick(x == 0, -inf_double(), pick(x > 0, x, nan_double()));
	return pick(normal, p, special);
}

INLINE double sqrt_double(double x)
{
	return pick(x >= 0, __builtin_sqrt(x), nan_double());
}

INLINE double fn_double(enum num_fn fn, double x)
{
	switch (fn) {
	case NUM_EXP: return exp_double(x);
	case NUM_LN: return ln_double(x);
	case NUM_SQRT: return sqrt_double(x);
	case NUM_RSQRT: return 1.0 / sqrt_double(x);
	default: return 1.0 / x;
	}
}

float num_exp(float x) { return num_canon((float)exp_double(x)); }
float num_ln(float x) { return num_canon((float)ln_double(x)); }
float num_sqrt(float x) { return num_canon((float)sqrt_double(x)); } /* 53 >= 2 * 24 + 2: rounding twice is harmless */
float num_rsqrt(float x) { return num_canon((float)(1.0 / sqrt_double(x))); }
float num_rec(float x) { return num_canon((float)(1.0 / (double)x)); }

uint16_t num_exp_f16(uint16_t h) { return num_f16_from_double(exp_double(num_from_f16(h))); }
uint16_t num_ln_f16(uint16_t h) { return num_f16_from_double(ln_double(num_from_f16(h))); }
uint16_t num_sqrt_f16(uint16_t h) { return num_f16_from_double(sqrt_double(num_from_f16(h))); }
uint16_t num_rsqrt_f16(uint16_t h) { return num_f16_from_double(1.0 / sqrt_double(num_from_f16(h))); }
uint16_t num_rec_f16(uint16_t h) { return num_f16_from_double(1.0 / (double)num_from_f16(h)); }

/* fp32 rounded to odd: a second rounding to fewer than 23 bits then gives what one rounding would. */
INLINE float odd_float(double d)
{
	float f = (float)d;
	double back = f;
	uint32_t u = num_bits(f);
	double a = d < 0 ? -d : d, b = back < 0 ? -back : back;

	u -= b > a;
	u |= back != d;
	return num_float(u);
}

enum { CHUNK = 32 };

/* CHUNK arguments to results in binary64, then to the type: floats rounded to nearest, or to odd for fp16. */
INLINE void fn_chunk(enum num_fn fn, const float *restrict x, float *restrict y, bool odd)
{
	double d[CHUNK];

#define CASE(name)                                                                                                     \
	case name:                                                                                                     \
		for (int i = 0; i < CHUNK; i++)                                                                        \
			d[i] = fn_double(name, x[i]);                                                                  \
		break;
	switch (fn) {
	CASE(NUM_EXP) CASE(NUM_LN) CASE(NUM_SQRT) CASE(NUM_RSQRT) CASE(NUM_REC)
	}
#undef CASE
	if (odd) {
		for (int i = 0; i < CHUNK; i++)
			y[i] = odd_float(d[i]);
	} else {
		for (int i = 0; i < CHUNK; i++)
			y[i] = num_canon((float)d[i]);
	}
}

NUM_O3 static void fn_chunk_plain(enum num_fn fn, const float *x, float *y, bool odd) { fn_chunk(fn, x, y, odd); }
NUM_TARGET_AVX2 NUM_O3 static void fn_chunk_avx2(enum num_fn fn, const float *x, float *y, bool odd)
{
	fn_chunk(fn, x, y, odd);
}

static void chunk(enum num_fn fn, const float *x, float *y, bool odd)
{
	if (num_has_avx2())
		fn_chunk_avx2(fn, x, y, odd);
	else
		fn_chunk_plain(fn, x, y, odd);
}

void num_fn_f32_n(enum num_fn fn, const float *src, float *dst, unsigned n)
{
	unsigned i = 0;

	for (; i + CHUNK <= n; i += CHUNK)
		chunk(fn, src + i, dst + i, false);
	num_fn_f32_plain_n(fn, src + i, dst + i, n - i);
}

void num_fn_f16_n(enum num_fn fn, const uint16_t *src, uint16_t *dst, unsigned n)
{
	float x[CHUNK], y[CHUNK];
	unsigned i = 0;

	for (; i + CHUNK <= n; i += CHUNK) {
		num_f16_to_f32_n(src + i, x, CHUNK);
		chunk(fn, x, y, true);
		num_f32_to_f16_n(y, dst + i, CHUNK, true);
	}
	num_fn_f16_plain_n(fn, src + i, dst + i, n - i);
}

void num_fn_f32_plain_n(enum num_fn fn, const float *src, float *dst, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = num_canon((float)fn_double(fn, src[i]));
}

void num_fn_f16_plain_n(enum num_fn fn, const uint16_t *src, uint16_t *dst, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dst[i] = num_f16_from_double(fn_double(fn, num_from_f16(src[i])));
}
