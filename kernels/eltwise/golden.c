/*
 * golden.c - what eltwise should compute, by param `op`: 0 mul, 1 relu, 2 leaky relu, 3 gelu, 4 sigmoid, 5 tanh, 6
 * relu_grad; double precision, rounded once. x is the first input; of relu_grad the gradient, the output of relu the
 * second.
 */
#include "../golden.h"

static double value(struct golden *g, int64_t op, double x, double x2)
{
	switch (op) {
	case 0: return x * x2;
	case 1: return x > 0 ? x : 0;
	case 2: return x > 0 ? x : x * golden_scalar(g, "slope");
	case 3: return 0.5 * x * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
	case 4: return 1 / (1 + exp(-x));
	case 5: return tanh(x);
	default: return x2 > 0 ? x : 0;
	}
}

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x"), op = golden_param(g, "op");
	const double *x = golden_f64(g, "x"), *x2 = op == 0 || op == 6 ? golden_f64(g, "x2") : x;
	double *y = golden_new(n, sizeof(*y));

	for (int64_t i = 0; i < n; i++)
		y[i] = value(g, op, x[i], x2[i]);
	golden_put_f64(g, "y", y);
	return 0;
}
