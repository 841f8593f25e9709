/* golden.c - softmax twice, layer norm, RMS norm of the rows of x. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), k = golden_param(g, "k"), n = m * k;
	double *o = golden_new(4 * n, sizeof(double));
	for (int64_t r = 0; r < m; r++) {
		const double *x = golden_f64(g, "x") + r * k;
		double sum = 0, squares = 0, total = 0, var = 0;
		for (int64_t i = 0; i < k; i++) {
			sum += exp(x[i]);
			total += x[i];
			squares += x[i] * x[i];
		}
		for (int64_t i = 0; i < k; i++)
			var += (x[i] - total / k) * (x[i] - total / k) / k;
		for (int64_t i = 0; i < k; i++) {
			o[r * k + i] = o[n + r * k + i] = exp(x[i]) / sum;
			o[2 * n + r * k + i] = (x[i] - total / k) / sqrt(var + 1e-5) * 2 + 0.5;
			o[3 * n + r * k + i] = x[i] / sqrt(squares / k + 1e-5) * 2;
		}
	}
	golden_put_f64(g, "out", o);
	return 0;
}
