/*
 * golden.c - layer norm and RMS norm (param rms) and their gradients (param grad) in double precision. The gradients
 * are held against central differences of the forward formula before they are handed out.
 */
#include "../golden.h"

struct problem { const double *gamma, *beta; double eps; int64_t cols; bool rms; };

static void normalise(const struct problem *p, const double *x, double *hat, double *deviation)
{
	double mean = 0, square = 0;

	for (int64_t c = 0; c < p->cols && !p->rms; c++)
		mean += x[c] / (double)p->cols;
	for (int64_t c = 0; c < p->cols; c++)
		square += (x[c] - mean) * (x[c] - mean) / (double)p->cols;
	*deviation = sqrt(square + p->eps);
	for (int64_t c = 0; c < p->cols; c++)
		hat[c] = (x[c] - mean) / *deviation;
}

/* sum of dy * y of a row: what its gradient is the derivative of */
static double objective(const struct problem *p, const double *x, const double *dy, double *hat)
{
	double deviation, sum = 0;

	normalise(p, x, hat, &deviation);
	for (int64_t c = 0; c < p->cols; c++)
		sum += dy[c] * hat[c] * p->gamma[c];
	return sum;
}

static void row_grad(const struct problem *p, const double *x, const double *dy, double *dx, double *hat)
{
	double deviation, m1 = 0, m2 = 0;

	normalise(p, x, hat, &deviation);
	for (int64_t c = 0; c < p->cols; c++) {
		m1 += p->rms ? 0 : dy[c] * p->gamma[c] / (double)p->cols;
		m2 += dy[c] * p->gamma[c] * hat[c] / (double)p->cols;
	}
	for (int64_t c = 0; c < p->cols; c++)
		dx[c] = (dy[c] * p->gamma[c] - m1 - hat[c] * m2) / deviation;
}

static void check_grad(const struct problem *p, const double *x0, const double *dy, const double *dx)
{
	double *x = golden_new(p->cols, sizeof(*x)), *hat = golden_new(p->cols, sizeof(*hat)), h = 1e-5;

	memcpy(x, x0, (size_t)p->cols * sizeof(*x));
	for (int64_t c = 0; c < p->cols; c += 1 + p->cols / 7) {
		x[c] = x0[c] + h;
		double up = objective(p, x, dy, hat);
		x[c] = x0[c] - h;
		double d = (up - objective(p, x, dy, hat)) / (2 * h);
		x[c] = x0[c];
		if (fabs(d - dx[c]) > 1e-6 * (1 + fabs(d)))
			golden_die("the gradient is not the derivative", "dx");
	}
	free(x);
	free(hat);
}

static double largest(const double *v, int64_t n)
{
	double most = 0;

	for (int64_t i = 0; i < n; i++)
		most = fmax(most, fabs(v[i]));
	return most;
}

/*
 * How far fp32 may take x^ of a row, in units of u. x - mean is off by what x and mean are rounded to, however small the
 * difference is; divided by a small deviation that is much of x^. 4: a sum of lanes, a product, a difference.
 */
static double hat_error(const struct problem *p, const double *x, double hat, double deviation)
{
	double shift = p->rms ? 0 : 4 * largest(x, p->cols) / deviation;

	return shift + fabs(hat) * (6 + shift * shift * GOLDEN_U_F32);
}

/* The same for dx = (gamma dy - m1 - x^ m2) / deviation. */
static void row_grad_error(const struct problem *p, const double *x, const double *dy, const double *dx, double *error)
{
	double *hat = golden_new(p->cols, sizeof(*hat)), deviation, most = 0, m2 = 0, size = 0, hat_most;

	normalise(p, x, hat, &deviation);
	hat_most = largest(hat, p->cols);
	for (int64_t c = 0; c < p->cols; c++) {
		most = fmax(most, fabs(dy[c] * p->gamma[c]));
		size += fabs(dy[c] * p->gamma[c]) / (double)p->cols;
		m2 += dy[c] * p->gamma[c] * hat[c] / (double)p->cols;
	}
	for (int64_t c = 0; c < p->cols; c++) {
		double m2_error = size * hat_error(p, x, hat_most, deviation) + 4 * most * hat_most;

		error[c] = (8 * most + fabs(m2) * hat_error(p, x, hat[c], deviation) + fabs(hat[c]) * m2_error) / deviation +
			   8 * fabs(dx[c]);
	}
	free(hat);
}

int golden(struct golden *g)
{
	int64_t rows = golden_dim(g, "x", 0), cols = golden_dim(g, "x", 1);
	bool grad = golden_param(g, "grad") != 0;
	struct problem p = { .gamma = golden_f64(g, "gamma"), .eps = golden_scalar(g, "epsilon"), .cols = cols,
			     .rms = golden_param(g, "rms") != 0 };
	const double *x = golden_f64(g, "x"), *dy = grad ? golden_f64(g, "dy") : NULL;
	double *out = golden_new(rows * cols, sizeof(*out)), *hat = golden_new(cols, sizeof(*hat));
	double *dgamma = golden_new(cols, sizeof(*dgamma)), *dbeta = golden_new(cols, sizeof(*dbeta)), deviation;
	double *error = golden_new(rows * cols, sizeof(*error)), *dgamma_squares = golden_new(cols, sizeof(*error)),
	       *dbeta_squares = golden_new(cols, sizeof(*error));

	p.beta = p.rms || grad ? NULL : golden_f64(g, "beta");
	for (int64_t r = 0; r < rows; r++, x += cols) {
		double *to = out + r * cols;

		normalise(&p, x, hat, &deviation);
		for (int64_t c = 0; c < cols; c++) {
			to[c] = hat[c] * p.gamma[c] + (p.beta ? p.beta[c] : 0);
			double off = hat_error(&p, x, hat[c], deviation), d = grad ? dy[r * cols + c] : 0;

			error[r * cols + c] = GOLDEN_U_F32 * (fabs(p.gamma[c]) * off + 2 * fabs(to[c]));
			dgamma[c] += d * hat[c];
			dbeta[c] += d;
			dgamma_squares[c] += dgamma[c] * dgamma[c] + d * off * d * off;
			dbeta_squares[c] += dbeta[c] * dbeta[c];
		}
		if (grad) {
			row_grad(&p, x, dy + r * cols, to, hat);
			row_grad_error(&p, x, dy + r * cols, to, error + r * cols);
		}
		for (int64_t c = 0; c < cols && grad; c++)
			error[r * cols + c] *= GOLDEN_U_F32;
		if (grad && r == 0)
			check_grad(&p, x, dy, to);
	}
	golden_put_f64(g, grad ? "dx" : "y", out);
	golden_bound(g, grad ? "dx" : "y", error);
	for (int64_t c = 0; c < cols; c++) {
		dgamma_squares[c] = golden_sum_bound(dgamma_squares[c], GOLDEN_U_F32);
		dbeta_squares[c] = golden_sum_bound(dbeta_squares[c], GOLDEN_U_F32);
	}
	if (grad) {
		golden_put_f64(g, "dgamma", dgamma);
		golden_bound(g, "dgamma", dgamma_squares);
	}
	if (grad && !p.rms) {
		golden_put_f64(g, "dbeta", dbeta);
		golden_bound(g, "dbeta", dbeta_squares);
	}
	return 0;
}
