/* golden.c - what the operator gather should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *x = golden_f64(g, "x"), *index = golden_f64(g, "index");
	double *y = golden_new(n, sizeof(*y)), *even = golden_new(n / 2, sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		y[i] = x[(int64_t)index[i]];
	for (int64_t i = 0; i < n / 2; i++)
		even[i] = y[2 * i];
	golden_put_f64(g, "y", y);
	golden_put_f64(g, "even", even);
	return 0;
}
