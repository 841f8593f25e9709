/*
 * golden_matmul.h - the product that both matrix kernels are compared with: double precision, plain order along K.
 */
#ifndef GOLDEN_MATMUL_H
#define GOLDEN_MATMUL_H

#include "golden.h"

/* c[m,n] += a[m,k] * b[k,n]. Four rows at a time, so that a row of b is read a quarter as often. */
static inline void golden_matmul(const double *a, const double *b, double *restrict c, int64_t m, int64_t n, int64_t k)
{
	for (int64_t i = 0; i < m; i += 4) {
		int64_t rows = m - i < 4 ? m - i : 4;

		for (int64_t p = 0; p < k; p++) {
			const double *row = b + p * n;

			for (int64_t r = 0; r < rows; r++) {
				double v = a[(i + r) * k + p], *restrict sum = c + (i + r) * n;

				for (int64_t j = 0; j < n; j++)
					sum[j] += v * row[j];
			}
		}
	}
}

#endif
