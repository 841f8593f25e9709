/*
 * vector_prop.c - region proposals of 910 and 310P: vextract takes one coordinate of 16 records per repeat, vconcat puts one
 * in. A record is 8 elements; coordinates: 0 x1, 1 y1, 2 x2, 3 y2, 4 score, 5 label (public pages ProposalExtract, -Concat).
 */
#include "vector.h"

#include <inttypes.h>
#include <string.h>

enum { RECORDS = 16, RECORD = 8 };

struct prop { unsigned bytes; uint32_t repeats, coordinate; bool extract; };

static struct prop prop_of(const struct op *op)
{
	return (struct prop){ .bytes = isa_type_bits(isa_operand_type(op->insn, op->variant, 0)) / 8,
			      .repeats = (uint32_t)vprop_repeat(op->x[3]), .coordinate = (uint32_t)vprop_mode(op->x[3]),
			      .extract = op->insn == INSN_vextract };
}

bool vec_prop_effect(const struct op *op, struct effect *e, struct fail *f)
{
	struct prop p = prop_of(op);
	uint64_t records = op->x[p.extract ? 1 : 0] + p.coordinate * p.bytes, column = op->x[p.extract ? 0 : 1];
	uint32_t pitch = RECORD * p.bytes, n = p.repeats * RECORDS;

	if (p.coordinate > 5)
		return op_fail(f, FAIL_KERNEL, op, "coordinate %" PRIu32 " is not in 0..5", p.coordinate);
	e->repeats = p.repeats;
	e->elem_bytes = p.bytes;
	if (!n)
		return true;
	if (!vec_align(op, "dst", op->x[0], 32, f) || !vec_align(op, "src", op->x[1], 32, f))
		return false;
	uint64_t first = records - p.coordinate * p.bytes;
	if (column < first + (uint64_t)n * pitch && first < column + (uint64_t)n * p.bytes)
		return op_fail(f, FAIL_KERNEL, op, "dst (0x%" PRIx64 ") and src (0x%" PRIx64 ") overlap", op->x[0], op->x[1]);
	effect_add(e, SPACE_UB, !p.extract, records, p.bytes, n, pitch, 1, 0, 1, 0);
	effect_add(e, SPACE_UB, p.extract, column, n * p.bytes, 1, 0, 1, 0, 1, 0);
	return true;
}

void vec_prop_value(const struct op *op, uint8_t *ub)
{
	struct prop p = prop_of(op);
	uint64_t records = op->x[p.extract ? 1 : 0] + p.coordinate * p.bytes, column = op->x[p.extract ? 0 : 1];

	for (uint32_t i = 0; i < p.repeats * RECORDS; i++) {
		uint8_t *record = ub + records + (uint64_t)i * RECORD * p.bytes, *element = ub + column + (uint64_t)i * p.bytes;
		memcpy(p.extract ? element : record, p.extract ? record : element, p.bytes);
	}
}
