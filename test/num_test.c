/*
 * num_test.c - sim/num.c against calculations that share nothing with it: fp16 from its definition with powers of two,
 * rounding by looking at both neighbours in an ordered list of all fp16 values, elementary functions against libm.
 */
#include "../sim/num.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* Value of an fp16 bit pattern straight from its definition. */
static double half_value(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

static double bfloat_value(uint16_t h)
{
	int e = h >> 7 & 255, m = h & 127;
	double v = e == 255 ? (m ? NAN : INFINITY) : e ? ldexp(128 + m, e - 134) : ldexp(m, -133);
	return h & 0x8000 ? -v : v;
}

/* Round |x| by searching the ordered non-negative values of a 16-bit format; inf is pattern `inf`. */
static uint16_t round16(double x, enum num_round mode, double (*value)(uint16_t), uint16_t inf)
{
	bool negative = signbit(x);
	double a = fabs(x), low, high, top = 2 * value((uint16_t)(inf - 1)) - value((uint16_t)(inf - 2));
	uint16_t lo = 0, hi = inf, pick;

	while (hi - lo > 1) {
		uint16_t mid = (uint16_t)((lo + hi) / 2);
		if (value(mid) <= a)
			lo = mid;
		else
			hi = mid;
	}
	low = value(lo);
	high = hi == inf ? top : value(hi); /* the next number, had the exponent one more value */
	if (low == a)
		pick = lo;
	else if (mode == NUM_TRUNC || mode == (negative ? NUM_CEIL : NUM_FLOOR))
		pick = lo;
	else if (mode == (negative ? NUM_FLOOR : NUM_CEIL))
		pick = hi;
	else if (mode == NUM_ODD)
		pick = lo & 1 ? lo : hi == inf ? lo : hi;
	else if (a - low != high - a)
		pick = a - low < high - a ? lo : hi;
	else
		pick = mode == NUM_AWAY ? hi : lo & 1 ? hi : lo;
	return (uint16_t)(pick | (negative ? 0x8000 : 0));
}

static uint32_t seed = 12345;
static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	return seed ^= seed << 5;
}

Test(num, f16_and_bf16_to_f32_all)
{
	for (unsigned h = 0; h < 65536; h++) {
		double want = half_value((uint16_t)h), wantb = bfloat_value((uint16_t)h);
		float got = num_from_f16((uint16_t)h), gotb = num_from_bf16((uint16_t)h);
		if (isnan(want))
			cr_assert_eq(num_bits(got), 0x7fc00000u, "f16 %04x", h);
		else
			cr_assert(got == want && !signbit(got) == !signbit(want), "f16 %04x", h);
		if (isnan(wantb))
			cr_assert_eq(num_bits(gotb), 0x7fc00000u, "bf16 %04x", h);
		else
			cr_assert(gotb == wantb && !signbit(gotb) == !signbit(wantb), "bf16 %04x", h);
	}
}

/* Every fp16 value, its midpoints to the next, and a hair on either side, in every mode. */
Test(num, f32_to_f16_all_values_and_ties)
{
	for (unsigned h = 0; h < 0x7c00; h++) {
		double here = half_value((uint16_t)h), next = h == 0x7bff ? 65536 : half_value((uint16_t)(h + 1));
		float mid = (float)((here + next) / 2);
		float probes[] = { (float)here, mid, nextafterf(mid, 0), nextafterf(mid, INFINITY),
				   nextafterf((float)here, INFINITY) };
		for (unsigned p = 0; p < 5; p++)
			for (int mode = NUM_RINT; mode <= NUM_ODD; mode++)
				for (int sign = -1; sign <= 1; sign += 2) {
					float x = probes[p] * (float)sign;
					uint16_t want = round16(x, mode, half_value, 0x7c00);
					uint16_t got = num_to_f16(x, mode, true);
					cr_assert_eq(got, want, "%a mode %d: %04x, want %04x", x, mode, got, want);
					if ((want & 0x7fff) == 0x7c00)
						want--;
					cr_assert_eq(num_to_f16(x, mode, false), want, "%a mode %d sat", x, mode);
				}
	}
}

Test(num, f32_to_16_bits_random)
{
	for (int i = 0; i < 400000; i++) {
		float x = num_float(rnd());
		int mode = (int)(rnd() % 6);
		if (isnan(x) || isinf(x))
			continue;
		cr_assert_eq(num_to_bf16(x, mode, true), round16(x, mode, bfloat_value, 0x7f80), "bf16 %a mode %d", x,
			     mode);
		cr_assert_eq(num_to_f16(x, mode, true), round16(x, mode, half_value, 0x7c00), "f16 %a mode %d", x,
			     mode);
		double d = ldexp((double)((uint64_t)rnd() << 21 | rnd() >> 11), (int)(rnd() % 60) - 90);
		cr_assert_eq(num_f16_from_double(d), round16(d, NUM_RINT, half_value, 0x7c00), "%a", d);
	}
	cr_assert_eq(num_f16_from_double(NAN), 0x7e00);
	cr_assert_eq(num_f16_from_double(-INFINITY), 0xfc00);
	cr_assert_eq(num_f16_from_double(1e300), 0x7c00);
	cr_assert_eq(num_f16_from_double(-1e-310), 0x8000);
}

Test(num, specials_to_narrow)
{
	cr_assert_eq(num_to_f16(NAN, NUM_RINT, true), 0x7e00);
	cr_assert_eq(num_to_f16(NAN, NUM_RINT, false), 0);
	cr_assert_eq(num_to_f16(-INFINITY, NUM_TRUNC, true), 0xfc00);
	cr_assert_eq(num_to_f16(-INFINITY, NUM_TRUNC, false), 0xfbff);
	cr_assert_eq(num_to_bf16(-NAN, NUM_RINT, true), 0x7fc0);
	cr_assert_eq(num_to_bf16(NAN, NUM_RINT, false), 0);
	cr_assert_eq(num_to_bf16(INFINITY, NUM_RINT, false), 0x7f7f);
	cr_assert_eq(num_to_bf16(3.4e38f, NUM_RINT, true), 0x7f80);
	cr_assert_eq(num_to_bf16(3.4e38f, NUM_RINT, false), 0x7f7f);
	cr_assert_eq(num_to_f16(0x1p-149f, NUM_CEIL, true), 1);
	cr_assert_eq(num_to_f16(-0x1p-149f, NUM_FLOOR, true), 0x8001);
	cr_assert_eq(num_to_f16(-0x1p-149f, NUM_RINT, true), 0x8000);
}

Test(num, hf32_keeps_eleven_bits)
{
	for (int i = 0; i < 100000; i++) {
		float x = num_float(rnd() & 0xbfffffff); /* no overflow */
		if (fabsf(x) < 0x1p-100f)
			continue;
		int e;
		double m = frexp(x, &e) * 2048, want = ldexp(nearbyint(m), e - 11), away = ldexp(round(m), e - 11);
		cr_assert_eq(num_to_hf32(x, false), (float)want, "%a", x);
		cr_assert_eq(num_to_hf32(x, true), (float)away, "%a", x);
	}
	cr_assert_eq(num_bits(num_to_hf32(-NAN, false)), 0x7fc00000u);
	cr_assert_eq(num_to_hf32(INFINITY, true), INFINITY);
}

static double round_mode(double x, enum num_round mode)
{
	switch (mode) {
	case NUM_RINT: return nearbyint(x);
	case NUM_FLOOR: return floor(x);
	case NUM_CEIL: return ceil(x);
	case NUM_AWAY: return round(x);
	default: return trunc(x);
	}
}

Test(num, to_int_every_mode)
{
	static const int bits[] = { 4, 8, 16, 32 };
	for (int i = 0; i < 300000; i++) {
		double x = ldexp((int32_t)rnd(), (int)(rnd() % 48) - 40);
		if (i & 1)
			x = ((int)(rnd() % 2000) - 1000) / 4.0; /* ties */
		for (int mode = NUM_RINT; mode <= NUM_TRUNC; mode++)
			for (int b = 0; b < 4; b++)
				for (int s = 0; s < 2; s++) {
					double r = round_mode(x, mode), high = ldexp(1, bits[b] - s) - 1;
					double low = s ? -high - 1 : 0;
					double want = r > high ? high : r < low ? low : r;
					cr_assert_eq(num_to_int(x, mode, bits[b], s, false), (int64_t)want,
						     "%a mode %d bits %d signed %d", x, mode, bits[b], s);
					int64_t wrap = (int64_t)(r - floor(r / ldexp(1, bits[b])) * ldexp(1, bits[b]));
					if (s && wrap >= (int64_t)1 << (bits[b] - 1))
						wrap -= (int64_t)1 << bits[b];
					cr_assert_eq(num_to_int(x, mode, bits[b], s, true), wrap,
						     "%a mode %d bits %d signed %d truncated", x, mode, bits[b], s);
				}
	}
	cr_assert_eq(num_to_int(NAN, NUM_RINT, 32, true, false), 0);
	cr_assert_eq(num_to_int(NAN, NUM_RINT, 32, true, true), 0);
	cr_assert_eq(num_to_int(INFINITY, NUM_RINT, 32, true, false), INT32_MAX);
	cr_assert_eq(num_to_int(-INFINITY, NUM_RINT, 64, true, false), INT64_MIN);
	cr_assert_eq(num_to_int(0x1p63, NUM_RINT, 64, true, false), INT64_MAX);
	cr_assert_eq(num_to_int(-0x1p63, NUM_RINT, 64, true, false), INT64_MIN);
	cr_assert_eq(num_to_int(0x1p62, NUM_RINT, 64, true, false), INT64_C(1) << 62);
	cr_assert_eq(num_to_int(0x1p100, NUM_RINT, 32, true, false), INT32_MAX);
	cr_assert_eq(num_to_int(0x1p100, NUM_RINT, 32, true, true), 0);
	cr_assert_eq(num_to_int(0x1p31 + 5, NUM_RINT, 32, true, true), INT32_MIN + 5);
	cr_assert_eq(num_to_int(-1e-310, NUM_FLOOR, 8, true, false), -1);
}

Test(num, from_int_every_mode)
{
	for (int i = 0; i < 200000; i++) {
		int64_t v = (int64_t)((uint64_t)rnd() << 32 | rnd()) >> (rnd() % 63);
		for (int mode = NUM_RINT; mode <= NUM_TRUNC; mode++) {
			/* neighbours of v in fp32, found without rounding: cut the magnitude to 24 bits */
			uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, unit = 1;
			while (mag / unit >= 1 << 24)
				unit *= 2;
			uint64_t low = mag / unit * unit, rest = mag - low;
			bool up = mode == NUM_RINT ? rest * 2 > unit || (rest * 2 == unit && (low / unit & 1))
				: mode == NUM_AWAY ? rest && rest * 2 >= unit
				: mode == NUM_FLOOR ? rest && v < 0
				: mode == NUM_CEIL ? rest && v > 0 : false;
			double want = (double)low + (up ? (double)unit : 0);
			cr_assert_eq(num_int_to_float(v, mode), (float)(v < 0 ? -want : want), "%lld mode %d",
				     (long long)v, mode);
			int16_t w = (int16_t)v;
			cr_assert_eq(num_int_to_f16(w, mode, true), round16(w, mode, half_value, 0x7c00),
				     "%d mode %d", w, mode);
		}
	}
	cr_assert_eq(num_int_to_float(INT64_MIN, NUM_RINT), -0x1p63f);
	cr_assert_eq(num_int_to_float(0, NUM_RINT), 0);
	cr_assert_eq(num_int_to_f16(100000, NUM_RINT, true), 0x7c00);
	cr_assert_eq(num_int_to_f16(-100000, NUM_RINT, false), 0xfbff);
}

Test(num, integral_rounding)
{
	for (int i = 0; i < 300000; i++) {
		float x = i & 1 ? num_float(rnd()) : (float)((int)(rnd() % 4000) - 2000) / 4;
		for (int mode = NUM_RINT; mode <= NUM_TRUNC; mode++) {
			float got = num_round_integral(x, mode), want = (float)round_mode(x, mode);
			if (isnan(x))
				cr_assert_eq(num_bits(got), 0x7fc00000u);
			else
				cr_assert_eq(num_bits(got), num_bits(want), "%a mode %d", x, mode);
		}
	}
}

Test(num, saturate)
{
	cr_assert_eq(num_saturate(200, 8, true), 127);
	cr_assert_eq(num_saturate(-200, 8, true), -128);
	cr_assert_eq(num_saturate(300, 8, false), 255);
	cr_assert_eq(num_saturate(-1, 8, false), 0);
	cr_assert_eq(num_saturate(-9, 4, true), -8);
	cr_assert_eq(num_saturate(INT64_MIN, 64, true), INT64_MIN);
	cr_assert_eq(num_saturate(INT64_MAX, 32, false), UINT32_MAX);
}

/* |got - exact| in units in the last place of `got`'s binade. libm's own error is far below the tolerance. */
static double error_ulp(float got, double exact)
{
	int e;

	if (isinf(got) || got == 0 || isnan(got))
		return (float)exact == got || (isnan(got) && isnan(exact)) ? 0 : 1e9;
	frexp(exact, &e);
	return fabs(got - exact) / ldexp(1, (e < -125 ? -125 : e) - 24);
}

static double exact_rsqrt(double x) { return 1 / sqrt(x); }
static double exact_rec(double x) { return 1 / x; }

Test(num, f32_functions_within_half_an_ulp)
{
	static const struct { float (*f)(float); double (*exact)(double); const char *name; } fn[] = {
		{ num_exp, exp, "exp" }, { num_ln, log, "ln" }, { num_sqrt, sqrt, "sqrt" },
		{ num_rsqrt, exact_rsqrt, "rsqrt" }, { num_rec, exact_rec, "rec" } };
	for (unsigned k = 0; k < sizeof(fn) / sizeof(fn[0]); k++)
		for (uint32_t u = 0; u < 0xffffff00u - 4099; u += 4099) {
			float x = num_float(u);
			if (k == 0 && u % 3) /* dense where exp is neither 0 nor inf */
				x = (float)((double)u / 0xffffffffu * 200 - 106);
			if (k == 1 && u % 3 == 1)
				x = 1 + (x < 1 && x > 1e-8 ? x : 0);
			float got = fn[k].f(x);
			double e = error_ulp(got, fn[k].exact(x));
			cr_assert(e <= 0.5001, "%s(%a) = %a: %g ulp", fn[k].name, x, got, e);
		}
	cr_assert_eq(num_bits(num_sqrt(-1)), 0x7fc00000u);
	cr_assert_eq(num_bits(num_ln(-1)), 0x7fc00000u);
	cr_assert_eq(num_ln(0), -INFINITY);
	cr_assert_eq(num_exp(-INFINITY), 0);
	cr_assert_eq(num_exp(INFINITY), INFINITY);
	cr_assert_eq(num_bits(num_exp(-NAN)), 0x7fc00000u);
	cr_assert_eq(num_rec(-0.0f), -INFINITY);
	cr_assert_eq(num_bits(num_sqrt(-0.0f)), 0x80000000u);
	cr_assert_eq(num_rsqrt(INFINITY), 0);
}

Test(num, f16_functions_all_arguments)
{
	static const struct { uint16_t (*f)(uint16_t); double (*exact)(double); const char *name; } fn[] = {
		{ num_exp_f16, exp, "exp" }, { num_ln_f16, log, "ln" }, { num_sqrt_f16, sqrt, "sqrt" },
		{ num_rsqrt_f16, exact_rsqrt, "rsqrt" }, { num_rec_f16, exact_rec, "rec" } };
	for (unsigned k = 0; k < sizeof(fn) / sizeof(fn[0]); k++)
		for (unsigned h = 0; h < 65536; h++) {
			double exact = fn[k].exact(half_value((uint16_t)h));
			uint16_t got = fn[k].f((uint16_t)h);
			if (isnan(exact)) {
				cr_assert_eq(got, 0x7e00, "%s(%04x)", fn[k].name, h);
				continue;
			}
			/* libm is nearer than 2^-52: only a tie could differ, and these functions have none but exact
			 * ones */
			cr_assert_eq(got, round16(exact, NUM_RINT, half_value, 0x7c00), "%s(%04x) = %04x", fn[k].name,
				     h, got);
		}
}

Test(num, bulk_equals_plain)
{
	static uint16_t all[65536 + 7], back[65536 + 7], back2[65536 + 7];
	static float a[65536 + 7], b[65536 + 7];
	unsigned n = 65536 + 7;
	for (unsigned i = 0; i < n; i++)
		all[i] = (uint16_t)i;
	num_f16_to_f32_n(all, a, n);
	num_f16_to_f32_plain_n(all, b, n);
	cr_assert_eq(memcmp(a, b, sizeof(a)), 0);
	num_bf16_to_f32_n(all, a, n);
	num_bf16_to_f32_plain_n(all, b, n);
	cr_assert_eq(memcmp(a, b, sizeof(a)), 0);
	for (int round = 0; round < 40; round++)
		for (int keep = 0; keep < 2; keep++) {
			for (unsigned i = 0; i < n; i++)
				a[i] = num_float(i & 1 ? rnd() : 0x38000000u + rnd() % 0x10000000u);
			num_f32_to_f16_n(a, back, n, keep);
			num_f32_to_f16_plain_n(a, back2, n, keep);
			for (unsigned i = 0; i < n; i++)
				cr_assert_eq(back[i], back2[i], "%a keep %d: %04x %04x", a[i], keep, back[i], back2[i]);
		}
}

Test(num, bulk_functions_and_integers_equal_plain)
{
	enum { N = 64 * 1024 };
	static float a[N + 5], x[N + 5], y[N + 5];
	static uint16_t h[N + 5], hx[N + 5], hy[N + 5];
	static int32_t p[N + 5], q[N + 5];

	for (unsigned i = 0; i < N + 5; i++) {
		h[i] = (uint16_t)i;
		a[i] = i & 1 ? num_float(rnd()) : (float)((int)(rnd() % 400000) - 200000) / 2048;
	}
	for (int fn = NUM_EXP; fn <= NUM_REC; fn++) {
		num_fn_f32_n(fn, a, x, N + 5);
		num_fn_f32_plain_n(fn, a, y, N + 5);
		cr_assert_eq(memcmp(x, y, sizeof(x)), 0, "function %d", fn);
		num_fn_f16_n(fn, h, hx, N + 5);
		num_fn_f16_plain_n(fn, h, hy, N + 5);
		for (unsigned i = 0; i < N + 5; i++)
			cr_assert_eq(hx[i], hy[i], "function %d of %04x: %04x %04x", fn, h[i], hx[i], hy[i]);
	}
	for (int mode = NUM_RINT; mode <= NUM_TRUNC; mode++) {
		num_f32_to_s32_n(a, p, N + 5, mode);
		num_f32_to_s32_plain_n(a, q, N + 5, mode);
		for (unsigned i = 0; i < N + 5; i++)
			cr_assert_eq(p[i], q[i], "%a mode %d", a[i], mode);
	}
}
