/*
 * vector_ref.c - vector instructions as plain loops, written from the description of the instruction set: no code of
 * sim/, own number formats (doubles and libm), one lane at a time.
 */
#include "vector_ref.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int width(char t)
{
	switch (t) {
	case 'n': return 4;
	case 'c': case 'C': return 8;
	case 's': case 'S': case 'h': case 'b': return 16;
	case 'l': return 64;
	case 0: return 0;
	default: return 32;
	}
}

static bool is_float(char t) { return t == 'h' || t == 'b' || t == 'f'; }

double vref_half_value(uint16_t h)
{
	int e = h >> 10 & 31, m = h & 1023;
	double v = e == 31 ? (m ? NAN : INFINITY) : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
	return h & 0x8000 ? -v : v;
}

/* Integral value of x in that rounding mode. */
static double integral(double x, char mode)
{
	switch (mode) {
	case 'f': return floor(x);
	case 'c': return ceil(x);
	case 'a': return round(x);
	case 'z': return trunc(x);
	case 'o': return trunc(x) == x ? x : fmod(trunc(x), 2) != 0 ? trunc(x) : trunc(x) + copysign(1, x);
	default: return nearbyint(x);
	}
}

/* A format with `digits` significand bits, exponents from `low` to `high`: the nearest multiple of the quantum. */
static double round_to(double x, int digits, int low, int high, char mode, bool keep)
{
	double largest = ldexp(ldexp(1, digits) - 1, high - digits + 1), q;
	int e;

	if (isnan(x))
		return keep ? NAN : 0;
	if (isinf(x))
		return keep ? x : copysign(largest, x);
	if (x == 0)
		return x;
	e = ilogb(x) < low ? low : ilogb(x);
	q = ldexp(1, e - digits + 1);
	double r = copysign(integral(x / q, mode) * q, x);
	if (fabs(r) > largest) {
		bool up = mode == 'r' || mode == 'a' || (mode == 'c' && x > 0) || (mode == 'f' && x < 0);
		r = copysign(keep && up ? INFINITY : largest, x);
	}
	return r;
}

uint16_t vref_half(double x, char mode, bool keep)
{
	double r = round_to(x, 11, -14, 15, mode, keep);
	uint16_t sign = signbit(r) ? 0x8000 : 0;
	double a = fabs(r);

	if (isnan(r))
		return 0x7e00;
	if (isinf(r))
		return sign | 0x7c00;
	if (a < ldexp(1, -14))
		return sign | (uint16_t)ldexp(a, 24);
	int e = ilogb(a);
	return sign | (uint16_t)((e + 15) << 10) | (uint16_t)(ldexp(a, 10 - e) - 1024);
}

static uint32_t float_bits(float x)
{
	uint32_t u;
	memcpy(&u, &x, 4);
	return isnan(x) ? 0x7fc00000 : u;
}

static uint64_t get(const uint8_t *ub, uint64_t addr, int lane, char t)
{
	uint64_t x = 0;

	if (t == 'n')
		return ub[addr + lane / 2] >> (lane % 2 * 4) & 15;
	memcpy(&x, ub + addr + lane * width(t) / 8, width(t) / 8);
	return x;
}

static void put(uint8_t *ub, uint64_t addr, int lane, char t, uint64_t x)
{
	if (t == 'n') {
		uint8_t *p = ub + addr + lane / 2;
		*p = lane % 2 ? (*p & 15) | (x & 15) << 4 : (*p & 0xf0) | (x & 15);
	} else {
		memcpy(ub + addr + lane * width(t) / 8, &x, width(t) / 8);
	}
}

static double number(char t, uint64_t bits)
{
	float f;
	uint32_t u = (uint32_t)bits;

	switch (t) {
	case 'h': return vref_half_value((uint16_t)bits);
	case 'b':
		u = (uint32_t)bits << 16; /* fall through */
	case 'f':
		memcpy(&f, &u, 4);
		return f;
	default: return 0;
	}
}

static int64_t integer(char t, uint64_t x)
{
	switch (t) {
	case 'n': return (int64_t)(x & 15) - (x & 8 ? 16 : 0);
	case 'c': return (int8_t)x;
	case 'C': return (uint8_t)x;
	case 's': return (int16_t)x;
	case 'S': return (uint16_t)x;
	case 'i': return (int32_t)x;
	case 'I': return (uint32_t)x;
	default: return (int64_t)x;
	}
}

static int64_t lowest(char t)
{
	return t == 'C' || t == 'S' || t == 'I' ? 0 : width(t) == 64 ? INT64_MIN : -((int64_t)1 << (width(t) - 1));
}

static int64_t highest(char t)
{
	if (width(t) == 64)
		return INT64_MAX;
	return t == 'C' || t == 'S' || t == 'I' ? ((int64_t)1 << width(t)) - 1 : ((int64_t)1 << (width(t) - 1)) - 1;
}

static int64_t clamp(char t, int64_t x)
{
	return x < lowest(t) ? lowest(t) : x > highest(t) ? highest(t) : x;
}

/* A real number as bits of type t. */
static uint64_t encode(const struct vref_op *o, char t, double x, char mode)
{
	switch (t) {
	case 'h': return vref_half(x, mode, o->keep);
	case 'f': return float_bits((float)x);
	case 'b': {
		double r = round_to(x, 8, -126, 127, mode, o->keep);
		return float_bits((float)r) >> 16;
	}
	default: break;
	}
	if (isnan(x))
		return 0;
	double r = integral(x, mode);
	if (o->truncate && !isinf(r)) {
		double m = fmod(r, 18446744073709551616.0);
		return m < 0 ? 0 - (uint64_t)-m : (uint64_t)m;
	}
	if (r <= (double)lowest(t))
		return (uint64_t)lowest(t);
	if (r >= (double)highest(t))
		return (uint64_t)highest(t);
	return (uint64_t)(int64_t)r;
}

/* Integer v to a float type, the exact value of v kept until the one rounding: magnitudes of up to 64 bits. */
static uint64_t int_to_float(const struct vref_op *o, char t, int64_t v, char mode)
{
	uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v, unit = 1, q, rest;

	if (t != 'f')
		return encode(o, t, (double)v, mode);
	while (mag / unit >= (1u << 24))
		unit *= 2;
	q = mag / unit;
	rest = mag % unit;
	if (rest && ((mode == 'c' && v > 0) || (mode == 'f' && v < 0) || (mode == 'a' && rest * 2 >= unit) ||
		     (mode == 'r' && (rest * 2 > unit || (rest * 2 == unit && q % 2)))))
		q++;
	float f = (float)((double)q * (double)unit);
	return float_bits(v < 0 ? -f : f);
}

static char suffix(const char *name)
{
	char last = name[strlen(name) - 1];
	return strchr("rfcazo", last) && last ? last : 'r';
}

static uint64_t convert(const struct vref_op *o, uint64_t a)
{
	char td = o->t[0], ts = o->t[1], mode = suffix(o->name);

	if (!strcmp(o->name, "vconv_deq"))
		return encode(o, td, (double)integer(ts, a) * vref_half_value(o->deqscale), 'r');
	if (is_float(ts) && ts == td)
		return float_bits((float)integral(number(ts, a), mode));
	if (is_float(ts))
		return encode(o, td, number(ts, a), mode);
	if (is_float(td))
		return int_to_float(o, td, integer(ts, a), mode);
	return (uint64_t)(o->truncate ? integer(ts, a) : clamp(td, integer(ts, a)));
}

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

static float relu(float x) { return isnan(x) ? x : x > 0 ? x : 0; }
static float greater_of(float a, float b)
{
	if (isnan(a) || isnan(b))
		return NAN;
	if (a == 0 && b == 0)
		return signbit(a) && signbit(b) ? a : 0;
	return a < b ? b : a;
}

/* Floats: every operation one rounding to fp32, results to the type afterwards. */
static bool float_lane(const char *n, float a, float b, float d, float *r)
{
	if (starts(n, "vaddrelu")) *r = relu(a + b);
	else if (starts(n, "vsubrelu")) *r = relu(a - b);
	else if (!strcmp(n, "vadd") || !strcmp(n, "vadds")) *r = a + b;
	else if (!strcmp(n, "vsub")) *r = a - b;
	else if (!strcmp(n, "vmul") || !strcmp(n, "vmuls") || starts(n, "vmulconv")) *r = a * b;
	else if (!strcmp(n, "vdiv")) *r = a / b;
	else if (!strcmp(n, "vmax") || !strcmp(n, "vmaxs")) *r = greater_of(a, b);
	else if (!strcmp(n, "vmin") || !strcmp(n, "vmins")) *r = -greater_of(-a, -b);
	else if (!strcmp(n, "vmadd")) { float p = a * d; *r = p + b; }
	else if (!strcmp(n, "vmla") || !strcmp(n, "vaxpy")) { float p = a * b; *r = p + d; }
	else if (!strcmp(n, "vmaddrelu")) { float p = a * d; *r = relu(p + b); }
	else if (!strcmp(n, "vabs")) *r = fabsf(a);
	else if (!strcmp(n, "vrelu")) *r = relu(a);
	else if (!strcmp(n, "vlrelu")) *r = a >= 0 ? a : a * b;
	else return false;
	return true;
}

/* Functions with an exact value in double. */
static bool function_lane(const char *n, double a, double *r)
{
	if (!strcmp(n, "vrec")) *r = 1 / a;
	else if (!strcmp(n, "vexp")) *r = exp(a);
	else if (!strcmp(n, "vln")) *r = log(a);
	else if (!strcmp(n, "vsqrt")) *r = sqrt(a);
	else if (!strcmp(n, "vrsqrt")) *r = 1 / sqrt(a);
	else return false;
	return true;
}

static int64_t sat(const struct vref_op *o, char t, int64_t x)
{
	return o->saturate ? clamp(t, x) : integer(t, (uint64_t)x);
}

static bool int_lane(const struct vref_op *o, int64_t a, int64_t b, int64_t *r)
{
	const char *n = o->name;
	char t = o->t[1];

	if (starts(n, "vaddrelu") || starts(n, "vsubrelu")) {
		*r = sat(o, t, n[1] == 'a' ? a + b : a - b);
		*r = *r > 0 ? *r : 0;
		if (o->t[0] != t && !o->truncate)
			*r = clamp(o->t[0], *r);
	}
	else if (!strcmp(n, "vadd") || !strcmp(n, "vadds")) *r = sat(o, t, a + b);
	else if (!strcmp(n, "vsub")) *r = sat(o, t, a - b);
	else if (!strcmp(n, "vmul") || !strcmp(n, "vmuls")) *r = sat(o, t, a * b);
	else if (!strcmp(n, "vmax") || !strcmp(n, "vmaxs")) *r = a > b ? a : b;
	else if (!strcmp(n, "vmin") || !strcmp(n, "vmins")) *r = a < b ? a : b;
	else if (!strcmp(n, "vand")) *r = a & b;
	else if (!strcmp(n, "vor")) *r = a | b;
	else if (!strcmp(n, "vnot")) *r = ~a;
	else if (!strcmp(n, "vabs")) *r = sat(o, t, a < 0 ? -a : a);
	else if (!strcmp(n, "vrelu")) *r = a > 0 ? a : 0;
	else if (!strcmp(n, "vshl")) *r = b >= width(t) ? 0 : (int64_t)((uint64_t)a << b);
	else if (!strcmp(n, "vshr")) *r = (int64_t)floor(ldexp((double)a, (int)-b) + (o->shift_round && b ? 0.5 : 0));
	else return false;
	return true;
}

static bool lane_value(const struct vref_op *o, uint64_t a, uint64_t b, uint64_t d, uint64_t *r)
{
	char td = o->t[0], ts = o->t[1];
	float f = 0;
	double e;
	int64_t i;

	if (!strcmp(o->name, "vector_dup")) {
		*r = o->scalar;
		return true;
	}
	if (!strcmp(o->name, "vcopy")) {
		*r = a;
		return true;
	}
	if (starts(o->name, "vconv_")) {
		*r = convert(o, a);
		return true;
	}
	if (!is_float(ts)) {
		bool ok = int_lane(o, integer(ts, a), integer(o->t[2], b), &i);
		*r = (uint64_t)i;
		return ok;
	}
	if (function_lane(o->name, number(ts, a), &e)) {
		*r = encode(o, td, e, 'r');
		return true;
	}
	if (!float_lane(o->name, (float)number(ts, a), (float)number(o->t[2], b), (float)number(td, d), &f))
		return false;
	if (td != 'f' && ts == 'h') /* fp16 operations end in fp16, whatever follows */
		f = (float)vref_half_value(vref_half(f, 'r', o->keep));
	*r = encode(o, td, f, 'r');
	return true;
}

/* Address of the block that holds a lane, and the lane's number in it. */
static uint64_t block_of(const struct vref_op *o, int k, int r, int lane, int *in_block)
{
	int per = 256 / width(o->t[k]);
	*in_block = lane % per;
	return o->addr[k] + (uint64_t)(r * o->rep[k] + lane / per * o->blk[k]) * 32;
}

static uint64_t lane_get(const struct vref_op *o, const uint8_t *ub, int k, int r, int lane)
{
	int e;
	uint64_t p = block_of(o, k, r, lane, &e);
	return get(ub, p, e, o->t[k]);
}

static bool active(const struct vref_op *o, int r, int lane, int lanes)
{
	if (o->counter)
		return (uint64_t)r * lanes + lane < o->mask[0];
	return o->mask[lane / 64] >> lane % 64 & 1;
}

static int lanes_of(const struct vref_op *o)
{
	int w = 0;
	for (int k = 0; k < 3; k++)
		if (width(o->t[k]) > w)
			w = width(o->t[k]);
	return 2048 / w;
}

static int repeats_of(const struct vref_op *o, int lanes)
{
	return o->counter ? (int)((o->mask[0] + lanes - 1) / lanes) : o->repeat;
}

static bool one_source(const char *n)
{
	static const char *const list[] = { "vadds", "vmuls", "vmaxs", "vmins", "vlrelu", "vaxpy", "vshl", "vshr" };
	for (unsigned i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		if (!strcmp(n, list[i]))
			return true;
	return false;
}

static bool lanes(const struct vref_op *o, uint8_t *ub)
{
	int n = lanes_of(o), e;
	bool with_scalar = one_source(o->name), two = o->t[2] && !with_scalar;

	for (int r = 0; r < repeats_of(o, n); r++)
		for (int i = 0; i < n; i++) {
			uint64_t x = 0, a = o->t[1] ? lane_get(o, ub, 1, r, i) : 0;
			uint64_t b = two ? lane_get(o, ub, 2, r, i) : o->scalar;
			if (!active(o, r, i, n))
				continue;
			if (!lane_value(o, a, b, lane_get(o, ub, 0, r, i), &x))
				return false;
			uint64_t p = block_of(o, 0, r, i, &e);
			put(ub, p, e, o->t[0], x);
		}
	return true;
}

/* --- reductions: t[1] is the type; dst strides count what a repeat writes */

static float sum_type(const struct vref_op *o, float x)
{
	return o->t[1] == 'h' ? (float)vref_half_value(vref_half(x, 'r', o->keep)) : x;
}

static float tree(const struct vref_op *o, const float *x, int n)
{
	if (n == 1)
		return x[0];
	return sum_type(o, tree(o, x, n / 2) + tree(o, x + n / 2, n / 2));
}

static bool reduce(const struct vref_op *o, uint8_t *ub)
{
	bool pair = !strcmp(o->name, "vcpadd"), block = o->name[2] == 'g';
	bool sum = strstr(o->name, "add"), max = strstr(o->name, "max");
	int n = lanes_of(o), w = width(o->t[1]) / 8, per = pair ? 2 : block ? n / 8 : n;
	bool with_index = !pair && !block && !sum;
	int bytes = with_index ? (o->order == 2 ? w : o->order == 3 ? 4 : 2 * w) : n / per * w;

	for (int r = 0; r < repeats_of(o, n); r++)
		for (int g = 0; g < n / per; g++) {
			uint64_t to = o->addr[0] + (uint64_t)(r * o->rep[0] * bytes) + (uint64_t)(g * w);
			float x[128];
			int best = -1;
			for (int i = 0; i < per; i++) {
				int lane = g * per + i;
				bool on = active(o, r, lane, n);
				x[i] = on ? (float)number(o->t[1], lane_get(o, ub, 1, r, lane)) : 0;
				if (!on || (best >= 0 && isnan(x[best])))
					continue;
				if (best < 0 || isnan(x[i]) || (max ? x[i] > x[best] : x[i] < x[best]))
					best = i;
			}
			if (best < 0)
				continue;
			uint64_t v = encode(o, o->t[1], sum ? tree(o, x, per) : x[best], 'r'), index = (uint64_t)best;
			if (!with_index || o->order == 2) {
				memcpy(ub + to, &v, w);
			} else if (o->order == 3) {
				memcpy(ub + to, &index, 4);
			} else {
				memcpy(ub + to + (o->order ? w : 0), &v, w);
				memcpy(ub + to + (o->order ? 0 : w), &index, w);
			}
		}
	return true;
}

/* --- compares and select */

static bool compare(const char *n, double a, double b)
{
	const char *c = strrchr(n, '_') + 1;
	return !strcmp(c, "eq") ? a == b : !strcmp(c, "ne") ? a != b : !strcmp(c, "lt") ? a < b
	     : !strcmp(c, "le") ? a <= b : !strcmp(c, "gt") ? a > b : a >= b;
}

static double any_number(char t, uint64_t x) { return is_float(t) ? number(t, x) : (double)integer(t, x); }

static bool compares(struct vref_op *o, uint8_t *ub)
{
	int n = lanes_of(o);
	bool to_register = starts(o->name, "vcmp_"), scalar = starts(o->name, "vcmpvs");

	for (int r = 0; r < repeats_of(o, n); r++) {
		uint8_t bits[16] = { 0 };
		for (int i = 0; i < n; i++) {
			bool off = (o->counter || to_register) && !active(o, r, i, n);
			double a = any_number(o->t[1], lane_get(o, ub, 1, r, i));
			double b = any_number(o->t[1], scalar ? o->scalar : lane_get(o, ub, 2, r, i));
			bool bit = compare(o->name, a, b);
			if (off)
				bit = to_register ? o->cmpmask[i / 8] >> i % 8 & 1 : 0;
			bits[i / 8] |= bit << i % 8;
		}
		if (to_register) {
			memcpy(o->cmpmask, bits, n / 8);
		} else {
			uint64_t left = o->counter ? o->mask[0] - (uint64_t)r * n : (uint64_t)n;
			memcpy(ub + o->addr[0] + r * n / 8, bits, left < (uint64_t)n ? (left + 7) / 8 : n / 8u);
		}
	}
	return true;
}

static bool selects(const struct vref_op *o, uint8_t *ub)
{
	int n = lanes_of(o), e;
	uint64_t bits_at = o->addr[2];
	uint32_t low;

	memcpy(&low, o->cmpmask, 4);
	if (o->order == 2)
		bits_at = low;
	for (int r = 0; r < repeats_of(o, n); r++)
		for (int i = 0; i < n; i++) {
			if (!active(o, r, i, n))
				continue;
			int at = r * n + i;
			bool bit = o->order == 0 ? o->cmpmask[i / 8] >> i % 8 & 1 : ub[bits_at + at / 8] >> at % 8 & 1;
			uint64_t x = 0;
			if (bit)
				x = lane_get(o, ub, 1, r, i);
			else if (o->order == 1)
				memcpy(&x, o->cmpmask, width(o->t[0]) / 8);
			else
				x = lane_get(o, ub, 2, r, i);
			uint64_t p = block_of(o, 0, r, i, &e);
			put(ub, p, e, o->t[0], x);
		}
	return true;
}

/* --- movement: scalar holds the base of gathers */

static bool moves(struct vref_op *o, uint8_t *ub)
{
	int w = width(o->t[0]) / 8, n = w ? 256 / w : 0, e;
	uint32_t offset;

	if (!strcmp(o->name, "vbrcb")) {
		for (int r = 0; r < o->repeat; r++)
			for (int b = 0; b < 8; b++)
				for (int i = 0; i < 32 / w; i++)
					memcpy(ub + o->addr[0] + (r * o->rep[0] + b * o->blk[0]) * 32 + i * w,
					       ub + o->addr[1] + (r * 8 + b) * w, w);
	} else if (!strcmp(o->name, "vgather")) {
		for (int r = 0; r < repeats_of(o, n); r++)
			for (int i = 0; i < n; i++) {
				if (!active(o, r, i, n))
					continue;
				memcpy(&offset, ub + o->addr[1] + (r * n + i) * 4, 4);
				uint64_t p = block_of(o, 0, r, i, &e);
				memcpy(ub + p + e * w, ub + o->scalar + offset, w);
			}
	} else if (!strcmp(o->name, "vgatherb")) {
		for (int r = 0; r < o->repeat; r++)
			for (int b = 0; b < 8; b++) {
				memcpy(&offset, ub + o->addr[1] + (r * 8 + b) * 4, 4);
				memcpy(ub + o->addr[0] + (r * o->rep[0] + b * o->blk[0]) * 32,
				       ub + o->scalar + offset, 32);
			}
	} else if (!strcmp(o->name, "vreducev2")) {
		uint64_t to = o->addr[0];
		int each = o->counter ? (int)o->mask[0] : n;
		static const int first[8] = { 0, 0, 1, 0, 1, 2, 3, 0 }, step[8] = { 0, 2, 2, 4, 4, 4, 4, 1 };
		o->count = 0;
		for (int r = 0; r < o->repeat; r++)
			for (int i = 0; i < each; i++) {
				int p = o->order;
				bool on = p ? i % step[p] == first[p]
					    : ub[o->addr[2] + r * o->rep[2] * 32 + i / 8] >> i % 8 & 1;
				int per = 32 / w;
				if (!on)
					continue;
				memcpy(ub + to,
				       ub + o->addr[1] + (r * o->rep[1] + i / per * o->blk[1]) * 32 + i % per * w, w);
				to += w;
				o->count++;
			}
	} else if (!strcmp(o->name, "vtranspose")) {
		uint16_t in[16][16], out[16][16];
		memcpy(in, ub + o->addr[1], 512);
		for (int i = 0; i < 16; i++)
			for (int j = 0; j < 16; j++)
				out[i][j] = in[j][i];
		memcpy(ub + o->addr[0], out, 512);
	} else {
		return false;
	}
	return true;
}

bool vref_run(struct vref_op *o, uint8_t *ub)
{
	if (starts(o->name, "vcmp"))
		return compares(o, ub);
	if (!strcmp(o->name, "vsel"))
		return selects(o, ub);
	if (starts(o->name, "vcadd") || starts(o->name, "vcm") || starts(o->name, "vcg") || starts(o->name, "vcpadd"))
		return reduce(o, ub);
	if (moves(o, ub))
		return true;
	return lanes(o, ub);
}
