/*
 * scalar_fp.c - IEEE 754 arithmetic in integers: unpack to a 64-bit significand, compute exactly or with a sticky last
 * bit, round once.
 */
#include "scalar_fp.h"

__extension__ typedef unsigned __int128 wide;

static const struct { int frac, exp; } format[] = { [FP_H] = { 10, 5 }, [FP_S] = { 23, 8 }, [FP_D] = { 52, 11 } };

enum kind { ZERO, FINITE, INF, QNAN, SNAN };

/* A number: sig * 2^(exp - 63), top bit of sig set when FINITE. */
struct num {
	enum kind kind;
	bool sign;
	int exp;
	uint64_t sig;
};

static int bias_of(enum fp_format fmt) { return (1 << (format[fmt].exp - 1)) - 1; }

static uint64_t sign_bit(enum fp_format fmt) { return UINT64_C(1) << (format[fmt].frac + format[fmt].exp); }

static uint64_t inf_bits(enum fp_format fmt)
{
	return ((UINT64_C(1) << format[fmt].exp) - 1) << format[fmt].frac;
}

static uint64_t with_sign(enum fp_format fmt, bool sign, uint64_t bits) { return sign ? bits | sign_bit(fmt) : bits; }

uint64_t fp_nan(enum fp_format fmt) { return inf_bits(fmt) | UINT64_C(1) << (format[fmt].frac - 1); }

static struct num unpack(enum fp_format fmt, uint64_t bits)
{
	int fbits = format[fmt].frac;
	int emax = (1 << format[fmt].exp) - 1;
	int e = (int)(bits >> fbits) & emax;
	uint64_t frac = bits & ((UINT64_C(1) << fbits) - 1);
	struct num n = { .kind = FINITE, .sign = bits & sign_bit(fmt) };

	if (e == emax) {
		n.kind = frac == 0 ? INF : frac >> (fbits - 1) ? QNAN : SNAN;
	} else if (e != 0) {
		n.exp = e - bias_of(fmt);
		n.sig = UINT64_C(1) << 63 | frac << (63 - fbits);
	} else if (frac == 0) {
		n.kind = ZERO;
	} else {
		int shift = __builtin_clzll(frac);
		n.sig = frac << shift;
		n.exp = 1 - bias_of(fmt) + (63 - fbits) - shift;
	}
	return n;
}

static bool is_nan(struct num n) { return n.kind >= QNAN; }

/* Does cutting `low` (top-aligned: half is bit 63) off an integer of the given oddness round its magnitude up? */
static bool rounds_up(enum fp_round rm, bool sign, bool odd, uint64_t low)
{
	const uint64_t half = UINT64_C(1) << 63;

	switch (rm) {
	case FP_RNE: return low > half || (low == half && odd);
	case FP_RMM: return low >= half;
	case FP_RDN: return sign && low != 0;
	case FP_RUP: return !sign && low != 0;
	default: return false;
	}
}

static uint64_t shift_jam(uint64_t v, int n) { return n == 0 ? v : n > 63 ? v != 0 : v >> n | (v << (64 - n) != 0); }

static wide shift_jam_wide(wide v, int n)
{
	return n == 0 ? v : n > 127 ? v != 0 : v >> n | (v << (128 - n) != 0);
}

static uint64_t overflow(enum fp_format fmt, bool sign, enum fp_round rm, unsigned *flags)
{
	bool to_inf = rm == FP_RNE || rm == FP_RMM || rm == (sign ? FP_RDN : FP_RUP);

	*flags |= FP_OF | FP_NX;
	return with_sign(fmt, sign, inf_bits(fmt) - !to_inf);
}

/* Round sig * 2^(exp - 63), top bit of sig set, its last bit sticky. */
static uint64_t pack(enum fp_format fmt, bool sign, int exp, uint64_t sig, enum fp_round rm, unsigned *flags)
{
	int drop = 63 - format[fmt].frac;
	int emin = 1 - bias_of(fmt);
	bool tiny = exp < emin;

	if (tiny) {
		/* after rounding: with a wider exponent, would it have reached the smallest normal? */
		uint64_t all = UINT64_MAX >> drop;
		if (exp == emin - 1 && sig >> drop == all && rounds_up(rm, sign, true, sig << (64 - drop)))
			tiny = false;
		sig = shift_jam(sig, emin - exp);
		exp = emin - 1;
	}
	uint64_t low = sig << (64 - drop);
	uint64_t m = sig >> drop;
	m += rounds_up(rm, sign, m & 1, low);
	if (low)
		*flags |= tiny ? FP_UF | FP_NX : FP_NX;
	/* a normal m brings its hidden bit along and counts the exponent up by one; so does a carry */
	int biased = exp + bias_of(fmt) - (sig >> 63 ? 1 : 0);
	uint64_t bits = ((uint64_t)biased << format[fmt].frac) + m;
	if (bits >= inf_bits(fmt))
		return overflow(fmt, sign, rm, flags);
	return with_sign(fmt, sign, bits);
}

static uint64_t nan_result(enum fp_format fmt, bool invalid, unsigned *flags)
{
	if (invalid)
		*flags |= FP_NV;
	return fp_nan(fmt);
}

/* A term of a sum: m * 2^(exp - 125), m < 2^127. */
struct term { bool sign; int exp; wide m; };

static uint64_t sum(enum fp_format fmt, struct term a, struct term b, enum fp_round rm, unsigned *flags)
{
	if (a.exp < b.exp) {
		struct term swap = a;
		a = b;
		b = swap;
	}
	b.m = shift_jam_wide(b.m, a.exp - b.exp);
	wide m;
	if (a.sign == b.sign) {
		m = a.m + b.m;
	} else if (a.m >= b.m) {
		m = a.m - b.m;
	} else {
		m = b.m - a.m;
		a.sign = b.sign;
	}
	if (m == 0)
		return with_sign(fmt, rm == FP_RDN, 0);
	uint64_t high = (uint64_t)(m >> 64);
	int shift = high ? __builtin_clzll(high) : 64 + __builtin_clzll((uint64_t)m);
	m <<= shift;
	return pack(fmt, a.sign, a.exp + 2 - shift, (uint64_t)(m >> 64) | ((uint64_t)m != 0), rm, flags);
}

static struct term term_of(struct num n) { return (struct term){ n.sign, n.exp, (wide)n.sig << 62 }; }

static uint64_t add(enum fp_format fmt, struct num a, struct num b, uint64_t a_bits, uint64_t b_bits, enum fp_round rm,
		    unsigned *flags)
{
	if (is_nan(a) || is_nan(b))
		return nan_result(fmt, a.kind == SNAN || b.kind == SNAN, flags);
	if (a.kind == INF || b.kind == INF) {
		if (a.kind == b.kind && a.sign != b.sign)
			return nan_result(fmt, true, flags);
		return a.kind == INF ? a_bits : b_bits;
	}
	if (a.kind == ZERO && b.kind == ZERO)
		return with_sign(fmt, a.sign == b.sign ? a.sign : rm == FP_RDN, 0);
	if (a.kind == ZERO)
		return b_bits;
	if (b.kind == ZERO)
		return a_bits;
	return sum(fmt, term_of(a), term_of(b), rm, flags);
}

uint64_t fp_add(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags)
{
	return add(fmt, unpack(fmt, a), unpack(fmt, b), a, b, rm, flags);
}

uint64_t fp_sub(enum fp_format fmt, uint64_t a, uint64_t b, enum fp_round rm, unsigned *flags)
{
	return fp_add(fmt, a, b ^ sign_bit(fmt), rm, flags);
}

uint64_t fp_mul(enum fp_format fmt, uint64_t a_bits, uint64_t b_bits, enum fp_round rm, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits), b = unpack(fmt, b_bits);
	bool sign = a.sign != b.sign;

	if (is_nan(a) || is_nan(b))
		return nan_result(fmt, a.kind == SNAN || b.kind == SNAN, flags);
	if (a.kind == INF || b.kind == INF) {
		if (a.kind == ZERO || b.kind == ZERO)
			return nan_result(fmt, true, flags);
		return with_sign(fmt, sign, inf_bits(fmt));
	}
	if (a.kind == ZERO || b.kind == ZERO)
		return with_sign(fmt, sign, 0);
	wide m = (wide)a.sig * b.sig; /* bit 126 or 127 on top */
	int top = (int)(m >> 127);
	m <<= !top;
	return pack(fmt, sign, a.exp + b.exp + top, (uint64_t)(m >> 64) | ((uint64_t)m != 0), rm, flags);
}

uint64_t fp_fma(enum fp_format fmt, uint64_t a_bits, uint64_t b_bits, uint64_t c_bits, enum fp_round rm,
		unsigned *flags)
{
	struct num a = unpack(fmt, a_bits), b = unpack(fmt, b_bits), c = unpack(fmt, c_bits);
	bool sign = a.sign != b.sign;
	bool bad = (a.kind == INF && b.kind == ZERO) || (a.kind == ZERO && b.kind == INF);

	if (is_nan(a) || is_nan(b) || is_nan(c) || bad)
		return nan_result(fmt, bad || a.kind == SNAN || b.kind == SNAN || c.kind == SNAN, flags);
	if (a.kind == INF || b.kind == INF) {
		if (c.kind == INF && c.sign != sign)
			return nan_result(fmt, true, flags);
		return with_sign(fmt, sign, inf_bits(fmt));
	}
	if (c.kind == INF)
		return c_bits;
	if (a.kind == ZERO || b.kind == ZERO) {
		if (c.kind == ZERO)
			return with_sign(fmt, c.sign == sign ? sign : rm == FP_RDN, 0);
		return c_bits;
	}
	/* exact: a product of two 53-bit significands leaves 22 zeros at the end */
	struct term product = { sign, a.exp + b.exp, (wide)a.sig * b.sig >> 1 };
	if (c.kind == ZERO)
		return sum(fmt, product, (struct term){ sign, product.exp, 0 }, rm, flags);
	return sum(fmt, product, term_of(c), rm, flags);
}

uint64_t fp_div(enum fp_format fmt, uint64_t a_bits, uint64_t b_bits, enum fp_round rm, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits), b = unpack(fmt, b_bits);
	bool sign = a.sign != b.sign;

	if (is_nan(a) || is_nan(b))
		return nan_result(fmt, a.kind == SNAN || b.kind == SNAN, flags);
	if (a.kind == b.kind && a.kind != FINITE)
		return nan_result(fmt, true, flags); /* 0/0, inf/inf */
	if (a.kind == INF || b.kind == ZERO) {
		if (a.kind == FINITE)
			*flags |= FP_DZ;
		return with_sign(fmt, sign, inf_bits(fmt));
	}
	if (a.kind == ZERO || b.kind == INF)
		return with_sign(fmt, sign, 0);
	int less = a.sig < b.sig;
	wide dividend = (wide)a.sig << (63 + less);
	uint64_t q = (uint64_t)(dividend / b.sig);
	uint64_t r = (uint64_t)(dividend % b.sig);
	return pack(fmt, sign, a.exp - b.exp - less, q | (r != 0), rm, flags);
}

uint64_t fp_sqrt(enum fp_format fmt, uint64_t a_bits, enum fp_round rm, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits);

	if (is_nan(a) || (a.sign && a.kind != ZERO))
		return nan_result(fmt, a.kind != QNAN, flags);
	if (a.kind != FINITE)
		return a_bits;
	int odd = a.exp & 1;
	wide m = (wide)a.sig << (63 + odd);
	uint64_t root = 0;
	for (uint64_t bit = UINT64_C(1) << 63; bit; bit >>= 1)
		if ((wide)(root | bit) * (root | bit) <= m)
			root |= bit;
	return pack(fmt, false, (a.exp - odd) / 2, root | ((wide)root * root != m), rm, flags);
}

/* Total order of numbers: bit patterns as sign and magnitude, with -0 just below +0. */
static int64_t ordered(enum fp_format fmt, uint64_t bits)
{
	int64_t magnitude = (int64_t)(bits & (sign_bit(fmt) - 1));

	return bits & sign_bit(fmt) ? -magnitude - 1 : magnitude;
}

static uint64_t choose(enum fp_format fmt, uint64_t a_bits, uint64_t b_bits, bool want_less, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits), b = unpack(fmt, b_bits);

	if (a.kind == SNAN || b.kind == SNAN)
		*flags |= FP_NV;
	if (is_nan(a))
		return is_nan(b) ? fp_nan(fmt) : b_bits;
	if (is_nan(b))
		return a_bits;
	return (ordered(fmt, a_bits) < ordered(fmt, b_bits)) == want_less ? a_bits : b_bits;
}

uint64_t fp_min(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags) { return choose(fmt, a, b, true, flags); }
uint64_t fp_max(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags) { return choose(fmt, a, b, false, flags); }

/* -1, 0, 1, or 2 when a NaN is involved. */
static int compare(enum fp_format fmt, uint64_t a_bits, uint64_t b_bits, bool signalling, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits), b = unpack(fmt, b_bits);

	if (is_nan(a) || is_nan(b)) {
		if (signalling || a.kind == SNAN || b.kind == SNAN)
			*flags |= FP_NV;
		return 2;
	}
	if (a.kind == ZERO && b.kind == ZERO)
		return 0;
	int64_t x = ordered(fmt, a_bits), y = ordered(fmt, b_bits);
	return (x > y) - (x < y);
}

bool fp_eq(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags)
{
	return compare(fmt, a, b, false, flags) == 0;
}

bool fp_lt(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags)
{
	return compare(fmt, a, b, true, flags) == -1;
}

bool fp_le(enum fp_format fmt, uint64_t a, uint64_t b, unsigned *flags)
{
	return compare(fmt, a, b, true, flags) <= 0;
}

unsigned fp_class(enum fp_format fmt, uint64_t bits)
{
	struct num a = unpack(fmt, bits);
	bool subnormal = a.kind == FINITE && a.exp < 1 - bias_of(fmt);

	switch (a.kind) {
	case QNAN: return 1u << 9;
	case SNAN: return 1u << 8;
	case INF: return a.sign ? 1u << 0 : 1u << 7;
	case ZERO: return a.sign ? 1u << 3 : 1u << 4;
	default: return a.sign ? 1u << (subnormal ? 2 : 1) : 1u << (subnormal ? 5 : 6);
	}
}

uint64_t fp_convert(enum fp_format from, enum fp_format to, uint64_t bits, enum fp_round rm, unsigned *flags)
{
	struct num a = unpack(from, bits);

	if (is_nan(a))
		return nan_result(to, a.kind == SNAN, flags);
	if (a.kind == INF)
		return with_sign(to, a.sign, inf_bits(to));
	if (a.kind == ZERO)
		return with_sign(to, a.sign, 0);
	return pack(to, a.sign, a.exp, a.sig, rm, flags);
}

uint64_t fp_to_int(enum fp_format fmt, uint64_t a_bits, int bits, bool is_signed, enum fp_round rm, unsigned *flags)
{
	struct num a = unpack(fmt, a_bits);
	uint64_t top = UINT64_C(1) << (bits - 1);
	bool negative = a.sign && !is_nan(a);
	/* the largest magnitude that fits, by sign */
	uint64_t limit = is_signed ? negative ? top : top - 1 : negative ? 0 : top - 1 + top;
	uint64_t whole = 0, low = 0;

	if (a.kind == ZERO)
		return 0;
	bool fits = a.kind == FINITE && a.exp < 64;
	if (fits) {
		if (a.exp >= 0) {
			whole = a.sig >> (63 - a.exp);
			low = a.exp == 63 ? 0 : a.sig << (a.exp + 1);
		} else {
			low = a.exp == -1 ? a.sig : 1;
		}
		whole += rounds_up(rm, a.sign, whole & 1, low);
		fits = whole <= limit;
	}
	if (!fits) {
		*flags |= FP_NV;
		whole = limit;
	} else if (low) {
		*flags |= FP_NX;
	}
	if (negative)
		whole = 0 - whole;
	return bits == 32 ? (uint64_t)(int64_t)(int32_t)(uint32_t)whole : whole;
}

uint64_t fp_from_int(enum fp_format fmt, uint64_t v, bool is_signed, enum fp_round rm, unsigned *flags)
{
	bool sign = is_signed && v >> 63;

	if (v == 0)
		return 0;
	if (sign)
		v = 0 - v;
	int shift = __builtin_clzll(v);
	return pack(fmt, sign, 63 - shift, v << shift, rm, flags);
}
