/*
 * golden.c - deep norm of x / 2 + dy, batch norm over rows, group norm of 2 x (m / 2) planes in pairs, the gradients of layer
 * norm (in closed form: r / k (k g - sum g - xn sum(g xn))) and of softmax. Small results are rows of k, the rest of a row as
 * it was.
 */
#include "golden.h"

enum { EPS = 1000 };

static void stats(const double *x, int64_t n, int64_t step, double *mean, double *var)
{
	*mean = *var = 0;
	for (int64_t i = 0; i < n; i++)
		*mean += x[i * step] / (double)n;
	for (int64_t i = 0; i < n; i++)
		*var += (x[i * step] - *mean) * (x[i * step] - *mean) / (double)n;
}

static double normal(double x, double mean, double var) { return (x - mean) / sqrt(var + 1.0 / EPS); }

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k"), n = m * k;
	const double *x = golden_f64(g, "x"), *dy = golden_f64(g, "dy"), *gamma = golden_f64(g, "gamma"),
		     *beta = golden_f64(g, "beta");
	double *o = golden_new(6 * n, sizeof(double)), *s = golden_new(8 * k, sizeof(double));
	double *sum = golden_new(n, sizeof(double)), mean, var;
	for (int64_t i = 0; i < n; i++)
		sum[i] = x[i] / 2 + dy[i];
	for (int64_t r = 0; r < m; r++) {
		stats(sum + r * k, k, 1, &mean, &var);
		s[r] = mean;
		s[k + r] = var;
		for (int64_t i = 0; i < k; i++)
			o[r * k + i] = normal(sum[r * k + i], mean, var) * gamma[i] + beta[i];
	}
	for (int64_t i = 0; i < k; i++) {
		stats(x + i, m, k, &s[2 * k + i], &s[3 * k + i]);
		for (int64_t r = 0; r < m; r++)
			o[n + r * k + i] = normal(x[r * k + i], s[2 * k + i], s[3 * k + i]) * gamma[r] + beta[r];
	}
	for (int64_t pair = 0; pair < m / 2; pair++) {
		stats(x + pair * 2 * k, 2 * k, 1, &mean, &var);
		for (int64_t i = 0; i < 2 * k; i++) {
			int64_t channel = (pair * 2 + i / k) % (m / 2);
			o[2 * n + pair * 2 * k + i] = normal(x[pair * 2 * k + i], mean, var) * gamma[channel] + beta[channel];
		}
	}
	for (int64_t r = 0; r < m; r++) {
		const double *row = x + r * k, *d = dy + r * k;
		double all = 0, along = 0, front = 0;
		stats(row, k, 1, &mean, &var);
		for (int64_t i = 0; i < k; i++) {
			double xn = normal(row[i], mean, var);
			all += d[i] * gamma[i];
			along += d[i] * gamma[i] * xn;
			front += d[i] * row[i];
			o[4 * n + r * k + i] = xn;
			s[4 * k + i] += d[i] * xn;
			s[5 * k + i] += d[i];
		}
		for (int64_t i = 0; i < k; i++) {
			double xn = normal(row[i], mean, var);
			double centred = (double)k * d[i] * gamma[i] - all - xn * along;
			o[3 * n + r * k + i] = centred / (double)k / sqrt(var + 1.0 / EPS);
			o[5 * n + r * k + i] = (d[i] - front) * row[i];
		}
		s[6 * k + r] = s[7 * k + r] = front;
	}
	for (int64_t i = m; i < k; i++) {
		s[6 * k + i] = s[4 * k + i];
		s[7 * k + i] = s[5 * k + i];
	}
	golden_put_f64(g, "out", o);
	golden_put_f64(g, "small", s);
	return 0;
}
