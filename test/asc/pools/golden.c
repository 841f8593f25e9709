/* golden.c - x + y, x - w, x / 2. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *x = golden_f64(g, "x"), *y = golden_f64(g, "y"), *w = golden_f64(g, "w");
	double *o = golden_new(3 * n, sizeof(double));
	for (int64_t i = 0; i < n; i++) {
		o[i] = x[i] + y[i];
		o[n + i] = x[i] - w[i];
		o[2 * n + i] = x[i] / 2;
	}
	golden_put_f64(g, "out", o);
	return 0;
}
