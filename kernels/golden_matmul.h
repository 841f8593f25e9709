/*
 * golden_matmul.h - the product that the matrix kernels are compared with: double precision, plain order along K, and how
 * far the cube's fp32 accumulation may be off.
 */
#ifndef GOLDEN_MATMUL_H
#define GOLDEN_MATMUL_H

#include "golden.h"

enum { GOLDEN_ROWS = 4, GOLDEN_COLS = 64 };

struct golden_sums { double sum[GOLDEN_ROWS][GOLDEN_COLS], squares[GOLDEN_ROWS][GOLDEN_COLS]; };

/*
 * sum[r][:] += a[r,:] * panel for GOLDEN_ROWS rows of a, and the squares of all partial sums. Loops of known length: the
 * compiler makes vectors of them.
 */
static inline void golden_block(const double *const *a, const double *panel, int64_t k, struct golden_sums *s)
{
	for (int64_t p = 0; p < k; p++, panel += GOLDEN_COLS)
		for (int r = 0; r < GOLDEN_ROWS; r++) {
			double v = a[r][p];

			for (int j = 0; j < GOLDEN_COLS; j++) {
				s->sum[r][j] += v * panel[j];
				s->squares[r][j] += s->sum[r][j] * s->sum[r][j];
			}
		}
}

/*
 * c[m,n] += a[m,k] * b, where b[p,j] stands at b[p * row + j * col]. squares[m,n], when not NULL, grows by the squares of
 * the partial sums, c included: what golden_sum_bound wants to know of fp32 accumulation along K.
 */
static inline void golden_matmul(const double *a, const double *b, int64_t row, int64_t col, double *c, double *squares,
				 int64_t m, int64_t n, int64_t k)
{
	double *panel = golden_new(k * GOLDEN_COLS, sizeof(*panel));

	for (int64_t j0 = 0; j0 < n; j0 += GOLDEN_COLS) {
		int64_t cols = n - j0 < GOLDEN_COLS ? n - j0 : GOLDEN_COLS;

		for (int64_t p = 0; p < k; p++)
			for (int64_t j = 0; j < cols; j++)
				panel[p * GOLDEN_COLS + j] = b[p * row + (j0 + j) * col];
		for (int64_t i = 0; i < m; i += GOLDEN_ROWS) {
			struct golden_sums s = { 0 };
			const double *rows[GOLDEN_ROWS];
			int64_t n_row = m - i < GOLDEN_ROWS ? m - i : GOLDEN_ROWS;

			for (int r = 0; r < GOLDEN_ROWS; r++) /* rows past the last repeat it; their sums are dropped */
				rows[r] = a + (i + (r < n_row ? r : n_row - 1)) * k;
			for (int r = 0; r < n_row; r++)
				memcpy(s.sum[r], &c[(i + r) * n + j0], (size_t)cols * sizeof(double));
			golden_block(rows, panel, k, &s);
			for (int r = 0; r < n_row; r++) {
				memcpy(&c[(i + r) * n + j0], s.sum[r], (size_t)cols * sizeof(double));
				for (int64_t j = 0; j < cols && squares; j++)
					squares[(i + r) * n + j0 + j] += s.squares[r][j];
			}
		}
	}
	free(panel);
}

/* Hand over c with the bound that follows from its squares; integer results have none. */
static inline void golden_put_product(struct golden *g, const char *name, const double *c, double *squares)
{
	int64_t count = golden_count(g, name);

	golden_put_f64(g, name, c);
	if (golden_dtype(g, name)[0] == 's')
		return;
	for (int64_t i = 0; i < count; i++)
		squares[i] = golden_sum_bound(squares[i], GOLDEN_U_F32);
	golden_bound(g, name, squares);
}

#endif
