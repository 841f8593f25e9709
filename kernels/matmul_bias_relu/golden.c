/*
 * golden.c - what matmul_bias_relu should compute: C = max(A * B + bias, 0) in double precision, rounded once.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	const double *bias = golden_f64(g, "bias");
	double *c = golden_new(m * n, sizeof(*c)), *squares = golden_new(m * n, sizeof(*squares));

	golden_matmul(golden_f64(g, "a"), golden_f64(g, "b"), n, 1, c, squares, m, n, k);
	for (int64_t i = 0; i < m * n; i++) {
		c[i] += bias[i % n];
		squares[i] += c[i] * c[i];
		c[i] = c[i] < 0 ? 0 : c[i];
	}
	golden_put_product(g, "c", c, squares);
	return 0;
}
