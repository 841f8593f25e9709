/* golden.c - 2 (x + 1). */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x");
	const double *x = golden_f64(g, "x");
	double *o = golden_new(n, sizeof(double));
	for (int64_t i = 0; i < n; i++)
		o[i] = 2 * (x[i] + 1);
	golden_put_f64(g, "out", o);
	return 0;
}
