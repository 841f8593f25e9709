/*
 * golden.c - what softmax should compute: exp(x - max) / sum for each row in double precision, rounded once.
 */
#include "../golden.h"

static void softmax_row(const double *x, double *y, int64_t cols)
{
	double max = x[0], sum = 0;

	for (int64_t c = 1; c < cols; c++)
		max = x[c] > max ? x[c] : max;
	for (int64_t c = 0; c < cols; c++) {
		y[c] = exp(x[c] - max);
		sum += y[c];
	}
	for (int64_t c = 0; c < cols; c++)
		y[c] /= sum;
}

int golden(struct golden *g)
{
	int64_t rows = golden_dim(g, "x", 0), cols = golden_dim(g, "x", 1);
	const double *x = golden_f64(g, "x");
	double *y = golden_new(rows * cols, sizeof(*y));

	for (int64_t r = 0; r < rows; r++)
		softmax_row(x + r * cols, y + r * cols, cols);
	golden_put_f64(g, "y", y);
	return 0;
}
