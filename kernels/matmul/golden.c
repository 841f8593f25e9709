/*
 * golden.c - what matmul should compute: C = A * B or A * B^T in double precision, rounded once.
 */
#include "../golden_matmul.h"

/* b[n,k] as [k,n] */
static double *transposed(const double *b, int64_t n, int64_t k)
{
	double *t = golden_new(n * k, sizeof(*t));

	for (int64_t j = 0; j < n; j++)
		for (int64_t p = 0; p < k; p++)
			t[p * n + j] = b[j * k + p];
	return t;
}

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	const double *b = golden_f64(g, "b");
	double *c = golden_new(m * n, sizeof(*c));

	golden_matmul(golden_f64(g, "a"), golden_param(g, "trans_b") ? transposed(b, n, k) : b, c, m, n, k);
	golden_put_f64(g, "c", c);
	return 0;
}
