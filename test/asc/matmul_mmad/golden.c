/* golden.c - what the operator matmul_mmad should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k"), n = golden_param(g, "n");
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b"), *bias = golden_f64(g, "bias");
	double *c = golden_new(m * n, sizeof(*c));
	for (int64_t i = 0; i < m; i++)
		for (int64_t j = 0; j < n; j++) {
			c[i * n + j] = bias[j];
			for (int64_t l = 0; l < k; l++)
				c[i * n + j] += a[i * k + l] * b[l * n + j];
		}
	golden_put_f64(g, "c", c);
	return 0;
}
