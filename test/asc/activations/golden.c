/* golden.c - what the operator activations should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *x = golden_f64(g, "x");
	double *v[5];
	for (int k = 0; k < 5; k++)
		v[k] = golden_new(n, sizeof(double));
	for (int64_t i = 0; i < n; i++) {
		v[0][i] = 1 / (1 + exp(-x[i]));
		v[1][i] = tanh(x[i]);
		v[2][i] = 0.5 * x[i] * (1 + tanh(0.79788456080286536 * (x[i] + 0.044715 * x[i] * x[i] * x[i])));
		v[3][i] = sin(x[i]);
		v[4][i] = erf(x[i]);
	}
	golden_put_f64(g, "a", v[0]);
	golden_put_f64(g, "b", v[1]);
	golden_put_f64(g, "c", v[2]);
	golden_put_f64(g, "d", v[3]);
	golden_put_f64(g, "e", v[4]);
	return 0;
}
