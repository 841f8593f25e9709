/*
 * cube.h - inside the cube unit: one mad with its operands resolved, and the paths that compute it.
 *
 * Accumulation, chosen here because public sources name no order: every element of C starts from C, the bias or 0 and
 * takes its products with k ascending, one addition each.
 *   f16, bf16, f32, hf32   product rounded to fp32, then added in fp32. Products of f16 and of hf32 operands are exact
 *                          (unless hf32 over- or underflows), so a fused multiply-add gives the same bits for f16.
 *   f16 result             accumulated in fp32, rounded once at the end of the mad
 *   integers               exact, wrapping at 32 bits
 * Sparse B (mad_sp): of every four rows along K two are stored. Stored row 2g + e stands for row 4g + e + index, index 0..2
 * (public MmadWithSparse page); four indices to a byte, the first in the low bits.
 * NaN results are stored as 0x7fc00000 (0x7e00).
 */
#ifndef CUBE_H
#define CUBE_H

#include "exec.h"

enum cube_path { CUBE_PLAIN, CUBE_AVX2, CUBE_AVX512 };

struct cube_mad {
	enum isa_type type_a, type_b, type_c;
	uint32_t m, k, n;       /* valid elements */
	uint32_t m1, k1, n1;    /* fractals stored: rows of C, K of A and B, columns of C */
	uint32_t k0;            /* K elements of a fractal */
	bool gemv;              /* m == 1: A is a plain vector */
	bool hf32, hf32_away;
	bool keep;              /* f16 result: keep inf and NaN, else saturate */
	bool zero;              /* start from 0 */
	const uint8_t *bias;    /* start from this row of n elements when not NULL */
	const uint8_t *index;   /* sparse B: 2-bit indices, 128 bytes for each of its fractals; NULL: dense */
	const uint8_t *a, *b;
	uint8_t *c;
};

/* The fastest path of this host. */
enum cube_path cube_best_path(void);
/* Compute; every path gives the same bits. A path that the host lacks falls back to the plain one. */
void cube_run(const struct cube_mad *job, enum cube_path path);

/* c[r][16 v + j] = init + sum over k of a[r][k] * b[k][v][j], for `rows` rows and `strips` strips (1 or 2) of 16 columns.
 * Pitches in floats. exact: products are exact, so that they may be fused with the addition. */
struct cube_block {
	const float *a, *b, *init;
	float *c;
	int64_t a_row, init_row, init_strip, c_row, c_strip;
	uint32_t k, rows, strips;
	bool exact;
};
void cube_block_run(const struct cube_block *blk, enum cube_path path);
/* The same for integers: a holds pairs of int16 along k, b[k / 2][16] pairs; one strip. k counts pairs. */
struct cube_iblock {
	const int32_t *a, *b, *init;
	int32_t *c;
	int64_t a_row, init_row, c_row;
	uint32_t k, rows;
};
void cube_iblock_run(const struct cube_iblock *blk, enum cube_path path);

/* A to rows of fp32, `rows` rows from row `first` (a multiple of 16), pitch a_row. */
void cube_pack_a(const struct cube_mad *job, uint32_t first, uint32_t rows, float *to, int64_t a_row,
	enum cube_path path);
/* B to [k][strips][16] fp32, from strip `first`. */
void cube_pack_b(const struct cube_mad *job, uint32_t first, uint32_t strips, float *to, enum cube_path path);
/* Integers: A to rows of int16, B to [k / 2][16] pairs. An odd k gets a zero behind it in A. */
void cube_pack_ai(const struct cube_mad *job, uint32_t first, uint32_t rows, int16_t *to, int64_t a_row,
		  enum cube_path path);
enum { CUBE_SPARSE_K = 64 }; /* rows of B that a fractal of sparse weights stands for */
static inline unsigned cube_sparse_index(const uint8_t *index, uint64_t element)
{
	return index[element / 4] >> (element % 4 * 2) & 3;
}
void cube_pack_bi(const struct cube_mad *job, uint32_t strip, int16_t *to, enum cube_path path);
/* No product of nonzero elements of A and B leaves the normal range of fp32 (bf16). Only for paths with AVX2. */
bool cube_bf16_exact(const struct cube_mad *job);

#endif
