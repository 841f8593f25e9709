/* golden.c - softmax(x) v for each row of x, from half and from float, each twice. */
#include "golden.h"

static double row(const double *x, const double *v, int64_t n)
{
	double sum = 0, y = 0;
	for (int64_t i = 0; i < n; i++) {
		sum += exp(x[i]);
		y += exp(x[i]) * v[i];
	}
	return y / sum;
}

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "m"), n = golden_param(g, "k") * golden_param(g, "pieces");
	double *o = golden_new(4 * m * 8, sizeof(double));
	for (int64_t r = 0; r < m * 4; r++) {
		const char *x = r < 2 * m ? "xh" : "xf", *v = r < 2 * m ? "vh" : "vf";
		double y = row(golden_f64(g, x) + r % m * n, golden_f64(g, v), n);
		for (int i = 0; i < 8; i++)
			o[r * 8 + i] = y;
	}
	golden_put_f64(g, "y", o);
	return 0;
}
