/*
 * golden.c - C + A * B or C + A * B^T in double precision.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	bool trans_b = golden_param(g, "trans_b") != 0;
	double *c = golden_new(m * n, sizeof(*c));

	memcpy(c, golden_f64(g, "c"), (size_t)(m * n) * sizeof(*c));
	golden_matmul(golden_f64(g, "a"), golden_f64(g, "b"), trans_b ? 1 : n, trans_b ? k : 1, c, m, n, k);
	golden_put_f64(g, "c", c);
	return 0;
}
