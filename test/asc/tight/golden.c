/* golden.c - silu, gelu (by its tanh form), sine and error function of x. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *v = golden_f64(g, "x");
	double *o = golden_new(4 * n, sizeof(double));
	for (int64_t i = 0; i < n; i++) {
		double x = v[i];
		o[i] = x / (1 + exp(-x));
		o[n + i] = x / (1 + exp(-1.5957691216 * (x + 0.044715 * x * x * x)));
		o[2 * n + i] = sin(x);
		o[3 * n + i] = erf(x);
	}
	golden_put_f64(g, "y", o);
	return 0;
}
