/*
 * golden.c - one step of SGD with momentum, Adam or Adagrad (param `rule`: 0, 1, 2) in double precision.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "w"), rule = golden_param(g, "rule");
	const double *w0 = golden_f64(g, "w"), *grad = golden_f64(g, "grad"), *m0 = golden_f64(g, "m");
	const double *v0 = rule == 1 ? golden_f64(g, "v") : m0;
	double *w = golden_new(n, sizeof(*w)), *m = golden_new(n, sizeof(*m)), *v = golden_new(n, sizeof(*v));
	double rate = golden_scalar(g, "rate"), b1 = rule == 2 ? 0 : golden_scalar(g, "beta1");
	double b2 = rule == 1 ? golden_scalar(g, "beta2") : 0, eps = rule == 0 ? 0 : golden_scalar(g, "epsilon");

	for (int64_t i = 0; i < n; i++) {
		double d = grad[i] * golden_scalar(g, "grad_scale") + golden_scalar(g, "decay") * w0[i];

		if (rule == 0) {
			m[i] = b1 * m0[i] + d;
			w[i] = w0[i] - rate * m[i];
		} else if (rule == 1) {
			m[i] = b1 * m0[i] + (1 - b1) * d;
			v[i] = b2 * v0[i] + (1 - b2) * d * d;
			w[i] = w0[i] - rate * m[i] / (sqrt(v[i]) + eps);
		} else {
			m[i] = m0[i] + d * d;
			w[i] = w0[i] - rate * d / (sqrt(m[i]) + eps);
		}
	}
	golden_put_f64(g, "w", w);
	golden_put_f64(g, "m", m);
	if (rule == 1)
		golden_put_f64(g, "v", v);
	return 0;
}
