/*
 * golden.c - softmax cross-entropy and its gradient in double precision; the gradient of the first row is held against
 * central differences of the loss.
 */
#include "../golden.h"

static double row_loss(const double *x, int64_t label, int64_t n)
{
	double max = x[0], sum = 0;

	for (int64_t i = 1; i < n; i++)
		max = x[i] > max ? x[i] : max;
	for (int64_t i = 0; i < n; i++)
		sum += exp(x[i] - max);
	return log(sum) + max - x[label];
}

static void check(const double *x0, int64_t label, const double *grad, double scale, int64_t n)
{
	double *x = golden_new(n, sizeof(*x));

	memcpy(x, x0, (size_t)n * sizeof(*x));
	for (int64_t i = 0; i < n; i += 1 + n / 7) {
		x[i] = x0[i] + 1e-5;
		double up = row_loss(x, label, n);
		x[i] = x0[i] - 1e-5;
		double d = (up - row_loss(x, label, n)) / 2e-5;
		x[i] = x0[i];
		if (fabs(d * scale - grad[i]) > 1e-7 * scale)
			golden_die("the gradient is not the derivative", "grad");
	}
	free(x);
}

int golden(struct golden *g)
{
	int64_t rows = golden_dim(g, "logits", 0), n = golden_dim(g, "logits", 1);
	const double *x = golden_f64(g, "logits");
	const int64_t *label = golden_s64(g, "label");
	double *loss = golden_new(rows, sizeof(*loss)), *grad = golden_new(rows * n, sizeof(*grad));
	double scale = golden_scalar(g, "scale");

	for (int64_t r = 0; r < rows; r++, x += n) {
		double log_sum = row_loss(x, label[r], n) + x[label[r]];

		loss[r] = log_sum - x[label[r]];
		for (int64_t i = 0; i < n; i++)
			grad[r * n + i] = (exp(x[i] - log_sum) - (i == label[r])) * scale;
		if (r == 0)
			check(x, label[0], grad, scale, n);
	}
	golden_put_f64(g, "loss", loss);
	golden_put_f64(g, "grad", grad);
	return 0;
}
