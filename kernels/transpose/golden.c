/*
 * golden.c - what transpose should compute.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t batch = golden_dim(g, "x", 0), rows = golden_dim(g, "x", 1), cols = golden_dim(g, "x", 2);
	const double *x = golden_f64(g, "x");
	double *y = golden_new(batch * rows * cols, sizeof(*y));

	for (int64_t b = 0; b < batch; b++)
		for (int64_t i = 0; i < rows; i++)
			for (int64_t j = 0; j < cols; j++)
				y[(b * cols + j) * rows + i] = x[(b * rows + i) * cols + j];
	golden_put_f64(g, "y", y);
	return 0;
}
