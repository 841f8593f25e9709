/*
 * vector_move.c - data movement inside UB: vbrcb, gathers, vreducev2 (GatherMask), transposes.
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

static unsigned elem_bytes(const struct op *op)
{
	return isa_type_bits(isa_operand_type(op->insn, op->variant, 0)) / 8;
}

static bool ranges_meet(uint64_t a, uint64_t a_bytes, uint64_t b, uint64_t b_bytes)
{
	return a < b + b_bytes && b < a + a_bytes;
}

/* --- vbrcb: eight elements to eight blocks; mask and counter mode do not apply */

static bool brcb_effect(const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3];
	uint32_t n = (uint32_t)vun_repeat(w), bytes = elem_bytes(op);
	int64_t blk = (int64_t)vun_dst_blk(w) * 32, rep = (int64_t)vun_dst_rep(w) * 32;

	e->repeats = n;
	e->elem_bytes = bytes;
	if (!n)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "src", op->x[1], 32, f))
		return false;
	for (uint32_t r = 0; r < n; r++)
		for (uint32_t b = 0; b < 8; b++)
			if (ranges_meet(op->x[0] + (uint64_t)(r * rep + b * blk), 32, op->x[1] + r * 8 * bytes,
					8 * bytes))
				return op_fail(f, FAIL_KERNEL, op,
					       "repeat %" PRIu32 ": destination block %" PRIu32
					       " overlaps the source",
					       r, b);
	effect_add(e, SPACE_UB, false, op->x[1], 8 * bytes, 1, 0, n, 8 * bytes, 1, 0);
	effect_add(e, SPACE_UB, true, op->x[0], 32, 8, blk, n, rep, 1, 0);
	return true;
}

static void brcb_value(const struct op *op, uint8_t *ub)
{
	uint64_t w = op->x[3];
	unsigned bytes = elem_bytes(op);

	for (uint32_t r = 0; r < vun_repeat(w); r++)
		for (uint32_t b = 0; b < 8; b++) {
			const uint8_t *src = ub + op->x[1] + (r * 8 + b) * bytes;
			uint8_t *dst = ub + op->x[0] + (r * vun_dst_rep(w) + b * vun_dst_blk(w)) * 32;
			for (unsigned i = 0; i < 32; i += bytes)
				memcpy(dst + i, src, bytes);
		}
}

/* --- gathers: offsets in bytes from a base address in UB */

static bool gather_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	if (!v->repeats)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "offset", op->x[1], 32, f))
		return false;
	struct access *a = effect_add(e, SPACE_UB, false, op->x[1], v->lanes * 4, 1, 0, v->repeats, v->lanes * 4, 1, 0);
	a->elem_bytes = 4;
	a->masked = !v->on[0].full;
	a->mask[0] = v->on[0].lane[0];
	a->mask[1] = v->on[0].lane[1];
	a->tail_lanes = v->tail;
	vec_access(v, VEC_DST, true, e);
	return true;
}

/* Source address of one gathered piece; false: f is set. */
static bool gather_addr(const struct op *op, const struct core_mem *mem, uint32_t repeat, uint32_t lane,
			const uint8_t *offsets, unsigned bytes, uint64_t *addr, struct fail *f)
{
	uint32_t offset = (uint32_t)vec_element(offsets, 32);
	uint64_t size = (uint64_t)mem->size[SPACE_UB];

	*addr = op->x[2] + offset;
	if (*addr % bytes == 0 && op->x[2] < size && *addr + bytes <= size)
		return true;
	return op_fail(f, FAIL_KERNEL, op,
		       "repeat %" PRIu32 ", element %" PRIu32 ": offset 0x%" PRIx32 " from base 0x%" PRIx64
		       " is no %u-byte aligned place in UB (%" PRIu64 " bytes)",
		       repeat, lane, offset, op->x[2], bytes, size);
}

static bool gather_value(const struct vec *v, const struct op *op, struct core_mem *mem, struct fail *f)
{
	uint8_t *ub = mem->buf[SPACE_UB], out[256];
	unsigned bytes = v->o[VEC_DST].bits / 8u;
	uint64_t addr;

	for (uint32_t r = 0; r < v->repeats; r++) {
		const struct vec_on *on = vec_on(v, r);
		for (uint32_t i = 0; i < v->lanes; i++) {
			if (!vec_lane(on, i))
				continue;
			if (!gather_addr(op, mem, r, i, ub + op->x[1] + (r * v->lanes + i) * 4, bytes, &addr, f))
				return false;
			memcpy(out + i * bytes, ub + addr, bytes);
		}
		vec_store(ub, v, r, out);
	}
	return true;
}

static bool gatherb_effect(const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3];
	uint32_t n = (uint32_t)vgat_repeat(w);

	e->repeats = n;
	e->elem_bytes = elem_bytes(op);
	if (!n)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "offset", op->x[1], 32, f))
		return false;
	effect_add(e, SPACE_UB, false, op->x[1], 32, 1, 0, n, 32, 1, 0);
	effect_add(e, SPACE_UB, true, op->x[0], 32, 8, (int64_t)vgat_dst_blk(w) * 32, n,
		   (int64_t)vgat_dst_rep(w) * 32, 1, 0);
	return true;
}

static bool gatherb_value(const struct op *op, struct core_mem *mem, struct fail *f)
{
	uint8_t *ub = mem->buf[SPACE_UB], out[256];
	uint64_t w = op->x[3], addr;

	for (uint32_t r = 0; r < vgat_repeat(w); r++) {
		for (uint32_t b = 0; b < 8; b++) {
			if (!gather_addr(op, mem, r, b, ub + op->x[1] + (r * 8 + b) * 4, 32, &addr, f))
				return false;
			memcpy(out + b * 32, ub + addr, 32);
		}
		for (uint32_t b = 0; b < 8; b++)
			memcpy(ub + op->x[0] + (r * vgat_dst_rep(w) + b * vgat_dst_blk(w)) * 32, out + b * 32, 32);
	}
	return true;
}

/* --- vreducev2: lanes whose pattern bit is set, packed. In counter mode the mask counts the elements of one repeat
 * (hardware.md, addendum), otherwise a repeat has 8 blocks; the mask itself does not apply. */

static uint32_t compress_elements(const struct vec *v, const struct op *op)
{
	return v->counter ? (uint32_t)op->spr.mask_lo : 256 / elem_bytes(op);
}

/* Elements that pattern 1..7 keeps of n. */
static bool pattern_keeps(uint32_t pattern, uint32_t i)
{
	switch (pattern) {
	case 1: return i % 2 == 0;
	case 2: return i % 2 == 1;
	case 7: return true;
	default: return i % 4 == pattern - 3;
	}
}

static bool compress_effect(const struct vec *v, const struct op *op, const struct core_mem *mem, struct effect *e,
			    struct fail *f)
{
	uint64_t w = op->x[3], kept = 0, room = (uint64_t)mem->size[SPACE_UB];
	uint32_t bytes = elem_bytes(op), n = (uint32_t)vrv2_repeat(w), elements = compress_elements(v, op);

	if (v->counter && op->spr.mask_lo >> 24)
		return op_fail(f, FAIL_KERNEL, op, "counter mode with %" PRIu64 " elements per repeat",
			       op->spr.mask_lo);
	if (vrv2_pattern(w) > 7)
		return op_fail(f, FAIL_KERNEL, op, "pattern %" PRIu64 " is not in 0..7", vrv2_pattern(w));
	e->repeats = elements ? n : 0;
	e->elem_bytes = bytes;
	if (!e->repeats)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "src0", op->x[1], 32, f) ||
	    (!vrv2_pattern(w) && !vec_align(op, "src1", op->x[2], 32, f)))
		return false;
	effect_add(e, SPACE_UB, false, op->x[1], 32, (elements * bytes + 31) / 32, (int64_t)vrv2_src0_blk(w) * 32, n,
		   (int64_t)vrv2_src0_rep(w) * 32, 1, 0);
	if (!vrv2_pattern(w)) {
		effect_add(e, SPACE_UB, false, op->x[2], (elements + 7) / 8, 1, 0, n, (int64_t)vrv2_src1_rep(w) * 32,
			   1, 0);
		kept = (uint64_t)elements * n; /* at most; the value is checked when it is known */
		if (op->x[0] < room && kept > (room - op->x[0]) / bytes)
			kept = (room - op->x[0]) / bytes;
	} else {
		for (uint32_t i = 0; i < elements; i++)
			kept += pattern_keeps((uint32_t)vrv2_pattern(w), i);
		kept *= n;
	}
	effect_add(e, SPACE_UB, true, op->x[0], (uint32_t)(kept * bytes), 1, 0, 1, 0, 1, 0);
	return true;
}

static bool compress_value(const struct vec *v, const struct op *op, struct core_mem *mem, struct fail *f)
{
	uint8_t *ub = mem->buf[SPACE_UB];
	uint64_t w = op->x[3], to = op->x[0], size = (uint64_t)mem->size[SPACE_UB], count = 0;
	uint32_t bytes = elem_bytes(op), elements = compress_elements(v, op), pattern = (uint32_t)vrv2_pattern(w);

	for (uint32_t r = 0; r < vrv2_repeat(w); r++)
		for (uint32_t i = 0; i < elements; i++) {
			uint64_t at = (uint64_t)i * bytes;
			uint64_t from = op->x[1] + (r * vrv2_src0_rep(w) + at / 32 * vrv2_src0_blk(w)) * 32 + at % 32;
			uint64_t bit = op->x[2] + r * vrv2_src1_rep(w) * 32 + i / 8;
			if (!(pattern ? pattern_keeps(pattern, i) : ub[bit] >> (i & 7) & 1))
				continue;
			if (to + bytes > size)
				return op_fail(f, FAIL_KERNEL, op,
					       "writes UB bytes 0x%" PRIx64 "..0x%" PRIx64 " but UB has %" PRIu64
					       " bytes",
					       to, to + bytes, size);
			memcpy(ub + to, ub + from, bytes);
			to += bytes;
			count++;
		}
	mem->rsvd_cnt = count;
	return true;
}

/* --- scatter_vnchwconv: transposes between blocks named by pairs of VA registers */

/* Address of block i (0..15) of the register pair that starts at va. */
static uint64_t va_addr(const struct op *op, uint64_t va, uint32_t i)
{
	return (uint64_t)op->spr.va[va + i / 8][i % 8] * 32;
}

/* Blocks as few accesses: runs of equal distance; what does not fit into three is one range around the rest. */
static void va_access(const struct op *op, uint64_t va, uint32_t from_byte, uint32_t bytes, int64_t rep,
		      uint32_t repeats, bool write, struct effect *e)
{
	uint32_t i = 0;

	for (int run = 0; run < 3 && i < 16; run++) {
		uint64_t first = va_addr(op, va, i);
		int64_t step = i < 15 ? (int64_t)(va_addr(op, va, i + 1) - first) : 0;
		uint32_t n = i < 15 ? 2 : 1;
		while (i + n < 16 && (int64_t)(va_addr(op, va, i + n) - va_addr(op, va, i + n - 1)) == step)
			n++;
		effect_add(e, SPACE_UB, write, first + from_byte, bytes, n, step, repeats, rep, 1, 0);
		i += n;
	}
	if (i == 16)
		return;
	uint64_t low = va_addr(op, va, i), high = low;
	for (; i < 16; i++) {
		uint64_t at = va_addr(op, va, i);
		low = at < low ? at : low;
		high = at > high ? at : high;
	}
	effect_add(e, SPACE_UB, write, low, (uint32_t)(high - low) + 32, 1, 0, repeats, rep, 1, 0);
}

static bool nchw_effect(const struct vec *v, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3];
	uint32_t n = (uint32_t)vnchw_repeat(w);
	bool b8 = v->vop == VOP_NCHW_B8;

	e->repeats = n;
	e->elem_bytes = b8 ? 1 : v->vop == VOP_NCHW_B16 ? 2 : 4;
	if (op->x[0] > 6 || op->x[1] > 6)
		return op_fail(f, FAIL_KERNEL, op, "VA%" PRIu64 " and VA%" PRIu64 ": a pair starts at VA0..VA6",
			       op->x[0], op->x[1]);
	if (!b8 && (vnchw_dst_high(w) || vnchw_src_high(w)))
		return op_fail(f, FAIL_KERNEL, op, "halves of blocks exist for b8 only");
	if (n == 1 && (vnchw_dst_rep(w) || vnchw_src_rep(w)))
		return op_fail(f, FAIL_KERNEL, op, "repeat strides must be 0 when repeat is 1");
	if (!n)
		return true;
	va_access(op, op->x[1], b8 ? 16 * (uint32_t)vnchw_src_high(w) : 0, b8 ? 16 : 32,
		  (int64_t)vnchw_src_rep(w) * 32, n, false, e);
	va_access(op, op->x[0], b8 ? 16 * (uint32_t)vnchw_dst_high(w) : 0, b8 ? 16 : 32,
		  (int64_t)vnchw_dst_rep(w) * 32, n, true, e);
	return true;
}

static void nchw_value(const struct vec *v, const struct op *op, uint8_t *ub)
{
	uint64_t w = op->x[3];
	uint8_t in[16][32], out[16][32];

	for (uint32_t r = 0; r < vnchw_repeat(w); r++) {
		for (uint32_t i = 0; i < 16; i++) {
			memcpy(in[i], ub + va_addr(op, op->x[1], i) + r * vnchw_src_rep(w) * 32, 32);
			memcpy(out[i], ub + va_addr(op, op->x[0], i) + r * vnchw_dst_rep(w) * 32, 32);
		}
		for (uint32_t i = 0; i < 16; i++)
			for (uint32_t j = 0; j < 16; j++) {
				if (v->vop == VOP_NCHW_B8)
					out[i][16 * vnchw_dst_high(w) + j] = in[j][16 * vnchw_src_high(w) + i];
				else if (v->vop == VOP_NCHW_B16)
					memcpy(&out[i][2 * j], &in[j][2 * i], 2);
				else if (j < 8) /* block 2k: element k of sources 0..7; 2k+1: of sources 8..15 */
					memcpy(&out[i][4 * j], &in[(i & 1) * 8 + j][4 * (i / 2)], 4);
			}
		for (uint32_t i = 0; i < 16; i++) {
			uint32_t from = v->vop == VOP_NCHW_B8 ? 16 * (uint32_t)vnchw_dst_high(w) : 0;
			memcpy(ub + va_addr(op, op->x[0], i) + r * vnchw_dst_rep(w) * 32 + from, out[i] + from,
			       v->vop == VOP_NCHW_B8 ? 16 : 32);
		}
	}
}

/* --- vtranspose: 16 x 16 elements of 2 bytes */

static bool transpose_effect(const struct op *op, struct effect *e, struct fail *f)
{
	e->repeats = 1;
	e->elem_bytes = 2;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "src", op->x[1], 32, f))
		return false;
	if (op->x[0] != op->x[1] && ranges_meet(op->x[0], 512, op->x[1], 512))
		return op_fail(f, FAIL_KERNEL, op, "dst (0x%" PRIx64 ") and src (0x%" PRIx64 ") overlap in part",
			       op->x[0], op->x[1]);
	effect_add(e, SPACE_UB, false, op->x[1], 512, 1, 0, 1, 0, 1, 0);
	effect_add(e, SPACE_UB, true, op->x[0], 512, 1, 0, 1, 0, 1, 0);
	return true;
}

static void transpose_value(const struct op *op, uint8_t *ub)
{
	uint8_t in[512];

	memcpy(in, ub + op->x[1], 512);
	for (uint32_t i = 0; i < 16; i++)
		for (uint32_t j = 0; j < 16; j++)
			memcpy(ub + op->x[0] + (i * 16 + j) * 2, in + (j * 16 + i) * 2, 2);
}

bool vec_move_effect(const struct vec *v, const struct op *op, const struct core_mem *mem, struct effect *e,
		     struct fail *f)
{
	switch (v->form) {
	case FORM_VBRCB: return brcb_effect(op, e, f);
	case FORM_VGATHER: return gather_effect(v, op, e, f);
	case FORM_VGATHERB: return gatherb_effect(op, e, f);
	case FORM_VRV2: return compress_effect(v, op, mem, e, f);
	case FORM_VNCHW: return nchw_effect(v, op, e, f);
	default: return transpose_effect(op, e, f);
	}
}

bool vec_move_value(const struct vec *v, const struct op *op, struct core_mem *mem, struct fail *f)
{
	uint8_t *ub = mem->buf[SPACE_UB];

	switch (v->form) {
	case FORM_VBRCB: brcb_value(op, ub); return true;
	case FORM_VGATHER: return gather_value(v, op, mem, f);
	case FORM_VGATHERB: return gatherb_value(op, mem, f);
	case FORM_VRV2: return compress_value(v, op, mem, f);
	case FORM_VNCHW: nchw_value(v, op, ub); return true;
	default: transpose_value(op, ub); return true;
	}
}
