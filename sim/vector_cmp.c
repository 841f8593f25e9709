/*
 * vector_cmp.c - compares to CMPMASK or to packed bits in UB, and select.
 *
 * Packed results follow each other without gaps: one bit per lane, 16 or 8 bytes a repeat; the mask is ignored, and the
 * bits behind the last element of a partial byte are 0. vcmp under a mask keeps the CMPMASK bits of lanes that are off.
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

enum { SELECT_CMPMASK, SELECT_BITS_SCALAR, SELECT_BITS };

static struct access *bits_access(const struct vec *v, uint64_t addr, bool write, struct effect *e)
{
	struct access *a = effect_add(e, SPACE_UB, write, addr, v->lanes / 8, 1, 0, v->repeats, v->lanes / 8, 1, 0);

	a->elem_bytes = 1;
	a->tail_lanes = (v->tail + 7) / 8;
	return a;
}

static bool compare_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	for (int k = VEC_SRC0; k < VEC_SRC0 + v->n_src; k++) {
		if (!vec_align(op, k == VEC_SRC0 ? "src0" : "src1", v->o[k].addr, 32, f))
			return false;
		vec_access(v, k, false, e);
	}
	if (v->form == FORM_VCMP)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f))
		return false;
	bits_access(v, op->x[0], true, e);
	return true;
}

static bool select_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	struct vec lanes = *v;

	if (v->order > SELECT_BITS)
		return op_fail(f, FAIL_KERNEL, op, "select mode %u is not in 0..2", v->order);
	if (v->order == SELECT_BITS_SCALAR) {
		lanes.n_src = 1;
		if (!vec_align(op, "src1", op->x[2], 32, f))
			return false;
		bits_access(v, op->x[2], false, e);
	}
	/* mode 2: the address of the bits is in CMPMASK, known when the op runs */
	return vec_lanes_effect(&lanes, op, e, f);
}

static bool cmpmask_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	bool get = v->vop == VOP_CMPMASK_GET;
	uint64_t addr = get ? op->x[0] : op->x[1];

	e->repeats = 1;
	if (!vec_align(op, get ? "dst" : "src", addr, 16, f))
		return false;
	effect_add(e, SPACE_UB, get, addr, 16, 1, 0, 1, 0, 1, 0);
	return true;
}

bool vec_cmp_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	if (v->form == FORM_CMPMASK)
		return cmpmask_effect(v, op, e, f);
	if (!v->repeats)
		return true;
	return v->form == FORM_VSEL ? select_effect(v, op, e, f) : compare_effect(v, op, e, f);
}

#define COMPARE(type, name)                                                                                            \
	static bool name(enum vec_op vop, type a, type b)                                                              \
	{                                                                                                              \
		switch (vop) {                                                                                         \
		case VOP_EQ: return a == b;                                                                            \
		case VOP_NE: return a != b;                                                                            \
		case VOP_LT: return a < b;                                                                             \
		case VOP_GT: return a > b;                                                                             \
		case VOP_GE: return a >= b;                                                                            \
		default: return a <= b;                                                                                \
		}                                                                                                      \
	}
COMPARE(float, compare_float)
COMPARE(int64_t, compare_int)

static void repeat_bits(const struct vec *v, const uint8_t *ub, uint32_t repeat, uint64_t bits[2])
{
	enum isa_type t = v->o[VEC_SRC0].type;
	uint64_t ra[32], rb[32];
	float a[128], b[128];
	int64_t m[128], n[128];

	bits[0] = bits[1] = 0;
	vec_load(ub, v, VEC_SRC0, repeat, ra);
	if (v->n_src == 2)
		vec_load(ub, v, VEC_SRC1, repeat, rb);
	else
		for (uint32_t i = 0; i < v->lanes; i++)
			vec_put((uint8_t *)rb + i * (v->o[VEC_SRC0].bits / 8u), v->o[VEC_SRC0].bits, v->scalar);
	if (vec_is_float(t)) {
		vec_to_float(t, ra, a, v->lanes);
		vec_to_float(t, rb, b, v->lanes);
		for (uint32_t i = 0; i < v->lanes; i++)
			bits[i >> 6] |= (uint64_t)compare_float(v->vop, a[i], b[i]) << (i & 63);
	} else {
		vec_to_int(t, ra, m, v->lanes);
		vec_to_int(t, rb, n, v->lanes);
		for (uint32_t i = 0; i < v->lanes; i++)
			bits[i >> 6] |= (uint64_t)compare_int(v->vop, m[i], n[i]) << (i & 63);
	}
}

static void compare_value(const struct vec *v, const struct op *op, struct core_mem *mem)
{
	uint8_t *ub = mem->buf[SPACE_UB];

	for (uint32_t r = 0; r < v->repeats; r++) {
		const struct vec_on *on = vec_on(v, r);
		uint64_t bits[2], old[2];
		repeat_bits(v, ub, r, bits);
		for (int k = 0; k < 2; k++)
			bits[k] &= on->lane[k];
		if (v->form != FORM_VCMP) {
			uint32_t lanes = v->tail && r == v->repeats - 1 ? v->tail : v->lanes;
			memcpy(ub + op->x[0] + (uint64_t)r * (v->lanes / 8), bits, (lanes + 7) / 8);
			continue;
		}
		memcpy(old, mem->cmpmask, 16);
		for (int k = 0; k < 2; k++)
			old[k] = (old[k] & ~on->lane[k]) | bits[k];
		memcpy(mem->cmpmask, old, 16);
	}
}

/* Where select finds its bits: a fixed copy of CMPMASK, or packed bits in UB. NULL: f is set. */
static const uint8_t *select_bits(const struct vec *v, const struct op *op, const struct core_mem *mem, uint64_t *step,
				  struct fail *f)
{
	uint64_t addr = op->x[2], bytes = (uint64_t)v->repeats * (v->lanes / 8);
	uint32_t low;

	*step = v->lanes / 8;
	if (v->order == SELECT_CMPMASK) {
		*step = 0;
		return mem->cmpmask;
	}
	if (v->order == SELECT_BITS) {
		memcpy(&low, mem->cmpmask, 4);
		addr = low;
		if (v->tail)
			bytes -= (v->lanes - v->tail) / 8;
		if (addr % 32 || addr + bytes > (uint64_t)mem->size[SPACE_UB]) {
			op_fail(f, FAIL_KERNEL, op, "mode 2: CMPMASK holds 0x%" PRIx64 ", which is no 32-byte aligned "
						    "place of %" PRIu64 " bytes in UB (%" PRId64 " bytes)",
				addr, bytes, mem->size[SPACE_UB]);
			return NULL;
		}
	}
	return mem->buf[SPACE_UB] + addr;
}

bool unit_pointed(const struct core_mem *mem, const struct op *op, struct effect *e)
{
	struct fail f = { 0 };
	struct vec v;
	uint64_t step;
	if (isa_table[op->insn].form != FORM_VSEL || !vec_decode(op, &v, &f) || v.order != SELECT_BITS || v.repeats == 0 ||
	    e->n_access == EFFECT_ACCESSES)
		return false;
	const uint8_t *bits = select_bits(&v, op, mem, &step, &f);
	if (!bits)
		return false;
	bits_access(&v, (uint64_t)(bits - mem->buf[SPACE_UB]), false, e);
	return true;
}

static bool select_value(const struct vec *v, const struct op *op, struct core_mem *mem, struct fail *f)
{
	uint8_t *ub = mem->buf[SPACE_UB], a[256], b[256];
	unsigned bytes = v->o[VEC_SRC0].bits / 8u;
	uint64_t step;
	const uint8_t *bits = select_bits(v, op, mem, &step, f);

	if (!bits)
		return false;
	for (uint32_t i = 0; v->order == SELECT_BITS_SCALAR && i < v->lanes; i++)
		memcpy(b + i * bytes, mem->cmpmask, bytes);
	for (uint32_t r = 0; r < v->repeats; r++) {
		vec_load(ub, v, VEC_SRC0, r, a);
		if (v->order != SELECT_BITS_SCALAR)
			vec_load(ub, v, VEC_SRC1, r, b);
		const uint8_t *p = bits + r * step;
		const struct vec_on *on = vec_on(v, r);
		for (uint32_t i = 0; i < v->lanes; i++)
			if (vec_lane(on, i) && !(p[i / 8] >> (i & 7) & 1))
				memcpy(a + i * bytes, b + i * bytes, bytes);
		vec_store(ub, v, r, a);
	}
	return true;
}

bool vec_cmp_value(const struct vec *v, const struct op *op, struct core_mem *mem, struct fail *f)
{
	switch (v->form) {
	case FORM_VSEL:
		return select_value(v, op, mem, f);
	case FORM_CMPMASK:
		if (v->vop == VOP_CMPMASK_GET)
			memcpy(mem->buf[SPACE_UB] + op->x[0], mem->cmpmask, 16);
		else
			memcpy(mem->cmpmask, mem->buf[SPACE_UB] + op->x[1], 16);
		return true;
	default:
		compare_value(v, op, mem);
		return true;
	}
}
