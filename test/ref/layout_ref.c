/*
 * layout_ref.c - see layout_ref.h.
 */
#include "layout_ref.h"

#include <math.h>

uint64_t layout_nz(uint64_t i, uint64_t j, uint64_t rows, uint64_t n0)
{
	return (j / n0) * rows * n0 + i * n0 + j % n0;
}

uint64_t layout_zz(uint64_t i, uint64_t k, uint64_t k1, uint64_t k0)
{
	return ((i / 16) * k1 + k / k0) * 16 * k0 + (i % 16) * k0 + k % k0;
}

uint64_t layout_zn(uint64_t k, uint64_t j, uint64_t n1, uint64_t k0)
{
	return ((k / k0) * n1 + j / 16) * 16 * k0 + (j % 16) * k0 + k % k0;
}

static double value(unsigned bits, int exp_bits, int man_bits)
{
	int e = (int)(bits >> man_bits) & ((1 << exp_bits) - 1), m = (int)bits & ((1 << man_bits) - 1);
	int bias = (1 << (exp_bits - 1)) - 1, top = (1 << exp_bits) - 1;
	double v = e == top ? (m ? NAN : INFINITY)
		   : e	    ? ldexp((1 << man_bits) + m, e - bias - man_bits)
			    : ldexp(m, 1 - bias - man_bits);

	return bits >> (exp_bits + man_bits) & 1 ? -v : v;
}

double layout_half(uint16_t h) { return value(h, 5, 10); }
double layout_bfloat(uint16_t h) { return value(h, 8, 7); }

/* Largest pattern whose value is not above |v|, then the nearer of it and the next one. */
static uint16_t nearest(double v, uint16_t inf, int exp_bits, int man_bits)
{
	uint16_t lo = 0, hi = inf, sign = signbit(v) ? 0x8000 : 0;
	double a = fabs(v);

	if (v != v)
		return (uint16_t)(inf | 1u << (man_bits - 1));
	if (a >= INFINITY)
		return (uint16_t)(sign | inf);
	while (hi - lo > 1) {
		uint16_t mid = (uint16_t)((lo + hi) / 2);
		if (value(mid, exp_bits, man_bits) <= a)
			lo = mid;
		else
			hi = mid;
	}
	/* infinity takes part in rounding as the number that would follow the largest one */
	double low = value(lo, exp_bits, man_bits), step = low - value((uint16_t)(lo - 1), exp_bits, man_bits);
	double high = hi == inf ? low + step : value(hi, exp_bits, man_bits);
	uint16_t pick = a - low < high - a ? lo : a - low > high - a ? hi : lo % 2 ? hi : lo;
	return (uint16_t)(sign | pick);
}

uint16_t layout_to_half(double v) { return nearest(v, 0x7c00, 5, 10); }
uint16_t layout_to_bfloat(double v) { return nearest(v, 0x7f80, 8, 7); }

int64_t layout_rint(double v, int64_t low, int64_t high)
{
	if (v != v)
		return 0;
	if (v <= (double)low)
		return low;
	if (v >= (double)high)
		return high;
	double down = floor(v), rest = v - down;
	int64_t i = (int64_t)down;
	if (rest > 0.5 || (rest == 0.5 && i % 2 != 0))
		i++;
	return i < low ? low : i > high ? high : i;
}
