/* golden.c - what the operator scale_shift should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x");
	const double *x = golden_f64(g, "x");
	double *y = golden_new(n, sizeof(*y));
	for (int64_t i = 0; i < n; i++)
		y[i] = 2.5 * x[i] - 1.25;
	golden_put_f64(g, "y", y);
	return 0;
}
