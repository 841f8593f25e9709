/* golden.c - for each vector core's A: A B + bias, A BT^T, A B. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), n = golden_param(g, "n"), k = golden_param(g, "k"), cores = golden_param(g, "cores");
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b"), *bt = golden_f64(g, "bt"), *bias = golden_f64(g, "bias");
	double *c = golden_new(cores * 3 * m * n, sizeof(double));
	for (int64_t core = 0; core < cores; core++)
		for (int64_t i = 0; i < m; i++)
			for (int64_t j = 0; j < n; j++) {
				double plain = 0, other = 0;
				for (int64_t l = 0; l < k; l++) {
					plain += a[(core * m + i) * k + l] * b[l * n + j];
					other += a[(core * m + i) * k + l] * bt[j * k + l];
				}
				c[((core * 3 + 0) * m + i) * n + j] = plain + bias[j];
				c[((core * 3 + 1) * m + i) * n + j] = other;
				c[((core * 3 + 2) * m + i) * n + j] = plain;
			}
	golden_put_f64(g, "c", c);
	return 0;
}
