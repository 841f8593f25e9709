/*
 * golden.c - what matmul should compute: C = A * B or A * B^T in double precision, rounded once.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	bool trans_b = golden_param(g, "trans_b") != 0;
	double *c = golden_new(m * n, sizeof(*c)), *squares = golden_new(m * n, sizeof(*squares));

	golden_matmul(golden_f64(g, "a"), golden_f64(g, "b"), trans_b ? 1 : n, trans_b ? k : 1, c, squares, m, n, k);
	golden_put_product(g, "c", c, squares);
	return 0;
}
