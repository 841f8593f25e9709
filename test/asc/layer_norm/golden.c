/* golden.c - what the operator layer_norm should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k");
	const double *x = golden_f64(g, "x"), *w = golden_f64(g, "gamma"), *b = golden_f64(g, "beta");
	double *y = golden_new(m * k, sizeof(*y)), *mean = golden_new(m, sizeof(*mean));
	for (int64_t r = 0; r < m; r++) {
		double s = 0, v = 0;
		for (int64_t i = 0; i < k; i++)
			s += x[r * k + i] / (double)k;
		for (int64_t i = 0; i < k; i++)
			v += (x[r * k + i] - s) * (x[r * k + i] - s) / (double)k;
		for (int64_t i = 0; i < k; i++)
			y[r * k + i] = (x[r * k + i] - s) / sqrt(v + 1e-3) * w[i] + b[i];
		mean[r] = s;
	}
	golden_put_f64(g, "y", y);
	golden_put_f64(g, "mean", mean);
	return 0;
}
