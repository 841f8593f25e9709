/* golden.c - softmax over both pieces of a row. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k"), n = m * k;
	const double *x = golden_f64(g, "x");
	double *o = golden_new(2 * n, sizeof(double));
	for (int64_t r = 0; r < m; r++) {
		double sum = 0;
		for (int64_t i = 0; i < k; i++)
			sum += exp(x[r * k + i]) + exp(x[n + r * k + i]);
		for (int64_t i = 0; i < k; i++) {
			o[r * k + i] = exp(x[r * k + i]) / sum;
			o[n + r * k + i] = exp(x[n + r * k + i]) / sum;
		}
	}
	golden_put_f64(g, "out", o);
	return 0;
}
