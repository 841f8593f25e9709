/*
 * vector_reduce.c - a repeat, a block, or two neighbours to one result: vcadd vcmax vcmin, vcgadd vcgmax vcgmin,
 * vcpadd.
 *
 * Sums are trees over neighbouring lanes, every addition rounded to the element type; lanes that are off count as 0.
 * Ties of max and min go to the lowest lane; a NaN wins and is reported with its lane. Groups without active lanes
 * keep dst.
 */
#include "vector.h"

#include <string.h>

enum { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_VALUE, ORDER_INDEX };

/* Bytes that one repeat writes when all its groups are active, and the number of results they make. */
static uint32_t result_bytes(const struct vec *v, uint32_t *n)
{
	uint32_t elem = v->o[VEC_SRC0].bits / 8u;

	*n = 1;
	if (v->form == FORM_VCG)
		*n = 8;
	else if (v->form == FORM_VCPADD)
		*n = v->lanes / 2;
	else if (v->vop != VOP_ADD && v->order == ORDER_INDEX)
		return 4;
	else if (v->vop != VOP_ADD && v->order != ORDER_VALUE)
		return 2 * elem;
	return *n * elem;
}

/* Which of the n results of a repeat have an active lane, as bits. */
static uint64_t active_results(const struct vec *v, const struct vec_on *on, uint32_t n)
{
	uint32_t per = v->lanes / n;
	uint64_t out = 0;

	if (on->full)
		return n == 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	for (uint32_t lane = 0; lane < v->lanes; lane++)
		out |= (uint64_t)vec_lane(on, lane) << (lane / per);
	return out;
}

bool vec_reduce_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	uint32_t n, bytes = result_bytes(v, &n), elem = v->o[VEC_SRC0].bits / 8u;
	uint64_t dst = op->x[0];

	if (!v->repeats)
		return true;
	if (!vec_align(op, "dst", dst, bytes == 4 ? 4 : elem, f) || !vec_align(op, "src", v->o[VEC_SRC0].addr, 32, f))
		return false;
	vec_access(v, VEC_SRC0, false, e);
	struct access *a = effect_add(e, SPACE_UB, true, dst, bytes, 1, 0, v->repeats,
				      (int64_t)(vred_dst_rep(op->x[3]) * bytes), 1, 0);
	a->elem_bytes = (uint8_t)(n == 1 ? bytes : elem);
	a->mask[0] = active_results(v, &v->on[0], n);
	a->masked = !v->on[0].full;
	if (n > 1 && v->tail)
		a->tail_lanes = (v->tail + v->lanes / n - 1) / (v->lanes / n);
	return true;
}

static float add(const struct vec *v, float a, float b)
{
	float s = num_canon(a + b);
	return v->o[VEC_SRC0].type == TYPE_F16 ? num_from_f16(num_to_f16(s, NUM_RINT, v->keep)) : s;
}

/* Sums of groups of `per` neighbours, all groups level by level: x[g] becomes the sum of group g. */
static void tree_sums(const struct vec *v, float *x, uint32_t n, uint32_t per)
{
	uint16_t h[64];

	for (; per > 1; per /= 2) {
		n /= 2;
		for (uint32_t i = 0; i < n; i++)
			x[i] = num_canon(x[2 * i] + x[2 * i + 1]);
		if (v->o[VEC_SRC0].type == TYPE_F16) {
			num_f32_to_f16_n(x, h, n, v->keep);
			num_f16_to_f32_n(h, x, n);
		}
	}
}

/* Integers in the order in which the operation prefers lanes: NaN first of all, lanes that are off last. */
NUM_O3 static void make_keys(const struct vec *v, const struct vec_on *on, const float *x, int32_t *key)
{
	for (int i = 0; i < 128; i++) {
		uint32_t u = num_bits(x[i]), a = u & 0x7fffffff;
		int32_t k = (int32_t)(u & 0x80000000u ? 0 - a : a);
		key[i] = a > 0x7f800000 ? INT32_MAX : v->vop == VOP_MAX ? k : -k;
	}
	for (uint32_t i = 0; !on->full && i < v->lanes; i++)
		if (!vec_lane(on, i))
			key[i] = INT32_MIN;
}

/* The lowest of the lanes [from, from + n) with the highest key. */
NUM_O3 static uint32_t best_lane(const int32_t *key, uint32_t from, uint32_t n)
{
	int32_t best = INT32_MIN;
	uint32_t lane = from;

	for (uint32_t i = from; i < from + n; i++)
		best = key[i] > best ? key[i] : best;
	while (key[lane] != best)
		lane++;
	return lane;
}

static uint64_t bits_of(const struct vec *v, float x)
{
	return v->o[VEC_SRC0].type == TYPE_F16 ? num_to_f16(x, NUM_RINT, v->keep) : num_bits(num_canon(x));
}

static void put_extreme(const struct vec *v, uint8_t *p, float x, uint32_t lane)
{
	unsigned bits = v->o[VEC_SRC0].bits, bytes = bits / 8;

	switch (v->order) {
	case ORDER_VALUE_INDEX:
		vec_put(p, bits, bits_of(v, x));
		vec_put(p + bytes, bits, lane);
		break;
	case ORDER_INDEX_VALUE:
		vec_put(p, bits, lane);
		vec_put(p + bytes, bits, bits_of(v, x));
		break;
	case ORDER_VALUE:
		vec_put(p, bits, bits_of(v, x));
		break;
	default:
		vec_put(p, 32, lane);
		break;
	}
}

static void put_sums(const struct vec *v, uint64_t active, const float *x, uint8_t *dst, uint32_t n)
{
	uint32_t bits = v->o[VEC_SRC0].bits;

	for (uint32_t g = 0; g < n; g++)
		if (active >> g & 1)
			vec_put(dst + g * bits / 8, bits, bits_of(v, x[g]));
}

static void put_extremes(const struct vec *v, uint64_t active, const float *x, const int32_t *key, uint8_t *dst,
			 uint32_t n)
{
	uint32_t per = v->lanes / n, bits = v->o[VEC_SRC0].bits;

	for (uint32_t g = 0; g < n; g++) {
		if (!(active >> g & 1))
			continue;
		uint32_t lane = best_lane(key, g * per, per);
		if (v->form == FORM_VRED)
			put_extreme(v, dst, x[lane], lane);
		else
			vec_put(dst + g * bits / 8, bits, bits_of(v, x[lane]));
	}
}

/* What the whole instruction leaves in registers: ACC_VAL the sum of all repeats (vcadd), MAX_MIN_CNT the extreme of
 * all repeats, value in the low half and the number of the element in the high half (vcmax, vcmin). */
struct totals {
	float value;
	int32_t key;
	uint32_t index;
	bool any;
};

static void total_sum(const struct vec *v, float sum, struct totals *t)
{
	t->value = t->any ? add(v, t->value, sum) : sum;
	t->any = true;
}

static void total_extreme(const struct vec *v, const float *x, const int32_t *key, uint32_t repeat, struct totals *t)
{
	uint32_t lane = best_lane(key, 0, v->lanes);

	if (t->any && key[lane] <= t->key)
		return;
	*t = (struct totals){ .value = x[lane], .key = key[lane], .index = repeat * v->lanes + lane, .any = true };
}

static void write_totals(const struct vec *v, const struct totals *t, struct core_mem *mem)
{
	if (v->form != FORM_VRED || !t->any)
		return;
	if (v->vop == VOP_ADD)
		mem->acc_val = bits_of(v, t->value);
	else
		mem->max_min_cnt = bits_of(v, t->value) | (uint64_t)t->index << 32;
}

void vec_reduce_value(const struct vec *v, const struct op *op, struct core_mem *mem)
{
	uint8_t *ub = mem->buf[SPACE_UB];
	uint32_t n, bytes = result_bytes(v, &n);
	struct totals t = { 0 };
	uint64_t raw[32];
	float x[128] = { 0 };
	int32_t key[128];

	for (uint32_t r = 0; r < v->repeats; r++) {
		const struct vec_on *on = vec_on(v, r);
		vec_load(ub, v, VEC_SRC0, r, raw);
		vec_to_float(v->o[VEC_SRC0].type, raw, x, v->lanes);
		for (uint32_t i = 0; !on->full && i < v->lanes; i++)
			if (!vec_lane(on, i))
				x[i] = 0;
		uint64_t active = active_results(v, on, n);
		uint8_t *dst = ub + op->x[0] + r * vred_dst_rep(op->x[3]) * bytes;
		if (v->vop == VOP_ADD) {
			tree_sums(v, x, v->lanes, v->lanes / n);
			put_sums(v, active, x, dst, n);
			if (v->form == FORM_VRED && active)
				total_sum(v, x[0], &t);
			continue;
		}
		make_keys(v, on, x, key);
		put_extremes(v, active, x, key, dst, n);
		if (v->form == FORM_VRED && active)
			total_extreme(v, x, key, r, &t);
	}
	write_totals(v, &t, mem);
}
