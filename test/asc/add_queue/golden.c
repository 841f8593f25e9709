/*
 * golden.c - what add should compute: the exact sum of each pair, rounded once to the element type.
 */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x");
	const double *x = golden_f64(g, "x"), *y = golden_f64(g, "y");
	double *z = golden_new(n, sizeof(*z));

	for (int64_t i = 0; i < n; i++)
		z[i] = x[i] + y[i];
	golden_put_f64(g, "z", z);
	return 0;
}
