/* golden.c - what the operator softmax should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k");
	const double *x = golden_f64(g, "x");
	double *y = golden_new(m * k, sizeof(*y));
	for (int64_t r = 0; r < m; r++) {
		double top = x[r * k], sum = 0;
		for (int64_t i = 0; i < k; i++)
			top = x[r * k + i] > top ? x[r * k + i] : top;
		for (int64_t i = 0; i < k; i++)
			sum += exp(x[r * k + i] - top);
		for (int64_t i = 0; i < k; i++)
			y[r * k + i] = exp(x[r * k + i] - top) / sum;
	}
	golden_put_f64(g, "y", y);
	return 0;
}
