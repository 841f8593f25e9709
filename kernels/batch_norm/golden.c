/*
 * golden.c - batch norm in double precision, by param `mode`: 0 training, 1 inference, 2 gradient. The gradient is held
 * against central differences of the training formula on some elements.
 */
#include "../golden.h"

struct bn { int64_t rows, cols; double eps; const double *gamma; };

static void statistics(const struct bn *b, const double *x, int64_t c, double *mean, double *var)
{
	*mean = *var = 0;
	for (int64_t r = 0; r < b->rows; r++)
		*mean += x[r * b->cols + c] / (double)b->rows;
	for (int64_t r = 0; r < b->rows; r++)
		*var += (x[r * b->cols + c] - *mean) * (x[r * b->cols + c] - *mean) / (double)b->rows;
}

/* sum over the column of dy * y */
static double objective(const struct bn *b, const double *x, const double *dy, int64_t c)
{
	double mean, var, sum = 0;

	statistics(b, x, c, &mean, &var);
	for (int64_t r = 0; r < b->rows; r++)
		sum += dy[r * b->cols + c] * b->gamma[c] * (x[r * b->cols + c] - mean) / sqrt(var + b->eps);
	return sum;
}

static void check(const struct bn *b, const double *x0, const double *dy, const double *dx)
{
	int64_t n = b->rows * b->cols;
	double *x = golden_new(n, sizeof(*x));

	memcpy(x, x0, (size_t)n * sizeof(*x));
	for (int64_t i = 0; i < n; i += 1 + n / 5) {
		x[i] = x0[i] + 1e-5;
		double up = objective(b, x, dy, i % b->cols);
		x[i] = x0[i] - 1e-5;
		double d = (up - objective(b, x, dy, i % b->cols)) / 2e-5;
		x[i] = x0[i];
		if (fabs(d - dx[i]) > 1e-6 * (1 + fabs(d)))
			golden_die("the gradient is not the derivative", "dx");
	}
	free(x);
}

static void gradient(struct golden *g, const struct bn *b, const double *x, const double *mean, const double *var)
{
	const double *dy = golden_f64(g, "dy");
	double *dx = golden_new(b->rows * b->cols, sizeof(*dx)), m = (double)b->rows;
	double *dgamma = golden_new(b->cols, sizeof(*dgamma)), *dbeta = golden_new(b->cols, sizeof(*dbeta));

	for (int64_t i = 0; i < b->rows * b->cols; i++) {
		int64_t c = i % b->cols;

		dbeta[c] += dy[i];
		dgamma[c] += dy[i] * (x[i] - mean[c]) / sqrt(var[c] + b->eps);
	}
	for (int64_t i = 0; i < b->rows * b->cols; i++) {
		int64_t c = i % b->cols;
		double s = sqrt(var[c] + b->eps);

		dx[i] = b->gamma[c] / s * (dy[i] - dbeta[c] / m - (x[i] - mean[c]) / s * dgamma[c] / m);
	}
	golden_put_f64(g, "dx", dx);
	golden_put_f64(g, "dgamma", dgamma);
	golden_put_f64(g, "dbeta", dbeta);
	/* the formula holds when mean and variance are those of x: check it there */
	double *own_mean = golden_new(b->cols, sizeof(double)), *own_var = golden_new(b->cols, sizeof(double));
	for (int64_t c = 0; c < b->cols; c++) {
		statistics(b, x, c, &own_mean[c], &own_var[c]);
		dbeta[c] = dgamma[c] = 0;
	}
	for (int64_t i = 0; i < b->rows * b->cols; i++) {
		dbeta[i % b->cols] += dy[i];
		dgamma[i % b->cols] += dy[i] * (x[i] - own_mean[i % b->cols]) / sqrt(own_var[i % b->cols] + b->eps);
	}
	for (int64_t i = 0; i < b->rows * b->cols; i++) {
		int64_t c = i % b->cols;
		double s = sqrt(own_var[c] + b->eps);

		dx[i] = b->gamma[c] / s * (dy[i] - dbeta[c] / m - (x[i] - own_mean[c]) / s * dgamma[c] / m);
	}
	check(b, x, dy, dx);
}

int golden(struct golden *g)
{
	struct bn b = { .rows = golden_dim(g, "x", 0), .cols = golden_dim(g, "x", 1), .eps = golden_scalar(g, "epsilon"),
			.gamma = golden_f64(g, "gamma") };
	int64_t mode = golden_param(g, "mode");
	const double *x = golden_f64(g, "x");
	double *mean = golden_new(b.cols, sizeof(*mean)), *var = golden_new(b.cols, sizeof(*var));

	for (int64_t c = 0; c < b.cols; c++)
		if (mode == 0)
			statistics(&b, x, c, &mean[c], &var[c]);
	if (mode != 0) {
		memcpy(mean, golden_f64(g, "mean"), (size_t)b.cols * sizeof(*mean));
		memcpy(var, golden_f64(g, "variance"), (size_t)b.cols * sizeof(*var));
	}
	if (mode == 2) {
		gradient(g, &b, x, mean, var);
		return 0;
	}
	const double *beta = golden_f64(g, "beta");
	double *y = golden_new(b.rows * b.cols, sizeof(*y));
	for (int64_t i = 0; i < b.rows * b.cols; i++) {
		int64_t c = i % b.cols;

		y[i] = (x[i] - mean[c]) / sqrt(var[c] + b.eps) * b.gamma[c] + beta[c];
	}
	golden_put_f64(g, "y", y);
	if (mode == 1)
		return 0;
	golden_put_f64(g, "mean", mean);
	golden_put_f64(g, "variance", var);
	for (int64_t c = 0; c < b.cols; c++) {
		double k = golden_scalar(g, "momentum");

		mean[c] = golden_f64(g, "running_mean")[c] * (1 - k) + mean[c] * k;
		var[c] = golden_f64(g, "running_var")[c] * (1 - k) + var[c] * k;
	}
	golden_put_f64(g, "running_mean", mean);
	golden_put_f64(g, "running_var", var);
	return 0;
}
