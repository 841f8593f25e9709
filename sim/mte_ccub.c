/*
 * mte_ccub.c - fused chips: fractals between L0C and UB on the vector pipe (copy_matrix_cc_to_ubuf, copy_matrix_ubuf_to_cc),
 * converting as CRMODE says, and UB bias blocks over the rows of L0C fractals (broadcast_ub_to_cc).
 * Facts: hardware.md 3.5, 3.6. A 16 x 16 fractal keeps its element order on the way. Scales are those of the register
 * deqscale: an fp16 (modes S32toF16_DEQSCALE_SPR, F16_MUL), the 64-bit parameter of the fixpipe (DEQ8, DEQ16), or 16 of
 * them in UB at deqscale * 32, one per column (VDEQ8, VDEQ16); formulas as in fixpipe.h.
 */
#include "mte.h"
#include "num.h"

#include <inttypes.h>
#include <string.h>

/* ConvRelu_t */
enum { CR_NONE = 0, CR_F32_F16 = 1, CR_F32_F16_RELU = 2, CR_S32_F16 = 3, CR_F16_F32 = 4, CR_RELU = 5,
	CR_F16_MUL = 6, CR_S32_F16_DEQ = 7, CR_VDEQ8 = 8, CR_DEQ8 = 9, CR_VDEQ16 = 10, CR_DEQ16 = 11 };
enum { TABLE_BYTES = 128 };

struct ccub {
	bool out;                 /* L0C to UB */
	enum isa_type dst, src;
	unsigned mode;
	const uint8_t *table;     /* scales of the columns */
	uint32_t dst_bytes, src_bytes; /* of a fractal */
};

static bool ccub_mode(const struct op *op, const struct ccub *p, struct fail *f)
{
	enum isa_type want_src, want_dst;

	switch (p->mode) {
	case CR_NONE:
	case CR_RELU:
		if (p->src == p->dst)
			return true;
		return op_fail(f, FAIL_KERNEL, op, "conversion mode %u keeps the type, but %s becomes %s", p->mode,
			       isa_type_name(p->src), isa_type_name(p->dst));
	case CR_F32_F16:
	case CR_F32_F16_RELU: want_src = TYPE_F32; want_dst = TYPE_F16; break;
	case CR_F16_F32: want_src = TYPE_F16; want_dst = TYPE_F32; break;
	case CR_S32_F16:
	case CR_S32_F16_DEQ:
	case CR_DEQ16:
	case CR_VDEQ16: want_src = TYPE_S32; want_dst = TYPE_F16; break;
	case CR_F16_MUL: want_src = TYPE_F16; want_dst = TYPE_F16; break;
	case CR_DEQ8:
	case CR_VDEQ8: want_src = TYPE_S32; want_dst = p->dst == TYPE_U8 ? TYPE_U8 : TYPE_S8; break;
	default:
		if (p->mode > 13)
			return op_fail(f, FAIL_KERNEL, op, "%u is no conversion mode", p->mode);
		return op_fail(f, FAIL_MODEL, op, "conversion mode %u is not specified by public sources", p->mode);
	}
	if (p->src == want_src && p->dst == want_dst)
		return true;
	return op_fail(f, FAIL_KERNEL, op, "conversion mode %u makes %s of %s, but the operands are %s and %s", p->mode,
		       isa_type_name(want_dst), isa_type_name(want_src), isa_type_name(p->dst), isa_type_name(p->src));
}

static bool per_column(const struct ccub *p) { return p->mode == CR_VDEQ8 || p->mode == CR_VDEQ16; }
static uint64_t table_addr(const struct op *op) { return (op->spr.deqscale & 0xffffff) * MTE_BLOCK; }

static bool ccub_of(const struct op *op, struct ccub *p)
{
	*p = (struct ccub){ .out = op->insn == INSN_copy_matrix_cc_to_ubuf,
			    .dst = isa_operand_type(op->insn, op->variant, 0),
			    .src = isa_operand_type(op->insn, op->variant, 1), .mode = (unsigned)op->x[2] };
	if (p->src == TYPE_NONE)
		p->src = p->dst;
	p->dst_bytes = 32 * isa_type_bits(p->dst);
	p->src_bytes = 32 * isa_type_bits(p->src);
	return p->out || op->insn == INSN_copy_matrix_ubuf_to_cc;
}

bool mte_ccub_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = ccub_n_burst(w), len = ccub_len_burst(w);
	struct ccub p;

	(void)chip;
	if (!ccub_of(op, &p))
		return op_fail(f, FAIL_MODEL, op, "the element order of this copy is not specified by public sources");
	enum isa_space dst = p.out ? SPACE_UB : SPACE_L0C, src = p.out ? SPACE_L0C : SPACE_UB;
	if (!ccub_mode(op, &p, f) || !mte_aligned(op, "L0C", SPACE_L0C, op->x[p.out ? 1 : 0], 64, f) ||
	    !mte_aligned(op, "UB", SPACE_UB, op->x[p.out ? 0 : 1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0 || len == 0;
	if (e->nop)
		return true;
	/* gaps count fractals in L0C and 32 bytes in UB */
	uint64_t src_gap = ccub_src_gap(w) * (p.out ? p.src_bytes : MTE_BLOCK);
	uint64_t dst_gap = ccub_dst_gap(w) * (p.out ? MTE_BLOCK : p.dst_bytes);
	effect_add(e, src, false, op->x[1], (uint32_t)len * p.src_bytes, (uint32_t)n,
		(int64_t)(len * p.src_bytes + src_gap),
		   1, 0, 1, 0);
	effect_add(e, dst, true, op->x[0], (uint32_t)len * p.dst_bytes, (uint32_t)n,
		(int64_t)(len * p.dst_bytes + dst_gap), 1,
		   0, 1, 0);
	if (per_column(&p))
		effect_add(e, SPACE_UB, false, table_addr(op), TABLE_BYTES, 1, 0, 1, 0, 1, 0);
	e->repeats = (uint32_t)(n * len);
	e->bytes = n * len * (p.out ? p.src_bytes : p.dst_bytes);
	e->elem_bytes = (p.src_bytes > p.dst_bytes ? p.src_bytes : p.dst_bytes) / 256;
	return true;
}

static float relu(float v) { return v < 0 || v == 0 ? 0.0f : v; }

/* s32 with a 64-bit parameter: to fp16, or to 8 bits with offset. */
static void dequantise(const struct op *op, const struct ccub *p, uint32_t column, uint8_t *to, int32_t s)
{
	uint64_t q = op->spr.deqscale;
	if (p->table)
		memcpy(&q, p->table + 8 * column, 8);
	float x = (float)s * num_float((uint32_t)q & 0xffffe000u);
	if (p->dst == TYPE_F16) {
		uint16_t h = num_to_f16(x, NUM_RINT, ctrl_bit(op, CTRL_INF_NAN));
		memcpy(to, &h, 2);
		return;
	}
	int64_t offset = (int64_t)(q >> 37 & 511), r = num_to_int(x, NUM_RINT, 9, true, false);
	*to = (uint8_t)num_saturate(r + (offset < 256 ? offset : offset - 512), 8, p->dst == TYPE_S8);
}

static void move_elem(const struct op *op, const struct ccub *p, uint32_t column, uint8_t *to, const uint8_t *from)
{
	bool keep = ctrl_bit(op, CTRL_INF_NAN);
	uint16_t h = 0;
	int32_t s = 0;
	float v = 0;

	switch (p->mode) {
	case CR_F32_F16:
	case CR_F32_F16_RELU:
		memcpy(&v, from, 4);
		h = num_to_f16(p->mode == CR_F32_F16_RELU ? relu(v) : v, NUM_RINT, keep);
		memcpy(to, &h, 2);
		return;
	case CR_F16_F32:
		memcpy(&h, from, 2);
		v = num_from_f16(h);
		memcpy(to, &v, 4);
		return;
	case CR_S32_F16_DEQ: /* one fp32 product, rounded to fp16 */
		memcpy(&s, from, 4);
		h = num_to_f16((float)s * num_from_f16((uint16_t)op->spr.deqscale), NUM_RINT, keep);
		memcpy(to, &h, 2);
		return;
	case CR_S32_F16:
		memcpy(&s, from, 4);
		h = num_int_to_f16(s, NUM_RINT, keep);
		memcpy(to, &h, 2);
		return;
	case CR_F16_MUL:
		memcpy(&h, from, 2);
		h = num_to_f16(num_from_f16(h) * num_from_f16((uint16_t)op->spr.deqscale), NUM_RINT, keep);
		memcpy(to, &h, 2);
		return;
	case CR_DEQ8:
	case CR_VDEQ8:
	case CR_DEQ16:
	case CR_VDEQ16:
		memcpy(&s, from, 4);
		dequantise(op, p, column, to, s);
		return;
	default: break;
	}
	memcpy(to, from, p->dst_bytes / 256);
	if (p->mode != CR_RELU)
		return;
	if (p->dst == TYPE_F16) {
		memcpy(&h, from, 2);
		h = num_to_f16(relu(num_from_f16(h)), NUM_RINT, true);
		memcpy(to, &h, 2);
	} else if (p->dst == TYPE_F32) {
		memcpy(&v, from, 4);
		v = relu(v);
		memcpy(to, &v, 4);
	} else if (p->dst == TYPE_S32) {
		memcpy(&s, from, 4);
		s = s < 0 ? 0 : s;
		memcpy(to, &s, 4);
	}
}

bool mte_ccub_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	struct ccub p;

	if (!ccub_of(op, &p))
		return op_fail(f, FAIL_INTERNAL, op, "not a fractal copy");
	if (per_column(&p))
		p.table = mte_local(mem, SPACE_UB, table_addr(op));
	for (uint32_t i = 0; i < s->n[0]; i++) {
		const uint8_t *from = mte_local(mem, s->space, s->addr + (uint64_t)(i * s->stride[0]));
		uint8_t *to = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[0]));
		uint32_t count = s->unit_bytes / (p.src_bytes / 256);
		if (p.mode == CR_NONE) {
			memcpy(to, from, s->unit_bytes);
			continue;
		}
		for (uint32_t j = 0; j < count; j++)
			move_elem(op, &p, j % 16, to + j * (p.dst_bytes / 256), from + j * (p.src_bytes / 256));
	}
	return true;
}

/* broadcast_ub_to_cc: 16 elements of UB become the 16 equal rows of a fractal. */
static void bcast_types(const struct op *op, enum isa_type *dst, enum isa_type *src)
{
	*dst = isa_operand_type(op->insn, op->variant, 0);
	*src = isa_operand_type(op->insn, op->variant, 1);
	if (*src == TYPE_NONE)
		*src = *dst;
}

bool mte_bcast_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = bcast_n_burst(w), len = bcast_len_burst(w);
	enum isa_type dst, src;

	(void)chip;
	bcast_types(op, &dst, &src);
	if (src != dst && !(src == TYPE_F16 && dst == TYPE_F32))
		return op_fail(f, FAIL_MODEL, op, "broadcast of %s as %s is not specified by public sources",
			       isa_type_name(src), isa_type_name(dst));
	if (!mte_reserved(op, "burst", w, UINT32_MAX, f) || !mte_aligned(op, "destination", SPACE_L0C, op->x[0], 64,
		f) ||
	    !mte_aligned(op, "source", SPACE_UB, op->x[1], MTE_BLOCK, f))
		return false;
	e->nop = n == 0 || len == 0;
	if (e->nop)
		return true;
	uint32_t in = 2 * isa_type_bits(src), out = 32 * isa_type_bits(dst);
	effect_add(e, SPACE_UB, false, op->x[1], (uint32_t)len * in, (uint32_t)n,
		   (int64_t)(len * in + bcast_src_gap(w) * MTE_BLOCK), 1, 0, 1, 0);
	effect_add(e, SPACE_L0C, true, op->x[0], (uint32_t)len * out, (uint32_t)n,
		   (int64_t)((len + bcast_dst_gap(w)) * out), 1, 0, 1, 0);
	e->repeats = (uint32_t)(n * len);
	e->bytes = n * len * out;
	e->elem_bytes = out / 256;
	return true;
}

bool mte_bcast_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *s = &e->access[0], *d = &e->access[1];
	enum isa_type dst, src;

	(void)f;
	bcast_types(op, &dst, &src);
	uint32_t in = isa_type_bits(src) / 8, out = isa_type_bits(dst) / 8, count = s->unit_bytes / in;
	for (uint32_t i = 0; i < s->n[0]; i++) {
		const uint8_t *from = mte_local(mem, s->space, s->addr + (uint64_t)(i * s->stride[0]));
		uint8_t *to = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[0]));
		for (uint32_t j = 0; j < count * 16; j++) {
			/* j counts elements of the destination: fractal, row, column */
			const uint8_t *elem = from + (j / 256 * 16 + j % 16) * in;
			uint16_t h;
			float v;
			if (src == dst) {
				memcpy(to + j * out, elem, out);
				continue;
			}
			memcpy(&h, elem, 2);
			v = num_from_f16(h);
			memcpy(to + j * out, &v, 4);
		}
	}
	return true;
}
