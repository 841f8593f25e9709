/*
 * golden.c - what reduce should compute, by param `op`: 0 sum, 1 maximum, 2 minimum, 3 mean; double precision,
 * rounded once.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t outer = golden_dim(g, "x", 0), axis = golden_dim(g, "x", 1), inner = golden_dim(g, "x", 2);
	int64_t op = golden_param(g, "op");
	const double *x = golden_f64(g, "x");
	double *y = golden_new(outer * inner, sizeof(*y));

	for (int64_t o = 0; o < outer; o++)
		for (int64_t i = 0; i < inner; i++) {
			double v = x[o * axis * inner + i];

			for (int64_t a = 1; a < axis; a++) {
				double e = x[(o * axis + a) * inner + i];

				v = op == 1 ? (e > v ? e : v) : op == 2 ? (e < v ? e : v) : v + e;
			}
			y[o * inner + i] = op == 3 ? v / (double)axis : v;
		}
	golden_put_f64(g, "y", y);
	return 0;
}
