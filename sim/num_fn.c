/*
 * num_fn.c - exp, ln, square root, reciprocals: binary64 with fixed series, rounded once to the result type. No libm:
 * its last bit differs between hosts.
 */
#include "num.h"

static double inf_double(void) { return num_double(UINT64_C(0x7ff0000000000000)); }
static double nan_double(void) { return num_double(UINT64_C(0x7ff8000000000000)); }

/* e^x = 2^k * e^r, |r| <= ln2/2, Taylor to r^13/13!: the first term left out is below 2^-57. */
static double exp_double(double x)
{
	static const double ln2_high = 0x1.62e42fefap-1; /* 36 bits: k * ln2_high is exact */
	static const double ln2_low = 0x1.cf79abc9e3b3ap-40;
	static const double c[] = { 1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
				    1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 1.0 / 2, 1.0 };
	double r, p;
	int k;

	if (x != x)
		return nan_double();
	if (x > 89) /* above the largest fp32; infinity in fp32 and fp16 alike */
		return inf_double();
	if (x < -105) /* below half the smallest fp32 */
		return 0;
	k = (int)(x * 0x1.71547652b82fep0 + (x < 0 ? -0.5 : 0.5));
	r = x - k * ln2_high;
	r -= k * ln2_low;
	p = c[0];
	for (int i = 1; i < 13; i++)
		p = p * r + c[i];
	p = p * r + 1.0;
	return p * num_double((uint64_t)(1023 + k) << 52);
}

/* ln x = k ln2 + 2 atanh(f), f = (m-1)/(m+1), m in [sqrt(1/2), sqrt 2): f^2 < 0.0295, eleven terms. */
static double ln_double(double x)
{
	static const double c[] = { 1.0 / 23, 1.0 / 21, 1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
				    1.0 / 7, 1.0 / 5, 1.0 / 3 };
	uint64_t u = num_bits64(x);
	double m, f, s, p;
	int k;

	if (x != x || x < 0)
		return nan_double();
	if (x == 0)
		return -inf_double();
	if (u >> 52 == 0x7ff)
		return x;
	k = (int)(u >> 52) - 1023;
	m = num_double((u & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1023) << 52);
	if (m > 0x1.6a09e667f3bcdp0) {
		m *= 0.5;
		k++;
	}
	f = (m - 1) / (m + 1);
	s = f * f;
	p = c[0];
	for (int i = 1; i < 11; i++)
		p = p * s + c[i];
	p = 2 * f + 2 * f * (p * s);
	return k * 0x1.62e42fefa39efp-1 + p;
}

static double sqrt_double(double x)
{
	return x < 0 || x != x ? nan_double() : __builtin_sqrt(x);
}

static double rsqrt_double(double x)
{
	return 1.0 / sqrt_double(x);
}

float num_exp(float x) { return num_canon((float)exp_double(x)); }
float num_ln(float x) { return num_canon((float)ln_double(x)); }
float num_rsqrt(float x) { return num_canon((float)rsqrt_double(x)); }
float num_rec(float x) { return num_canon(1.0f / x); }

float num_sqrt(float x)
{
	return x < 0 || x != x ? num_float(0x7fc00000u) : __builtin_sqrtf(x);
}

uint16_t num_exp_f16(uint16_t h) { return num_f16_from_double(exp_double(num_from_f16(h))); }
uint16_t num_ln_f16(uint16_t h) { return num_f16_from_double(ln_double(num_from_f16(h))); }
uint16_t num_sqrt_f16(uint16_t h) { return num_f16_from_double(sqrt_double(num_from_f16(h))); }
uint16_t num_rsqrt_f16(uint16_t h) { return num_f16_from_double(rsqrt_double(num_from_f16(h))); }
uint16_t num_rec_f16(uint16_t h) { return num_f16_from_double(1.0 / (double)num_from_f16(h)); }
