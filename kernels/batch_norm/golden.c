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

/*
 * How far fp32 may take what is computed of a column: mean and variance by the rounding of their sums (0 when they are
 * given), and the relative error of 1 / sqrt(variance + eps).
 */
struct column_error { double mean, var, scale; };

static struct column_error column_error(const struct bn *b, const double *x, int64_t c, double mean, double var)
{
	struct column_error e = { 0 };
	double sum = 0, squares = 0, m = (double)b->rows, u = GOLDEN_U_F32;

	for (int64_t r = 0; r < b->rows; r++) {
		sum += x[r * b->cols + c];
		squares += sum * sum;
	}
	e.mean = golden_sum_bound(squares, u) / m + 2 * u * fabs(mean);
	sum = squares = 0;
	for (int64_t r = 0; r < b->rows; r++) {
		double d = x[r * b->cols + c] - mean;

		sum += d * d;
		squares += sum * sum;
	}
	e.var = golden_sum_bound(squares, u) / m + e.mean * e.mean + 4 * u * var;
	e.scale = e.var / (2 * (var + b->eps)) + 4 * u;
	return e;
}

/* y = x a + b with a = gamma / s, b = beta - mean a: both products are rounded, however small their difference. */
static double y_error(double x, double mean, double a, double beta, struct column_error e)
{
	double u = GOLDEN_U_F32, shift = fabs(beta - mean * a), y = (x - mean) * a + beta;

	return fabs(a) * (e.mean + 4 * u * (fabs(x) + fabs(mean))) + fabs((x - mean) * a) * e.scale +
	       u * (fabs(y) + fabs(shift) + fabs(beta));
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

/*
 * dbeta and dgamma are sums along a column of dy and dy x^; x^ is off by `hat`. dx = dy A + x B + C has three products that
 * may cancel, and takes its share of the sums' errors.
 */
static void gradient_bounds(struct golden *g, const struct bn *b, const double *x, const double *dy, const double *mean,
			    const double *var, const double *dx)
{
	int64_t n = b->rows * b->cols;
	double *error = golden_new(n, sizeof(*error)), m = (double)b->rows, u = GOLDEN_U_F32;
	double *dgamma = golden_new(b->cols, sizeof(double)), *dbeta = golden_new(b->cols, sizeof(double));
	double *dgamma_error = golden_new(b->cols, sizeof(double)), *dbeta_error = golden_new(b->cols, sizeof(double));

	for (int64_t i = 0; i < n; i++) {
		int64_t c = i % b->cols;
		double s = sqrt(var[c] + b->eps), hat = (x[i] - mean[c]) / s;
		double off = 2 * (fabs(x[i]) + fabs(mean[c])) / s + 6 * fabs(hat);

		dbeta[c] += dy[i];
		dgamma[c] += dy[i] * hat;
		dbeta_error[c] += dbeta[c] * dbeta[c];
		dgamma_error[c] += dgamma[c] * dgamma[c] + dy[i] * off * dy[i] * off;
	}
	for (int64_t c = 0; c < b->cols; c++) {
		dbeta_error[c] = golden_sum_bound(dbeta_error[c], u);
		dgamma_error[c] = golden_sum_bound(dgamma_error[c], u);
	}
	for (int64_t i = 0; i < n; i++) {
		int64_t c = i % b->cols;
		double s = sqrt(var[c] + b->eps), a = fabs(b->gamma[c] / s), of_x = a / s * fabs(dgamma[c]) / m;

		error[i] = 6 * u * (a * fabs(dy[i]) + of_x * (fabs(x[i]) + fabs(mean[c])) + a * fabs(dbeta[c]) / m +
				    fabs(dx[i])) +
			   a * dbeta_error[c] / m + a * fabs((x[i] - mean[c]) / s) * dgamma_error[c] / m;
	}
	golden_bound(g, "dx", error);
	golden_bound(g, "dgamma", dgamma_error);
	golden_bound(g, "dbeta", dbeta_error);
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
	gradient_bounds(g, b, x, dy, mean, var, dx);
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

/* mean and variance of this batch, and the running ones: running + momentum * (value - running). */
static void put_statistics(struct golden *g, const struct bn *b, double *mean, double *var, const struct column_error *e)
{
	double k = golden_scalar(g, "momentum"), u = GOLDEN_U_F32;
	const double *old_mean = golden_f64(g, "running_mean"), *old_var = golden_f64(g, "running_var");
	double *error[4];

	golden_put_f64(g, "mean", mean);
	golden_put_f64(g, "variance", var);
	for (int i = 0; i < 4; i++)
		error[i] = golden_new(b->cols, sizeof(double));
	for (int64_t c = 0; c < b->cols; c++) {
		error[0][c] = e[c].mean;
		error[1][c] = e[c].var;
		error[2][c] = k * e[c].mean + 4 * u * (fabs(old_mean[c]) + k * fabs(mean[c]));
		error[3][c] = k * e[c].var + 4 * u * (fabs(old_var[c]) + k * var[c]);
		mean[c] = old_mean[c] * (1 - k) + mean[c] * k;
		var[c] = old_var[c] * (1 - k) + var[c] * k;
	}
	golden_put_f64(g, "running_mean", mean);
	golden_put_f64(g, "running_var", var);
	golden_bound(g, "mean", error[0]);
	golden_bound(g, "variance", error[1]);
	golden_bound(g, "running_mean", error[2]);
	golden_bound(g, "running_var", error[3]);
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
	double *y = golden_new(b.rows * b.cols, sizeof(*y)), *error = golden_new(b.rows * b.cols, sizeof(*error));
	struct column_error *column = golden_new(b.cols, sizeof(*column));
	for (int64_t c = 0; c < b.cols; c++) {
		column[c] = (struct column_error){ .scale = 4 * GOLDEN_U_F32 };
		if (mode == 0)
			column[c] = column_error(&b, x, c, mean[c], var[c]);
	}
	for (int64_t i = 0; i < b.rows * b.cols; i++) {
		int64_t c = i % b.cols;
		double a = b.gamma[c] / sqrt(var[c] + b.eps);

		y[i] = (x[i] - mean[c]) * a + beta[c];
		error[i] = y_error(x[i], mean[c], a, beta[c], column[c]);
	}
	golden_put_f64(g, "y", y);
	golden_bound(g, "y", error);
	if (mode == 0)
		put_statistics(g, &b, mean, var, column);
	return 0;
}
