/* golden.c - c = a * (b + 1) in double, h = max(c, 0). */
#include "golden.h"

int golden(struct golden *g)
{
	enum { N = 32 };
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b");
	double *c = golden_new(N * N, sizeof(double)), *h = golden_new(N * N, sizeof(double));
	for (int i = 0; i < N * N; i++) {
		for (int k = 0; k < N; k++)
			c[i] += a[i / N * N + k] * (b[k * N + i % N] + 1);
		h[i] = c[i] > 0 ? c[i] : 0;
	}
	golden_put_f64(g, "c", c);
	golden_put_f64(g, "h", h);
	return 0;
}
