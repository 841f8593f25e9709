/* golden.c - what the operator compare_select should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *x = golden_f64(g, "x"), *y = golden_f64(g, "y");
	double *v[4];
	for (int k = 0; k < 4; k++)
		v[k] = golden_new(n, sizeof(double));
	for (int64_t i = 0; i < n; i++) {
		v[0][i] = x[i] > y[i] ? x[i] : y[i];
		v[1][i] = x[i] <= 0.5 ? x[i] : 0.5;
		v[2][i] = x[i] * y[i] + x[i];
		v[3][i] = floor(x[i]);
	}
	golden_put_f64(g, "big", v[0]);
	golden_put_f64(g, "clamp", v[1]);
	golden_put_f64(g, "poly", v[2]);
	golden_put_f64(g, "round", v[3]);
	return 0;
}
