/*
 * mte_fill.c - create_cbuf_matrix, create_ca_matrix, create_cb_matrix, their typed forms, and set_l1_2d and kin: `repeat`
 * runs of blocks (32 bytes in L1, 512 in L0) filled with one value. Facts: hardware.md 3.6. The level c100 knows repeats
 * of one block only.
 */
#include "mte.h"

#include <inttypes.h>
#include <string.h>

static enum isa_space fill_space(unsigned insn)
{
	switch (insn) {
	case INSN_create_cbuf_matrix:
	case INSN_create_cbuf_matrix_bf16:
	case INSN_create_cbuf_matrix_h:
	case INSN_create_cbuf_matrix_ui:
	case INSN_set_l1_2d: return SPACE_L1;
	case INSN_create_ca_matrix:
	case INSN_create_ca_matrix_bf16:
	case INSN_create_ca_matrix_h:
	case INSN_create_ca_matrix_ui:
	case INSN_set_l0a_2d: return SPACE_L0A;
	case INSN_create_cb_matrix:
	case INSN_create_cb_matrix_bf16:
	case INSN_create_cb_matrix_h:
	case INSN_create_cb_matrix_ui:
	case INSN_set_l0b_2d: return SPACE_L0B;
	default: return SPACE_NONE;
	}
}

static bool fill_from_register(const struct op *op)
{
	return op->insn == INSN_set_l0a_2d || op->insn == INSN_set_l0b_2d || op->insn == INSN_set_l1_2d;
}

/* Width of the value: operand type 1 where the row tells destination and value apart. */
static unsigned fill_value_bytes(const struct op *op)
{
	enum isa_type t = isa_operand_type(op->insn, op->variant, 1);

	if (t == TYPE_NONE)
		t = isa_operand_type(op->insn, op->variant, 0);
	return isa_type_bits(t) == 32 ? 4 : 2;
}

bool mte_fill_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	uint64_t w = op->x[3], n = fill_repeat(w), blocks = fill_blk_num(w), gap = fill_gap(w);
	enum isa_space space = fill_space(op->insn);
	uint64_t unit = space == SPACE_L1 ? MTE_BLOCK : MTE_FRACTAL;

	if (space == SPACE_NONE)
		return op_fail(f, FAIL_MODEL, op, "this fill is not modelled");
	if (!mte_reserved(op, "fill", w, UINT64_C(0x7fff7fff7fff), f) ||
	    !mte_aligned(op, "destination", space, op->x[0], unit, f))
		return false;
	if (chip->arch == ARCH_C100) {
		if (blocks > 1 || gap)
			return op_fail(f, FAIL_KERNEL, op, "blocks and gaps of a fill do not exist on c100");
		blocks = 1;
	}
	e->nop = n == 0 || blocks == 0;
	if (e->nop)
		return true;
	effect_add(e, space, true, op->x[0], (uint32_t)(blocks * unit), (uint32_t)n, (int64_t)((blocks + gap) * unit),
		1, 0, 1,
		   0);
	e->repeats = (uint32_t)n;
	e->bytes = n * blocks * unit;
	return true;
}

bool mte_fill_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	const struct access *d = &e->access[0];
	unsigned width = fill_value_bytes(op);
	uint64_t value = fill_from_register(op) ? op->spr.l0_value : op->x[1];

	(void)f;
	for (uint32_t i = 0; i < d->n[0]; i++) {
		uint8_t *to = mte_local(mem, d->space, d->addr + (uint64_t)(i * d->stride[0]));
		for (uint32_t b = 0; b < d->unit_bytes; b += width)
			memcpy(to + b, &value, width);
	}
	return true;
}
