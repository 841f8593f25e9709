/*
 * golden.c - f(A * B + bias) in double precision; param act: 0 none, 1 relu, 2 leaky relu.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K"), act = golden_param(g, "act");
	bool trans_b = golden_param(g, "trans_b") != 0;
	double *c = golden_new(m * n, sizeof(*c)), *squares = golden_new(m * n, sizeof(*squares));

	for (int64_t i = 0; i < m * n; i++)
		c[i] = golden_f64(g, "bias")[i % n];
	golden_matmul(golden_f64(g, "a"), golden_f64(g, "b"), trans_b ? 1 : n, trans_b ? k : 1, c, squares, m, n, k);
	for (int64_t i = 0; i < m * n && act; i++)
		c[i] = c[i] > 0 ? c[i] : act == 2 ? c[i] * golden_scalar(g, "slope") : 0;
	golden_put_product(g, "c", c, squares);
	return 0;
}
