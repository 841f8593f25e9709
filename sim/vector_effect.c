/*
 * vector_effect.c - what lane-by-lane operations touch, and which overlaps of source and destination they allow.
 *
 * Within a repeat a source block may be the destination block of the same lanes, or apart from all destination blocks.
 * Across repeats the order is that of the reference loop, so any overlap is defined.
 */
#include "vector.h"

#include <inttypes.h>

static void span(const struct vec *v, const struct vec_operand *o, uint64_t *low, uint64_t *high)
{
	*low = o->addr;
	*high = o->addr + (uint64_t)(o->rep * (v->repeats - 1) + o->blk * (o->blocks - 1)) + 32;
}

/* A pair of blocks, one of dst and one of src, that meet in this repeat without being the same lanes. */
static bool repeat_clashes(const struct vec *v, int src, uint32_t repeat)
{
	const struct vec_operand *d = &v->o[VEC_DST], *s = &v->o[src];
	const struct vec_on *on = vec_on(v, repeat);

	for (uint32_t i = 0; i < d->blocks; i++) {
		if (!(on->block[VEC_DST] >> i & 1))
			continue;
		uint64_t at = vec_block_addr(d, repeat, i);
		for (uint32_t j = 0; j < s->blocks; j++)
			if ((on->block[src] >> j & 1) && vec_block_addr(s, repeat, j) == at &&
			    (i != j || d->bits != s->bits))
				return true;
	}
	return false;
}

static bool overlap_check(const struct vec *v, const struct op *op, int src, struct fail *f)
{
	const struct vec_operand *d = &v->o[VEC_DST], *s = &v->o[src];
	uint64_t d_low, d_high, s_low, s_high;
	uint32_t n = d->rep == s->rep ? 1 : v->repeats;

	span(v, d, &d_low, &d_high);
	span(v, s, &s_low, &s_high);
	if (d_high <= s_low || s_high <= d_low)
		return true;
	for (uint32_t r = 0; r < n; r++)
		if (repeat_clashes(v, src, r)) {
			op_fail(f, FAIL_KERNEL, op,
				"repeat %" PRIu32 ": dst (0x%" PRIx64 ") and src%d (0x%" PRIx64 ") overlap in part", r,
				vec_block_addr(d, r, 0), src - 1, vec_block_addr(s, r, 0));
			return fail_hint(f, "within a repeat a source must be the destination itself or apart from it");
		}
	return true;
}

static bool dst_check(const struct vec *v, const struct op *op, struct fail *f)
{
	uint8_t blocks = v->on[0].block[VEC_DST];

	if (v->o[VEC_DST].blk == 0 && (blocks & (blocks - 1)))
		return op_fail(f, FAIL_KERNEL, op, "destination block stride 0 writes several blocks to one place");
	return true;
}

static bool shift_check(const struct vec *v, const struct op *op, struct fail *f)
{
	if ((v->vop == VOP_SHL || v->vop == VOP_SHR) && (v->scalar & 0xffffffff) > v->o[VEC_DST].bits)
		return op_fail(f, FAIL_KERNEL, op, "shift distance %" PRIu64 " is not in 0..%u", v->scalar & 0xffffffff,
			       v->o[VEC_DST].bits);
	return true;
}

bool vec_lanes_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	static const char *const name[3] = { "dst", "src0", "src1" };

	if (!v->repeats)
		return true;
	if (!vec_align(op, "dst", v->o[VEC_DST].addr, 32, f) || !dst_check(v, op, f) || !shift_check(v, op, f))
		return false;
	for (int k = VEC_SRC0; k < VEC_SRC0 + v->n_src; k++) {
		if (!vec_align(op, v->n_src == 1 ? "src" : name[k], v->o[k].addr, 32, f) ||
		    !overlap_check(v, op, k, f))
			return false;
		vec_access(v, k, false, e);
	}
	if (v->reads_dst)
		vec_access(v, VEC_DST, false, e);
	vec_access(v, VEC_DST, true, e);
	return true;
}
