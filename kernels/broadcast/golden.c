/*
 * golden.c - what broadcast should compute.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t outer = golden_param(g, "outer"), axis = golden_param(g, "axis"), inner = golden_param(g, "inner");
	const double *x = golden_f64(g, "x");
	double *y = golden_new(outer * axis * inner, sizeof(*y));

	for (int64_t i = 0; i < outer * axis * inner; i++)
		y[i] = x[i / inner / axis * inner + i % inner];
	golden_put_f64(g, "y", y);
	return 0;
}
