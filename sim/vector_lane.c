/*
 * vector_lane.c - lane-by-lane vector operations: binary, unary, with a scalar, copy, dup. vec_lane_value says what
 * each does to one lane; the array code below does the same for the lanes of a repeat at once.
 *
 * Choices where public sources are silent: NaN in any operand of max, min and relu gives NaN, +0 is above -0;
 * products of multiply-adds are rounded before the addition; fp16 results saturate when CTRL[48] is 0.
 */
#include "vector.h"

#include <string.h>

static inline float relu(float x)
{
	return ((x > 0) | (x != x)) ? x : 0.0f;
}

static inline float larger(float a, float b)
{
	float m = a > b ? a : b > a ? b : num_float(num_bits(a) & num_bits(b));
	return ((a != a) | (b != b)) ? num_float(0x7fc00000u) : m;
}

static inline float smaller(float a, float b)
{
	float m = a < b ? a : b < a ? b : num_float(num_bits(a) | num_bits(b));
	return ((a != a) | (b != b)) ? num_float(0x7fc00000u) : m;
}

/* One lane in fp32; d is the old destination. */
__attribute__((always_inline)) static inline float float_op(enum vec_op vop, float a, float b, float d)
{
	switch (vop) {
	case VOP_ADD: return num_canon(a + b);
	case VOP_SUB: return num_canon(a - b);
	case VOP_MUL: return num_canon(a * b);
	case VOP_DIV: return num_canon(a / b);
	case VOP_MAX: return larger(a, b);
	case VOP_MIN: return smaller(a, b);
	case VOP_ADDRELU: return num_canon(relu(a + b));
	case VOP_SUBRELU: return num_canon(relu(a - b));
	case VOP_MADD: return num_canon(a * d + b);
	case VOP_MLA: return num_canon(a * b + d);
	case VOP_MADDRELU: return num_canon(relu(a * d + b));
	case VOP_LRELU: return num_canon(a >= 0 ? a : a * b);
	case VOP_ABS: return num_canon(num_float(num_bits(a) & 0x7fffffff));
	case VOP_RELU: return num_canon(relu(a));
	case VOP_REC: return num_rec(a);
	case VOP_EXP: return num_exp(a);
	case VOP_LN: return num_ln(a);
	case VOP_SQRT: return num_sqrt(a);
	case VOP_RSQRT: return num_rsqrt(a);
	default: return a;
	}
}

static inline int64_t fit(const struct vec *v, enum isa_type t, int64_t x)
{
	return v->saturate ? num_saturate(x, (int)isa_type_bits(t), vec_is_signed(t)) : x;
}

/* One lane in integers of type t; the caller keeps the low bits of the result. */
__attribute__((always_inline)) static inline int64_t int_op(const struct vec *v, enum isa_type t, enum vec_op vop,
							     int64_t a, int64_t b, int64_t d)
{
	switch (vop) {
	case VOP_ADD: return fit(v, t, a + b);
	case VOP_SUB: return fit(v, t, a - b);
	case VOP_MUL: return fit(v, t, a * b);
	case VOP_MAX: return a > b ? a : b;
	case VOP_MIN: return a < b ? a : b;
	case VOP_AND: return a & b;
	case VOP_OR: return a | b;
	case VOP_NOT: return ~a;
	case VOP_ABS: return fit(v, t, a < 0 ? -a : a);
	case VOP_RELU: return a > 0 ? a : 0;
	case VOP_MLA: return fit(v, t, a * b + d);
	case VOP_SHL: return (int64_t)((uint64_t)a << b);
	case VOP_SHR: return (a + (v->shift_round && b ? INT64_C(1) << (b - 1) : 0)) >> b;
	default: return a;
	}
}

/* The low bits of a sum as the type would hold them, then relu. */
static int64_t int_relu(const struct vec *v, enum isa_type t, int64_t sum)
{
	int64_t x = vec_int_of(t, (uint64_t)fit(v, t, sum));
	return x > 0 ? x : 0;
}

static uint16_t f16_limit(const struct vec *v, uint16_t h)
{
	if (v->keep || (h & 0x7c00) != 0x7c00)
		return h;
	return h & 0x3ff ? 0 : (uint16_t)((h & 0x8000) | 0x7bff);
}

static bool is_function(enum vec_op vop)
{
	return vop == VOP_EXP || vop == VOP_LN || vop == VOP_RSQRT || vop == VOP_REC || vop == VOP_SQRT;
}

static enum num_fn function_of(enum vec_op vop)
{
	switch (vop) {
	case VOP_EXP: return NUM_EXP;
	case VOP_LN: return NUM_LN;
	case VOP_RSQRT: return NUM_RSQRT;
	case VOP_REC: return NUM_REC;
	default: return NUM_SQRT;
	}
}

static uint16_t f16_call(const struct vec *v, uint16_t h)
{
	switch (v->vop) {
	case VOP_EXP: return f16_limit(v, num_exp_f16(h));
	case VOP_LN: return f16_limit(v, num_ln_f16(h));
	case VOP_RSQRT: return f16_limit(v, num_rsqrt_f16(h));
	case VOP_REC: return f16_limit(v, num_rec_f16(h));
	default: return f16_limit(v, num_sqrt_f16(h));
	}
}

/* Result type before a conversion at the end (vmulconv, vaddreluconv): the sources' own, or fp32 when dst is fp32. */
static enum isa_type compute_type(const struct vec *v)
{
	return v->o[VEC_DST].type == TYPE_F32 ? TYPE_F32 : v->o[VEC_SRC0].type;
}

/* A float result of compute type t as bits of the destination. */
static uint64_t float_result(const struct vec *v, enum isa_type t, float x)
{
	enum isa_type td = v->o[VEC_DST].type;

	if (t == TYPE_F16)
		x = num_from_f16(num_to_f16(x, NUM_RINT, v->keep));
	switch (td) {
	case TYPE_F32: return num_bits(x);
	case TYPE_F16: return num_to_f16(x, NUM_RINT, v->keep);
	case TYPE_BF16: return num_to_bf16(x, NUM_RINT, v->keep);
	default:
		return (uint64_t)num_to_int(x, NUM_RINT, (int)isa_type_bits(td), vec_is_signed(td), v->truncate);
	}
}

static uint64_t int_result(const struct vec *v, enum isa_type t, int64_t x)
{
	enum isa_type td = v->o[VEC_DST].type;

	if (td != t && !v->truncate)
		x = num_saturate(vec_int_of(t, (uint64_t)x), (int)isa_type_bits(td), vec_is_signed(td));
	return (uint64_t)x;
}

uint64_t vec_lane_value(const struct vec *v, const struct op *op, uint64_t a, uint64_t b, uint64_t d)
{
	enum isa_type t = v->o[VEC_SRC0].type, tc = compute_type(v);
	enum vec_op vop = v->vop;

	switch (vop) {
	case VOP_COPY: return a;
	case VOP_DUP: return v->scalar;
	case VOP_CONV:
	case VOP_DEQ: return vec_convert(v, op, a);
	default: break;
	}
	if (!vec_is_float(t)) {
		int64_t x = vec_int_of(t, a), y = vec_int_of(v->o[VEC_SRC1].type, b);
		if (vop == VOP_ADDDEQRELU)
			return vec_dequantise(v, op, x + y < 0 ? 0 : x + y);
		if (vop == VOP_ADDRELU || vop == VOP_SUBRELU)
			return int_result(v, t, int_relu(v, t, vop == VOP_ADDRELU ? x + y : x - y));
		return int_result(v, t, int_op(v, t, vop, x, y, vec_int_of(t, d)));
	}
	if (tc == TYPE_F16 && is_function(vop))
		return f16_call(v, (uint16_t)a);
	float x = float_op(vop, vec_float_of(t, a), vec_float_of(v->o[VEC_SRC1].type, b),
			   vec_float_of(v->o[VEC_DST].type, d));
	return float_result(v, tc, x);
}

/* The same for n lanes (a multiple of 32) with constant trip counts, which compilers turn into SIMD code. */
__attribute__((always_inline)) static inline void float_array(enum vec_op vop, const float *restrict a,
							      const float *restrict b, const float *restrict d,
							      float *restrict out, uint32_t n)
{
#define CASE(name)                                                                                                     \
	case name:                                                                                                     \
		for (; n; n -= 32, a += 32, b += 32, d += 32, out += 32)                                               \
			for (int i = 0; i < 32; i++)                                                                   \
				out[i] = float_op(name, a[i], b[i], d[i]);                                             \
		break;
	switch (vop) {
	CASE(VOP_ADD) CASE(VOP_SUB) CASE(VOP_MUL) CASE(VOP_DIV) CASE(VOP_MAX) CASE(VOP_MIN) CASE(VOP_ADDRELU)
	CASE(VOP_SUBRELU) CASE(VOP_MADD) CASE(VOP_MLA) CASE(VOP_MADDRELU) CASE(VOP_LRELU) CASE(VOP_ABS)
	CASE(VOP_RELU)
	default:
		break;
	}
#undef CASE
}

NUM_O3 static void float_array_plain(enum vec_op vop, const float *a, const float *b, const float *d, float *out,
				     uint32_t n)
{
	float_array(vop, a, b, d, out, n);
}

NUM_TARGET_AVX2 NUM_O3 static void float_array_avx2(enum vec_op vop, const float *a, const float *b, const float *d,
						    float *out, uint32_t n)
{
	float_array(vop, a, b, d, out, n);
}

NUM_O3 static void splat(float x, float *b)
{
	for (uint32_t i = 0; i < 128; i++)
		b[i] = x;
}

static void float_repeat(const struct vec *v, const void *ra, const void *rb, const void *rd, void *out)
{
	enum isa_type t = v->o[VEC_SRC0].type, tc = compute_type(v), td = v->o[VEC_DST].type;
	float a[128], b[128], d[128], x[128];
	uint32_t n = v->lanes;

	vec_to_float(t, ra, a, n);
	if (is_function(v->vop)) { /* fp32: fp16 has its own path */
		num_fn_f32_n(function_of(v->vop), a, out, n);
		return;
	}
	if (v->n_src == 2)
		vec_to_float(v->o[VEC_SRC1].type, rb, b, n);
	else if (v->form == FORM_VUNS)
		splat(vec_float_of(v->o[VEC_SRC1].type, v->scalar), b);
	if (v->reads_dst)
		vec_to_float(td, rd, d, n);
	/* operands that the operation does not have: any readable array */
	const float *second = v->n_src == 2 || v->form == FORM_VUNS ? b : a, *old = v->reads_dst ? d : a;
	if (num_has_avx2())
		float_array_avx2(v->vop, a, second, old, x, n);
	else
		float_array_plain(v->vop, a, second, old, x, n);
	if (td == TYPE_F32)
		memcpy(out, x, n * 4);
	else if (td == TYPE_F16)
		num_f32_to_f16_n(x, out, n, v->keep);
	else
		for (uint32_t i = 0; i < n; i++)
			vec_put((uint8_t *)out + i * (v->o[VEC_DST].bits / 8u), v->o[VEC_DST].bits,
				float_result(v, tc, x[i]));
}

static void int_array(const struct vec *v, enum isa_type t, const int64_t *a, const int64_t *b, const int64_t *d,
		      int64_t *out)
{
#define CASE(name)                                                                                                     \
	case name:                                                                                                     \
		for (uint32_t i = 0; i < v->lanes; i++)                                                                \
			out[i] = int_op(v, t, name, a[i], b[i], d[i]);                                                 \
		break;
	switch (v->vop) {
	CASE(VOP_ADD) CASE(VOP_SUB) CASE(VOP_MUL) CASE(VOP_MAX) CASE(VOP_MIN) CASE(VOP_AND) CASE(VOP_OR) CASE(VOP_NOT)
	CASE(VOP_ABS) CASE(VOP_RELU) CASE(VOP_MLA) CASE(VOP_SHL) CASE(VOP_SHR)
	case VOP_ADDRELU:
	case VOP_SUBRELU:
		for (uint32_t i = 0; i < v->lanes; i++)
			out[i] = int_relu(v, t, v->vop == VOP_ADDRELU ? a[i] + b[i] : a[i] - b[i]);
		break;
	default:
		break;
	}
#undef CASE
}

static void int_repeat(const struct vec *v, const void *ra, const void *rb, const void *rd, void *out)
{
	enum isa_type t = v->o[VEC_SRC0].type, td = v->o[VEC_DST].type;
	int64_t a[128], b[128], d[128], x[128];
	uint32_t n = v->lanes;

	vec_to_int(t, ra, a, n);
	if (v->n_src == 2) {
		vec_to_int(v->o[VEC_SRC1].type, rb, b, n);
	} else {
		int64_t s = v->form == FORM_VUNS ? vec_int_of(v->o[VEC_SRC1].type, v->scalar) : 0;
		for (uint32_t i = 0; i < n; i++)
			b[i] = s;
	}
	if (v->reads_dst)
		vec_to_int(td, rd, d, n);
	else
		memset(d, 0, n * sizeof(int64_t));
	int_array(v, t, a, b, d, x);
	if (td != t)
		for (uint32_t i = 0; i < n; i++)
			x[i] = (int64_t)int_result(v, t, x[i]);
	vec_from_int(td, x, out, n);
}

/* f16(max(a + b, 0) * deqscale), the sum exact */
static void add_deq_repeat(const struct vec *v, const struct op *op, const void *ra, const void *rb, void *out)
{
	int64_t a[128], b[128];

	vec_to_int(v->o[VEC_SRC0].type, ra, a, v->lanes);
	vec_to_int(v->o[VEC_SRC1].type, rb, b, v->lanes);
	for (uint32_t i = 0; i < v->lanes; i++)
		vec_put((uint8_t *)out + 2 * i, 16, vec_dequantise(v, op, a[i] + b[i] < 0 ? 0 : a[i] + b[i]));
}

static void lanes_repeat(const struct vec *v, const struct op *op, const void *a, const void *b, const void *d,
			 void *out)
{
	if (v->vop == VOP_COPY) {
		memcpy(out, a, 256);
	} else if (v->vop == VOP_CONV || v->vop == VOP_DEQ) {
		vec_conv_repeat(v, op, a, out);
	} else if (v->vop == VOP_ADDDEQRELU) {
		add_deq_repeat(v, op, a, b, out);
	} else if (!vec_is_float(v->o[VEC_SRC0].type)) {
		int_repeat(v, a, b, d, out);
	} else if (compute_type(v) == TYPE_F16 && is_function(v->vop)) {
		uint16_t *r = out;
		num_fn_f16_n(function_of(v->vop), a, r, v->lanes);
		for (uint32_t i = 0; !v->keep && i < v->lanes; i++)
			r[i] = f16_limit(v, r[i]);
	} else {
		float_repeat(v, a, b, d, out);
	}
}

/* The reference loop: repeats in order; every repeat reads all its operands before it writes. */
static void lanes_fast(const struct vec *v, const struct op *op, uint8_t *ub)
{
	_Alignas(32) uint64_t a[32], b[32], d[32], out[32];

	if (v->vop == VOP_DUP)
		for (uint32_t i = 0; i < v->lanes; i++)
			vec_put((uint8_t *)out + i * (v->o[VEC_DST].bits / 8u), v->o[VEC_DST].bits, v->scalar);
	for (uint32_t r = 0; r < v->repeats; r++) {
		if (v->n_src)
			vec_load(ub, v, VEC_SRC0, r, a);
		if (v->n_src == 2)
			vec_load(ub, v, VEC_SRC1, r, b);
		if (v->reads_dst)
			vec_load(ub, v, VEC_DST, r, d);
		if (v->vop != VOP_DUP)
			lanes_repeat(v, op, a, b, d, out);
		vec_store(ub, v, r, out);
	}
}

/* Bits of a lane; 4-bit lanes are packed low nibble first. */
static uint64_t lane_get(const uint8_t *ub, const struct vec_operand *o, uint32_t repeat, uint32_t lane)
{
	if (o->bits == 4) {
		uint64_t at = vec_block_addr(o, repeat, lane / 64) + lane % 64 / 2;
		return ub[at] >> (lane & 1 ? 4 : 0) & 15;
	}
	return vec_element(ub + vec_lane_addr(o, repeat, lane), o->bits);
}

static void lane_put(uint8_t *ub, const struct vec_operand *o, uint32_t repeat, uint32_t lane, uint64_t x)
{
	if (o->bits == 4) {
		uint8_t *p = ub + vec_block_addr(o, repeat, lane / 64) + lane % 64 / 2;
		*p = (uint8_t)(lane & 1 ? (*p & 0x0f) | (x & 15) << 4 : (*p & 0xf0) | (x & 15));
		return;
	}
	vec_put(ub + vec_lane_addr(o, repeat, lane), o->bits, x);
}

static void lanes_plain(const struct vec *v, const struct op *op, uint8_t *ub)
{
	for (uint32_t r = 0; r < v->repeats; r++)
		for (uint32_t i = 0; i < v->lanes; i++) {
			if (!vec_lane(vec_on(v, r), i))
				continue;
			uint64_t a = v->n_src ? lane_get(ub, &v->o[VEC_SRC0], r, i) : 0;
			uint64_t b = v->n_src == 2 ? lane_get(ub, &v->o[VEC_SRC1], r, i) : v->scalar;
			uint64_t d = v->reads_dst ? lane_get(ub, &v->o[VEC_DST], r, i) : 0;
			lane_put(ub, &v->o[VEC_DST], r, i, vec_lane_value(v, op, a, b, d));
		}
}

void vec_lanes_value(const struct vec *v, const struct op *op, uint8_t *ub, bool plain)
{
	if (plain)
		lanes_plain(v, op, ub);
	else
		lanes_fast(v, op, ub);
}
