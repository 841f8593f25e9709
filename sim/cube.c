/*
 * cube.c - mad: C[m,n] (L0C, NZ) = A[m,k] (L0A, ZZ) * B[k,n] (L0B, ZN) + C, bias or 0. Facts: hardware.md 3.4. Only valid
 * elements are read into results and written; the rest of partly filled fractals of C stays as it was.
 */
#include "cube.h"
#include "mte.h"
#include "num.h"

#include <inttypes.h>
#include <string.h>

enum { A_FLOATS = 16 * (4096 + 32), B_FLOATS = 2 * 16 * 4096, C_ALIGN = 64 };

static bool is_sparse(const struct op *op) { return op->insn == INSN_mad_sp; }
static bool is_float(enum isa_type t) { return t == TYPE_F16 || t == TYPE_BF16 || t == TYPE_F32; }

/* Sizes and modes of an op; memory pointers are left out. */
static struct cube_mad mad_of(const struct op *op)
{
	uint64_t w = op->x[3];
	struct cube_mad j = { .m = (uint32_t)mad_m(w), .k = (uint32_t)mad_k(w), .n = (uint32_t)mad_n(w),
			      .zero = mad_init_val(w), .keep = ctrl_bit(op, CTRL_INF_NAN) };

	if (op->insn == INSN_mad_s4) {
		j.type_a = j.type_b = TYPE_S4;
		j.type_c = TYPE_S32;
	} else {
		j.type_c = isa_operand_type(op->insn, op->variant, 0);
		j.type_a = isa_operand_type(op->insn, op->variant, 1);
		j.type_b = isa_operand_type(op->insn, op->variant, 2);
	}
	j.hf32 = j.type_a == TYPE_F32 && ctrl_bit(op, CTRL_HF32);
	j.hf32_away = ctrl_bit(op, CTRL_HF32_ROUND);
	j.k0 = 256 / isa_type_bits(j.type_a);
	j.gemv = j.m == 1;
	j.m1 = (uint32_t)mte_ceil_div(j.m, 16);
	j.n1 = (uint32_t)mte_ceil_div(j.n, 16);
	j.k1 = (uint32_t)mte_ceil_div(j.k, j.k0);
	if (j.type_a == TYPE_F32 && mad_k_align(w))
		j.k1 = (j.k1 + 1) & ~1u;
	return j;
}

static bool mad_limits(const struct op *op, const struct cube_mad *j, uint64_t c, uint64_t bias, struct fail *f)
{
	uint64_t w = op->x[3];

	if (!mte_reserved(op, "size", w, UINT64_C(0xc580000fffffffff), f))
		return false;
	if (mad_unit_flag(w) == 1)
		return op_fail(f, FAIL_KERNEL, op, "unit flag mode 1 is reserved (0 off, 2 leave, 3 set)");
	if (!mte_aligned(op, "A", SPACE_L0A, op->x[1], MTE_FRACTAL, f) ||
	    !mte_aligned(op, "B", SPACE_L0B, op->x[2], MTE_FRACTAL, f) ||
	    !mte_aligned(op, "C", SPACE_L0C, c, C_ALIGN, f))
		return false;
	if (!mad_c_source(w) || j->zero)
		return true;
	if (j->type_c == TYPE_F16)
		return op_fail(f, FAIL_KERNEL, op, "a bias table cannot start an f16 result");
	return mte_aligned(op, "bias", SPACE_BT, bias, 64, f);
}

bool cube_effect(const struct chip *chip, const struct core_mem *mem, const struct op *op, struct effect *e,
		 struct fail *f)
{
	struct cube_mad j;
	uint64_t c = op->x[0] & UINT32_MAX, bias = op->x[0] >> 32; /* the bias address rides in the high half */

	j = mad_of(op);
	if (!mad_limits(op, &j, c, bias, f))
		return false;
	e->nop = !j.m || !j.k || !j.n;
	if (e->nop)
		return true;
	uint32_t a_bits = isa_type_bits(j.type_a), c_bytes = isa_type_bits(j.type_c) / 8;
	uint64_t a_bytes = j.gemv ? mte_ceil_div((uint64_t)j.k * a_bits, 8) : (uint64_t)j.m1 * j.k1 * MTE_FRACTAL;
	uint32_t strip = j.m1 * 256 * c_bytes;
	uint32_t b_fractals = is_sparse(op) ? (uint32_t)mte_ceil_div(j.k, CUBE_SPARSE_K) : j.k1;
	effect_add(e, SPACE_L0A, false, op->x[1], (uint32_t)a_bytes, 1, 0, 1, 0, 1, 0);
	effect_add(e, SPACE_L0B, false, op->x[2], b_fractals * j.n1 * MTE_FRACTAL, 1, 0, 1, 0, 1, 0);
	effect_add(e, SPACE_L0C, true, c, strip, j.n1, strip, 1, 0, 1, 0);
	if (!j.zero && mad_c_source(op->x[3]))
		effect_add(e, SPACE_BT, false, bias, j.n * 4, 1, 0, 1, 0, 1, 0);
	else if (!j.zero)
		effect_add(e, SPACE_L0C, false, c, strip, j.n1, strip, 1, 0, 1, 0);
	/* fp32 steps are counted in the chip's own K per cycle, over K as it is stored */
	uint64_t k_steps = j.type_a == TYPE_F32 ? mte_ceil_div((uint64_t)j.k1 * j.k0,
		(uint64_t)chip->cube.k0_f32) : b_fractals; /* a step of sparse weights covers twice the K */
	e->macs = (uint64_t)j.m * j.k * j.n;
	e->cube_steps = (uint32_t)(j.m1 * j.n1 * k_steps);
	e->elem_bytes = a_bits < 8 ? 1 : a_bits / 8;
	return effect_check(mem, op, e, f);
}

/* Working memory of a mad; nothing in it outlives the call. */
struct scratch {
	_Alignas(64) float a[A_FLOATS];
	_Alignas(64) float b[B_FLOATS];
	_Alignas(64) float c[8 * 32], init[8 * 32], row[32];
};
static _Thread_local struct scratch scratch;

/* Element (r, col) of the strips that start at column 16 * strip; C keeps 16 columns of all rows together. */
static uint64_t c_index(const struct cube_mad *j, uint32_t strip, uint32_t r, uint32_t col)
{
	return ((uint64_t)(strip + col / 16) * j->m1 * 16 + r) * 16 + col % 16;
}

/* A block that is not a whole one of fp32: through a copy, so that only valid columns are touched. */
static void block_copied(const struct cube_mad *j, struct cube_block blk, uint32_t strip, uint32_t row, uint32_t valid,
			 enum cube_path path)
{
	struct scratch *s = &scratch;
	bool half = j->type_c == TYPE_F16, load = !j->zero && !j->bias;
	uint32_t rows = blk.rows;

	for (uint32_t r0 = 0; r0 < rows; r0 += 8) {
		blk.rows = rows - r0 < 8 ? rows - r0 : 8;
		for (uint32_t r = 0; load && r < blk.rows; r++)
			for (uint32_t col = 0; col < 16 * blk.strips; col++) {
				uint64_t at = c_index(j, strip, row + r0 + r, col);
				float v = 0;
				uint16_t h;
				if (half && col < valid) {
					memcpy(&h, j->c + 2 * at, 2);
					v = num_from_f16(h);
				} else if (col < valid) {
					memcpy(&v, j->c + 4 * at, 4);
				}
				s->init[r * 32 + col] = v;
			}
		if (load) {
			blk.init = s->init;
			blk.init_row = 32;
			blk.init_strip = 16;
		}
		blk.c = s->c;
		blk.c_row = 32;
		blk.c_strip = 16;
		cube_block_run(&blk, path);
		for (uint32_t r = 0; r < blk.rows; r++)
			for (uint32_t col = 0; col < valid; col++) {
				uint64_t at = c_index(j, strip, row + r0 + r, col);
				uint16_t h;
				if (!half) {
					memcpy(j->c + 4 * at, &s->c[r * 32 + col], 4);
					continue;
				}
				h = num_to_f16(s->c[r * 32 + col], NUM_RINT, j->keep);
				memcpy(j->c + 2 * at, &h, 2);
			}
		blk.a += 8 * blk.a_row;
	}
}

static void run_float(const struct cube_mad *j, enum cube_path path)
{
	struct scratch *s = &scratch;
	int64_t a_row = (int64_t)mte_round_up(j->k,
		16) + 16; /* not a power of two: rows must not meet in a cache set */
	uint32_t chunk = (uint32_t)(A_FLOATS / a_row) / 16 * 16;
	bool exact = j->type_a == TYPE_F16 || (j->type_a == TYPE_BF16 && path != CUBE_PLAIN && cube_bf16_exact(j));

	for (uint32_t row = 0; row < j->m; row += chunk) {
		uint32_t rows = j->m - row < chunk ? j->m - row : chunk, strips;
		cube_pack_a(j, row, rows, s->a, a_row, path);
		for (uint32_t strip = 0; strip < j->n1; strip += strips) {
			strips = j->n1 - strip > 1 ? 2 : 1;
			uint32_t valid = j->n - strip * 16 < strips * 16 ? j->n - strip * 16 : strips * 16;
			struct cube_block blk = { .a = s->a, .b = s->b, .init = s->row, .a_row = a_row,
				.init_strip = 16,
						  .c_row = 16, .c_strip = (int64_t)j->m1 * 256, .k = j->k, .rows = rows,
						  .strips = strips, .exact = exact };
			cube_pack_b(j, strip, strips, s->b, path);
			memset(s->row, 0, sizeof(s->row));
			if (!j->zero && j->bias)
				memcpy(s->row, j->bias + strip * 64, valid * 4);
			if (j->type_c == TYPE_F16 || valid < strips * 16) {
				block_copied(j, blk, strip, row, valid, path);
				continue;
			}
			blk.c = (float *)(void *)j->c + c_index(j, strip, row, 0);
			if (!j->zero && !j->bias) {
				blk.init = blk.c;
				blk.init_row = 16;
				blk.init_strip = blk.c_strip;
			}
			cube_block_run(&blk, path);
		}
	}
}

static void run_int(const struct cube_mad *j, enum cube_path path)
{
	struct scratch *s = &scratch;
	int64_t a_row = (int64_t)mte_round_up(j->k, 64) + 32; /* int16 elements */
	uint32_t chunk = (uint32_t)(2 * A_FLOATS / a_row) / 16 * 16;
	int32_t *c = (int32_t *)(void *)s->c, *init = (int32_t *)(void *)s->init;

	for (uint32_t row = 0; row < j->m; row += chunk) {
		uint32_t rows = j->m - row < chunk ? j->m - row : chunk;
		cube_pack_ai(j, row, rows, (int16_t *)(void *)s->a, a_row, path);
		for (uint32_t strip = 0; strip < j->n1; strip++) {
			uint32_t valid = j->n - strip * 16 < 16 ? j->n - strip * 16 : 16;
			cube_pack_bi(j, strip, (int16_t *)(void *)s->b, path);
			for (uint32_t r = 0; r < rows; r += 8) {
				uint32_t part = rows - r < 8 ? rows - r : 8;
				memset(init, 0, sizeof(s->init));
				for (uint32_t i = 0; i < part && !j->zero; i++)
					memcpy(init + 16 * i, j->bias ? j->bias + strip * 64
								      : j->c + 4 * c_index(j, strip, row + r + i, 0),
									valid * 4);
				struct cube_iblock blk = { .a = (const int32_t *)(void *)s->a + r * a_row / 2,
							   .b = (const int32_t *)(void *)s->b, .init = init, .c = c,
							   .a_row = a_row / 2, .init_row = 16, .c_row = 16,
							   .k = (j->k + 1) / 2, .rows = part };
				cube_iblock_run(&blk, path);
				for (uint32_t i = 0; i < part; i++)
					memcpy(j->c + 4 * c_index(j, strip, row + r + i, 0), c + 16 * i, valid * 4);
			}
		}
	}
}

void cube_run(const struct cube_mad *job, enum cube_path path)
{
	if (path > cube_best_path())
		path = cube_best_path();
	if (is_float(job->type_a))
		run_float(job, path);
	else
		run_int(job, path);
}

/* Index 3 stands for no row. Only the columns and rows that count are looked at. */
static bool sparse_indices(const struct op *op, const struct cube_mad *j, struct fail *f)
{
	for (uint32_t n = 0; n < j->n; n++)
		for (uint32_t k = 0; k < j->k / 2; k++) {
			uint64_t element = (((uint64_t)(k / 32) * j->n1 + n / 16) * 16 + n % 16) * 32 + k % 32;
			if (cube_sparse_index(j->index, element) == 3)
				return op_fail(f, FAIL_KERNEL, op, "sparse index of stored row %u, column %u is 3, but 0..2 "
					"exist", k, n);
		}
	return true;
}

bool cube_value(struct core_mem *mem, const struct op *op, const struct effect *e, struct fail *f)
{
	struct cube_mad j;

	if (e->nop)
		return true;
	j = mad_of(op);
	j.a = mte_local(mem, SPACE_L0A, op->x[1]);
	j.b = mte_local(mem, SPACE_L0B, op->x[2]);
	j.c = mte_local(mem, SPACE_L0C, op->x[0] & UINT32_MAX);
	if (!j.zero && mad_c_source(op->x[3]))
		j.bias = mte_local(mem, SPACE_BT, op->x[0] >> 32);
	if (is_sparse(op)) {
		j.index = mem->index0b + op->x[2] / 4;
		if (!sparse_indices(op, &j, f))
			return false;
	}
	cube_run(&j, cube_best_path());
	return true;
}
