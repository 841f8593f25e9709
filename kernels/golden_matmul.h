/*
 * golden_matmul.h - the product that both matrix kernels are compared with: double precision, plain order along K.
 */
#ifndef GOLDEN_MATMUL_H
#define GOLDEN_MATMUL_H

#include "golden.h"

enum { GOLDEN_ROWS = 4, GOLDEN_COLS = 64 };

/* sum[r][:] += a[r,:] * panel for GOLDEN_ROWS rows of a. Loops of known length: the compiler makes vectors of them. */
static inline void golden_block(const double *const *a, const double *panel, int64_t k,
				double sum[GOLDEN_ROWS][GOLDEN_COLS])
{
	for (int64_t p = 0; p < k; p++, panel += GOLDEN_COLS)
		for (int r = 0; r < GOLDEN_ROWS; r++) {
			double v = a[r][p];

			for (int j = 0; j < GOLDEN_COLS; j++)
				sum[r][j] += v * panel[j];
		}
}

/* c[m,n] += a[m,k] * b, where b[p,j] stands at b[p * row + j * col]. */
static inline void golden_matmul(const double *a, const double *b, int64_t row, int64_t col, double *c, int64_t m,
				 int64_t n, int64_t k)
{
	double *panel = golden_new(k * GOLDEN_COLS, sizeof(*panel));

	for (int64_t j0 = 0; j0 < n; j0 += GOLDEN_COLS) {
		int64_t cols = n - j0 < GOLDEN_COLS ? n - j0 : GOLDEN_COLS;

		for (int64_t p = 0; p < k; p++)
			for (int64_t j = 0; j < cols; j++)
				panel[p * GOLDEN_COLS + j] = b[p * row + (j0 + j) * col];
		for (int64_t i = 0; i < m; i += GOLDEN_ROWS) {
			double sum[GOLDEN_ROWS][GOLDEN_COLS] = { { 0 } };
			const double *rows[GOLDEN_ROWS];

			for (int r = 0; r < GOLDEN_ROWS; r++) /* rows past the last repeat it; their sums are dropped */
				rows[r] = a + (i + r < m ? i + r : m - 1) * k;
			golden_block(rows, panel, k, sum);
			for (int r = 0; r < GOLDEN_ROWS && i + r < m; r++)
				for (int64_t j = 0; j < cols; j++)
					c[(i + r) * n + j0 + j] += sum[r][j];
		}
	}
	free(panel);
}

#endif
