/*
 * golden.c - the gradient of softmax from its output y, in double precision. That it is the derivative is checked on
 * the first row: y is softmax of ln(y) when its sum is 1, so the row is scaled to that and differentiated
 * numerically.
 */
#include "../golden.h"

static double objective(const double *x, const double *dy, int64_t n)
{
	double sum = 0, dot = 0;

	for (int64_t i = 0; i < n; i++)
		sum += exp(x[i]);
	for (int64_t i = 0; i < n; i++)
		dot += dy[i] * exp(x[i]) / sum;
	return dot;
}

static void row_grad(const double *y, const double *dy, double *dx, int64_t n)
{
	double dot = 0;

	for (int64_t i = 0; i < n; i++)
		dot += y[i] * dy[i];
	for (int64_t i = 0; i < n; i++)
		dx[i] = y[i] * (dy[i] - dot);
}

static void check(const double *y0, const double *dy, int64_t n)
{
	double *x = golden_new(n, sizeof(*x)), *y = golden_new(n, sizeof(*y)), *dx = golden_new(n, sizeof(*dx)), sum = 0;

	for (int64_t i = 0; i < n; i++)
		sum += y0[i];
	for (int64_t i = 0; i < n; i++) {
		y[i] = y0[i] / sum;
		x[i] = log(y[i]);
	}
	row_grad(y, dy, dx, n);
	for (int64_t i = 0; i < n; i += 1 + n / 7) {
		double h = 1e-5, at = x[i];

		x[i] = at + h;
		double up = objective(x, dy, n);
		x[i] = at - h;
		double d = (up - objective(x, dy, n)) / (2 * h);
		x[i] = at;
		if (fabs(d - dx[i]) > 1e-7)
			golden_die("the gradient is not the derivative", "dx");
	}
}

int golden(struct golden *g)
{
	int64_t rows = golden_dim(g, "y", 0), cols = golden_dim(g, "y", 1);
	const double *y = golden_f64(g, "y"), *dy = golden_f64(g, "dy");
	double *dx = golden_new(rows * cols, sizeof(*dx));

	check(y, dy, cols);
	for (int64_t r = 0; r < rows; r++)
		row_grad(y + r * cols, dy + r * cols, dx + r * cols, cols);
	golden_put_f64(g, "dx", dx);
	return 0;
}
