/*
 * mte_nz.c - copy_gm_to_cbuf_multi_nd2nz_*: rows of GM matrices become NZ fractals in L1: element (r, d) goes to
 * C0 column d / C0, row r, place d % C0, where C0 is 32 bytes of elements. The last C0 column is filled up with zeros.
 * Facts: hardware.md 3.6, 4.
 */
#include "mte.h"

#include <inttypes.h>
#include <string.h>

struct nd2nz {
	uint64_t elem, num, rows, row_bytes, columns; /* columns of 32 bytes */
	int64_t src_matrix, src_row;                  /* pitches, bytes */
	int64_t dst_matrix, dst_row, dst_column;
};

static bool nd2nz_words(const struct op *op, struct nd2nz *p)
{
	uint64_t xm = op->x[3], xt = op->x[2];

	switch (op->insn) {
	case INSN_copy_gm_to_cbuf_multi_nd2nz_b8: p->elem = 1; break;
	case INSN_copy_gm_to_cbuf_multi_nd2nz_b16: p->elem = 2; break;
	case INSN_copy_gm_to_cbuf_multi_nd2nz_b32s: p->elem = 4; break;
	default: return false;
	}
	p->num = nd2nz_nd_num(xm);
	p->rows = nd2nz_n_value(xm);
	p->row_bytes = nd2nz_d_value(xm) * p->elem;
	p->columns = mte_ceil_div(p->row_bytes, MTE_BLOCK);
	p->src_matrix = (int64_t)(nd2nz_src_nd_matrix_stride(xm) * p->elem);
	p->src_row = (int64_t)(nd2nzdst_src_d_value(xt) * p->elem);
	p->dst_column = (int64_t)(nd2nzdst_dst_nz_c0_stride(xt) * MTE_BLOCK);
	p->dst_row = (int64_t)(nd2nzdst_dst_nz_n_stride(xt) * MTE_BLOCK);
	p->dst_matrix = (int64_t)(nd2nzdst_dst_nz_matrix_stride(xt) * p->elem);
	return true;
}

/* A stride matters, and must not be zero, only when something is counted by it. */
static bool nd2nz_limits(const struct op *op, const struct nd2nz *p, struct fail *f)
{
	enum { MAX = 16384 };

	if (p->rows > MAX)
		return op_fail(f, FAIL_KERNEL, op, "%" PRIu64 " rows, but n_value is at most %d", p->rows, MAX);
	if (p->columns > 1 && (p->dst_column == 0 || p->dst_column > MAX * MTE_BLOCK))
		return op_fail(f, FAIL_KERNEL, op, "dst_nz_c0_stride %" PRId64 " is outside 1..%d",
			p->dst_column / MTE_BLOCK,
			       MAX);
	if (p->rows > 1 && (p->dst_row == 0 || p->dst_row > MAX * MTE_BLOCK))
		return op_fail(f, FAIL_KERNEL, op, "dst_nz_n_stride %" PRId64 " is outside 1..%d",
			p->dst_row / MTE_BLOCK, MAX);
	if (p->rows > 1 && p->src_row == 0)
		return op_fail(f, FAIL_KERNEL, op, "src_d_value (row pitch in GM) is 0 with %" PRIu64 " rows", p->rows);
	if (p->num > 1 && p->dst_matrix == 0)
		return op_fail(f, FAIL_KERNEL, op, "dst_nz_matrix_stride is 0 with %" PRIu64 " matrices", p->num);
	if (p->num > 1 && p->dst_matrix % MTE_BLOCK)
		return op_fail(f, FAIL_KERNEL, op, "dst_nz_matrix_stride of %" PRId64 " bytes is no multiple of 32",
			       p->dst_matrix);
	return mte_aligned(op, "destination", SPACE_L1, op->x[0], MTE_BLOCK, f);
}

bool mte_nd2nz_effect(const struct chip *chip, const struct op *op, struct effect *e, struct fail *f)
{
	struct nd2nz p = { 0 };

	(void)chip;
	if (!nd2nz_words(op, &p))
		return op_fail(f, FAIL_MODEL, op, "this layout conversion is not modelled");
	e->nop = p.num == 0 || p.rows == 0 || p.row_bytes == 0;
	if (e->nop)
		return true;
	if (!nd2nz_limits(op, &p, f))
		return false;
	effect_add(e, SPACE_GM, false, op->x[1], (uint32_t)p.row_bytes, (uint32_t)p.rows, p.src_row, (uint32_t)p.num,
		   p.src_matrix, 1, 0);
	if (p.dst_row == MTE_BLOCK) /* rows that touch: one run per C0 column */
		effect_add(e, SPACE_L1, true, op->x[0], (uint32_t)(p.rows * MTE_BLOCK), (uint32_t)p.columns,
			p.dst_column,
			   (uint32_t)p.num, p.dst_matrix, 1, 0);
	else
		effect_add(e, SPACE_L1, true, op->x[0], MTE_BLOCK, (uint32_t)p.rows, p.dst_row, (uint32_t)p.columns,
			   p.dst_column, (uint32_t)p.num, p.dst_matrix);
	mte_gm_transfer(e, false, op->x[1], p.num * p.rows, p.row_bytes, p.rows > 1 ? p.src_row : p.src_matrix);
	e->bytes = e->gm.bytes;
	e->elem_bytes = (uint32_t)p.elem;
	return true;
}

static void nd2nz_row(uint8_t *to, const uint8_t *from, const struct nd2nz *p)
{
	uint64_t whole = p->row_bytes / MTE_BLOCK, tail = p->row_bytes % MTE_BLOCK;

	for (uint64_t c = 0; c < whole; c++)
		memcpy(to + (int64_t)c * p->dst_column, from + c * MTE_BLOCK, MTE_BLOCK);
	if (!tail)
		return;
	to += (int64_t)whole * p->dst_column;
	memcpy(to, from + whole * MTE_BLOCK, tail);
	memset(to + tail, 0, MTE_BLOCK - tail);
}

bool mte_nd2nz_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	struct mte_window w = mte_window_open(mem, &e->access[0]);
	struct nd2nz p = { 0 };

	if (!nd2nz_words(op, &p))
		return op_fail(f, FAIL_INTERNAL, op, "not a layout conversion");
	for (int64_t i = 0; i < (int64_t)p.num; i++) {
		uint64_t src = op->x[1] + (uint64_t)(i * p.src_matrix);
		uint8_t *to = mte_local(mem, SPACE_L1, op->x[0]) + i * p.dst_matrix;
		for (int64_t r = 0; r < (int64_t)p.rows; r++) {
			const uint8_t *from = mte_window_at(mem, &w, src + (uint64_t)(r * p.src_row), p.row_bytes);
			if (!from)
				return op_fail(f, FAIL_INTERNAL, op, "GM bytes that were checked are gone");
			nd2nz_row(to + r * p.dst_row, from, &p);
		}
	}
	return true;
}
