/*
 * vector.c - the vector unit: an op decoded to operands, lanes, repeats and masks; its effect; its value by form.
 *
 * Masks (hardware.md 3.1): normal mode, one bit per lane of every repeat; counter mode (CTRL[56]), the low mask word
 * is the number of elements in all, repeats follow from it and the field repeat is ignored.
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

/* Rows to operations. Rows not named here are told apart by their form. */
static const uint8_t vop_of_insn[ISA_COUNT] = {
	[INSN_vadd] = VOP_ADD, [INSN_vsub] = VOP_SUB, [INSN_vmul] = VOP_MUL, [INSN_vdiv] = VOP_DIV,
	[INSN_vmax] = VOP_MAX, [INSN_vmin] = VOP_MIN, [INSN_vand] = VOP_AND, [INSN_vor] = VOP_OR,
	[INSN_vaddrelu] = VOP_ADDRELU, [INSN_vsubrelu] = VOP_SUBRELU, [INSN_vmadd] = VOP_MADD, [INSN_vmla] = VOP_MLA,
	[INSN_vmaddrelu] = VOP_MADDRELU, [INSN_vaddreluconv_f162s8] = VOP_ADDRELU,
	[INSN_vaddreluconv_f322f16] = VOP_ADDRELU, [INSN_vaddreluconv_s162s8] = VOP_ADDRELU,
	[INSN_vsubreluconv_f162s8] = VOP_SUBRELU, [INSN_vsubreluconv_f322f16] = VOP_SUBRELU,
	[INSN_vsubreluconv_s162s8] = VOP_SUBRELU, [INSN_vmulconv_f162s8] = VOP_MUL, [INSN_vmulconv_f162u8] = VOP_MUL,
	[INSN_vabs] = VOP_ABS, [INSN_vrec] = VOP_REC, [INSN_vexp] = VOP_EXP, [INSN_vln] = VOP_LN,
	[INSN_vsqrt] = VOP_SQRT, [INSN_vrsqrt] = VOP_RSQRT, [INSN_vrelu] = VOP_RELU, [INSN_vnot] = VOP_NOT,
	[INSN_vadds] = VOP_ADD, [INSN_vmuls] = VOP_MUL, [INSN_vmaxs] = VOP_MAX, [INSN_vmins] = VOP_MIN,
	[INSN_vlrelu] = VOP_LRELU, [INSN_vaxpy] = VOP_MLA, [INSN_vshl] = VOP_SHL, [INSN_vshr] = VOP_SHR,
	[INSN_vcopy] = VOP_COPY, [INSN_vector_dup] = VOP_DUP, [INSN_vconv_deq] = VOP_DEQ,
	[INSN_vcadd] = VOP_ADD, [INSN_vcmax] = VOP_MAX, [INSN_vcmin] = VOP_MIN, [INSN_vcgadd] = VOP_ADD,
	[INSN_vcgmax] = VOP_MAX, [INSN_vcgmin] = VOP_MIN, [INSN_vcpadd] = VOP_ADD,
	[INSN_vcmp_eq] = VOP_EQ, [INSN_vcmp_ne] = VOP_NE, [INSN_vcmp_lt] = VOP_LT, [INSN_vcmp_gt] = VOP_GT,
	[INSN_vcmp_ge] = VOP_GE, [INSN_vcmp_le] = VOP_LE, [INSN_vcmpv_eq] = VOP_EQ, [INSN_vcmpv_ne] = VOP_NE,
	[INSN_vcmpv_lt] = VOP_LT, [INSN_vcmpv_gt] = VOP_GT, [INSN_vcmpv_ge] = VOP_GE, [INSN_vcmpv_le] = VOP_LE,
	[INSN_vcmpvs_eq] = VOP_EQ, [INSN_vcmpvs_ne] = VOP_NE, [INSN_vcmpvs_lt] = VOP_LT, [INSN_vcmpvs_gt] = VOP_GT,
	[INSN_vcmpvs_ge] = VOP_GE, [INSN_vcmpvs_le] = VOP_LE,
	[INSN_vaddreluconv_vdeqs162b8] = VOP_DEQ8, [INSN_vconv_deqs162b8h] = VOP_DEQ8,
	[INSN_vconv_deqs162b8l] = VOP_DEQ8, [INSN_vconv_vdeqs162b8h] = VOP_DEQ8, [INSN_vconv_vdeqs162b8l] = VOP_DEQ8,
	[INSN_vconv_deqs162b8] = VOP_DEQ8, [INSN_vconv_vdeqs162b8] = VOP_DEQ8, [INSN_vadddeqrelu] = VOP_ADDDEQRELU,
	[INSN_set_cmpmask] = VOP_CMPMASK_SET, [INSN_get_cmpmask] = VOP_CMPMASK_GET,
	[INSN_scatter_vnchwconv_b8] = VOP_NCHW_B8, [INSN_scatter_vnchwconv_b16] = VOP_NCHW_B16,
	[INSN_scatter_vnchwconv_b32] = VOP_NCHW_B32,
};

static void operand(struct vec *v, const struct op *op, int k, unsigned type_index, uint64_t addr, uint64_t blk,
		    uint64_t rep)
{
	struct vec_operand *o = &v->o[k];

	o->type = (uint8_t)isa_operand_type(op->insn, op->variant, type_index);
	o->bits = (uint8_t)isa_type_bits(o->type);
	o->addr = addr;
	o->blk = (int64_t)blk * 32;
	o->rep = (int64_t)rep * 32;
}

static void operands_binary(struct vec *v, const struct op *op)
{
	uint64_t w = op->x[3];

	operand(v, op, VEC_DST, 0, op->x[0], vbin_dst_blk(w), vbin_dst_rep(w));
	operand(v, op, VEC_SRC0, 1, op->x[1], vbin_src0_blk(w), vbin_src0_rep(w));
	operand(v, op, VEC_SRC1, 2, op->x[2], vbin_src1_blk(w), vbin_src1_rep(w));
	v->n_src = 2;
	v->repeats = (uint32_t)vbin_repeat(w);
	v->order = (uint8_t)vbin_mode(w);
}

static void operands_unary(struct vec *v, const struct op *op)
{
	uint64_t w = op->x[3];

	operand(v, op, VEC_DST, 0, op->x[0], vun_dst_blk(w), vun_dst_rep(w));
	operand(v, op, VEC_SRC0, 1, op->x[1], vun_src_blk(w), vun_src_rep(w));
	v->n_src = 1;
	v->repeats = (uint32_t)vun_repeat(w);
}

static void operands_reduce(struct vec *v, const struct op *op)
{
	uint64_t w = op->x[3];

	operand(v, op, VEC_SRC0, 1, op->x[1], vred_src_blk(w), vred_src_rep(w));
	v->n_src = 1;
	v->repeats = (uint32_t)vred_repeat(w);
	v->order = (uint8_t)vred_order(w);
}

/* Words to operands by form; lanes come from the widest operand listed here. */
static void decode_operands(struct vec *v, const struct op *op)
{
	switch (v->form) {
	case FORM_VBIN: case FORM_VSEL: case FORM_VCMP: case FORM_VCMPV:
		operands_binary(v, op);
		break;
	case FORM_VUN: case FORM_VCOPY:
		operands_unary(v, op);
		break;
	case FORM_VUNS: case FORM_VCMPVS:
		operands_unary(v, op);
		v->o[VEC_SRC1].type = (uint8_t)isa_operand_type(op->insn, op->variant, 1);
		v->scalar = op->x[2];
		v->shift_round = v->vop == VOP_SHR && vshift_round(op->x[2]) && vec_is_signed(v->o[VEC_DST].type);
		break;
	case FORM_VDUP:
		operand(v, op, VEC_DST, 0, op->x[0], vun_dst_blk(op->x[3]), vun_dst_rep(op->x[3]));
		v->repeats = (uint32_t)vun_repeat(op->x[3]);
		v->scalar = op->x[2];
		break;
	case FORM_VRED: case FORM_VCG: case FORM_VCPADD:
		operands_reduce(v, op);
		break;
	case FORM_VGATHER:
		operand(v, op, VEC_DST, 0, op->x[0], 1, vgat_dst_rep(op->x[3]));
		v->repeats = (uint32_t)vgat_repeat(op->x[3]);
		break;
	default: /* no lanes: the form's own file reads the words */
		break;
	}
	if (v->form == FORM_VCMP || v->form == FORM_VCMPV || v->form == FORM_VCMPVS)
		v->o[VEC_DST] = (struct vec_operand){ .addr = op->x[0] };
}

static void decode_lanes(struct vec *v)
{
	unsigned widest = 0;

	for (int k = 0; k < 3; k++)
		if (v->o[k].bits > widest)
			widest = v->o[k].bits;
	if (!widest)
		return;
	v->lanes = 2048 / widest;
	for (int k = 0; k < 3; k++)
		if (v->o[k].bits) {
			v->o[k].blocks = (uint8_t)(v->lanes * v->o[k].bits / 256);
			v->o[k].per_block = (uint8_t)(256 / v->o[k].bits);
		}
}

static void first_lanes(struct vec_on *on, uint32_t n)
{
	on->lane[0] = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
	on->lane[1] = n >= 128 ? UINT64_MAX : n > 64 ? (UINT64_C(1) << (n - 64)) - 1 : 0;
}

/* Complete an activity record whose lanes are set: cut to the repeat, find the blocks in use. */
static void blocks_in_use(const struct vec *v, struct vec_on *on)
{
	struct vec_on all;

	first_lanes(&all, v->lanes);
	on->lane[0] &= all.lane[0];
	on->lane[1] &= all.lane[1];
	on->full = on->lane[0] == all.lane[0] && on->lane[1] == all.lane[1];
	for (int k = 0; k < 3; k++) {
		uint32_t per = v->o[k].per_block;
		on->block[k] = on->full && per ? (uint8_t)((1u << v->o[k].blocks) - 1) : 0;
		for (uint32_t b = 0; !on->full && b < v->o[k].blocks; b++) {
			uint64_t lanes = on->lane[b * per >> 6] >> (b * per & 63);
			if (per < 64)
				lanes &= (UINT64_C(1) << per) - 1;
			on->block[k] |= (uint8_t)((lanes != 0) << b);
		}
	}
}

static bool decode_mask(struct vec *v, const struct op *op, struct fail *f)
{
	if (!v->lanes)
		return true;
	if (!v->counter) {
		bool ignored = v->form == FORM_VCMPV || v->form == FORM_VCMPVS;
		v->on[0].lane[0] = ignored ? UINT64_MAX : op->spr.mask_lo;
		v->on[0].lane[1] = ignored ? UINT64_MAX : op->spr.mask_hi;
		blocks_in_use(v, &v->on[0]);
		return true;
	}
	if (op->spr.mask_lo >> 24)
		return op_fail(f, FAIL_KERNEL, op,
			       "counter mode with %" PRIu64 " elements; set_vector_mask(0, elements) "
			       "must follow set_mask_count",
			       op->spr.mask_lo);
	v->repeats = (uint32_t)((op->spr.mask_lo + v->lanes - 1) / v->lanes);
	v->tail = (uint32_t)(op->spr.mask_lo % v->lanes);
	first_lanes(&v->on[0], v->lanes);
	blocks_in_use(v, &v->on[0]);
	first_lanes(&v->on[1], v->tail);
	blocks_in_use(v, &v->on[1]);
	return true;
}

static enum num_round round_of_row(const struct isa_insn *row)
{
	switch (row->round) {
	case ROUND_FLOOR: return NUM_FLOOR;
	case ROUND_CEIL: return NUM_CEIL;
	case ROUND_AWAY: return NUM_AWAY;
	case ROUND_TRUNC: return NUM_TRUNC;
	case ROUND_ODD: return NUM_ODD;
	default: return NUM_RINT; /* ROUND_NONE: exact, or to nearest even */
	}
}

bool vec_decode(const struct op *op, struct vec *v, struct fail *f)
{
	memset(v, 0, sizeof(*v));
	v->form = isa_table[op->insn].form;
	v->vop = vop_of_insn[op->insn];
	if (!v->vop)
		v->vop = v->form == FORM_VUN ? VOP_CONV : VOP_OTHER;
	v->round = (uint8_t)round_of_row(&isa_table[op->insn]);
	v->reads_dst = v->vop == VOP_MADD || v->vop == VOP_MLA || v->vop == VOP_MADDRELU;
	v->keep = ctrl_bit(op, CTRL_INF_NAN);
	v->saturate = ctrl_bit(op, CTRL_INT_SAT);
	v->truncate = ctrl_bit(op, CTRL_INT_TRUNC);
	v->counter = ctrl_bit(op, CTRL_COUNTER);
	decode_operands(v, op);
	decode_lanes(v);
	return decode_mask(v, op, f);
}

bool vec_align(const struct op *op, const char *what, uint64_t addr, unsigned bytes, struct fail *f)
{
	if (addr % bytes == 0)
		return true;
	op_fail(f, FAIL_KERNEL, op, "%s address 0x%" PRIx64 " is not %u-byte aligned", what, addr, bytes);
	return false;
}

struct access *vec_access(const struct vec *v, int k, bool write, struct effect *e)
{
	const struct vec_operand *o = &v->o[k];
	struct access *a = effect_add(e, SPACE_UB, write, o->addr, 32, o->blocks, o->blk, v->repeats, o->rep, 1, 0);

	a->elem_bytes = (uint8_t)(o->bits / 8);
	a->tail_lanes = v->tail;
	a->masked = !v->on[0].full;
	a->mask[0] = v->on[0].lane[0];
	a->mask[1] = v->on[0].lane[1];
	if (o->bits == 4) { /* bytes hold two lanes */
		a->elem_bytes = 1;
		a->tail_lanes = (v->tail + 1) / 2;
		a->mask[0] = a->mask[1] = 0;
		for (uint32_t lane = 0; lane < v->lanes; lane++)
			a->mask[0] |= (uint64_t)vec_lane(&v->on[0], lane) << (lane / 2);
	}
	return a;
}

/* Forms and modes that public sources name without saying what they do. */
static bool specified(const struct vec *v, const struct op *op, struct fail *f)
{
	if (v->form == FORM_VBIN && v->order && v->vop != VOP_DEQ8)
		return op_fail(f, FAIL_MODEL, op, "public sources do not say which bytes mode %u writes", v->order);
	return true;
}

bool vector_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
		   struct fail *f)
{
	struct vec v;
	bool good;

	if (!vec_decode(op, &v, f) || !specified(&v, op, f))
		return false;
	e->repeats = v.repeats;
	e->partial_tail = v.tail != 0;
	for (int k = 0; k < 3; k++)
		if (v.o[k].bits / 8u > e->elem_bytes)
			e->elem_bytes = v.o[k].bits / 8u;
	switch (v.vop == VOP_DEQ8 ? FORM_COUNT : v.form) {
	case FORM_COUNT:
		good = vec_deq_effect(&v, op, e, f);
		break;
	case FORM_VPROP:
		good = vec_prop_effect(op, e, f);
		break;
	case FORM_VBIN: case FORM_VUN: case FORM_VUNS: case FORM_VDUP: case FORM_VCOPY:
		good = vec_lanes_effect(&v, op, e, f);
		break;
	case FORM_VRED: case FORM_VCG: case FORM_VCPADD:
		good = vec_reduce_effect(&v, op, e, f);
		break;
	case FORM_VCMP: case FORM_VCMPV: case FORM_VCMPVS: case FORM_VSEL: case FORM_CMPMASK:
		good = vec_cmp_effect(&v, op, e, f);
		break;
	case FORM_VSORT: case FORM_VMRG:
		good = vec_sort_effect(&v, chip, mem, op, e, f);
		break;
	default:
		good = vec_move_effect(&v, op, mem, e, f);
		break;
	}
	e->nop = good && e->repeats == 0;
	return good && effect_check(mem, op, e, f);
}

static bool value(struct core_mem *mem, const struct op *op, const struct effect *e, bool plain, struct fail *f)
{
	struct vec v;

	if (e->nop)
		return true;
	if (!vec_decode(op, &v, f))
		return false;
	switch (v.vop == VOP_DEQ8 ? FORM_COUNT : v.form) {
	case FORM_COUNT:
		return vec_deq_value(&v, op, mem->buf[SPACE_UB], f);
	case FORM_VPROP:
		vec_prop_value(op, mem->buf[SPACE_UB]);
		return true;
	case FORM_VBIN: case FORM_VUN: case FORM_VUNS: case FORM_VDUP: case FORM_VCOPY:
		vec_lanes_value(&v, op, mem->buf[SPACE_UB], plain);
		return true;
	case FORM_VRED: case FORM_VCG: case FORM_VCPADD:
		vec_reduce_value(&v, op, mem);
		return true;
	case FORM_VCMP: case FORM_VCMPV: case FORM_VCMPVS: case FORM_VSEL: case FORM_CMPMASK:
		return vec_cmp_value(&v, op, mem, f);
	case FORM_VSORT: case FORM_VMRG:
		return vec_sort_value(&v, op, e, mem, f);
	default:
		return vec_move_value(&v, op, mem, f);
	}
}

bool vector_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	return value(mem, op, e, false, f);
}

bool vector_value_plain(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	return value(mem, op, e, true, f);
}
