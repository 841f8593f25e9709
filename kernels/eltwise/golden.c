/*
 * golden.c - what eltwise should compute, by param `op`: 0 mul, 1 relu, 2 leaky relu, 3 gelu, 4 sigmoid, 5 tanh, 6
 * relu_grad; double precision, rounded once. x is the first input; of relu_grad the gradient, the output of relu the
 * second: held against the difference quotient of relu where that has one.
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

static void check_grad(struct golden *g, double dy, double x, double dx)
{
	double h = 1e-6, up = value(g, 1, x + h, 0), down = value(g, 1, x - h, 0);

	if (fabs(x) > h && fabs(dy * (up - down) / (2 * h) - dx) > 1e-8)
		golden_die("the gradient is not the derivative", "y");
}

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x"), op = golden_param(g, "op");
	const double *x = golden_f64(g, "x"), *x2 = op == 0 || op == 6 ? golden_f64(g, "x2") : x;
	double *y = golden_new(n, sizeof(*y));

	for (int64_t i = 0; i < n; i++)
		y[i] = value(g, op, x[i], x2[i]);
	for (int64_t i = 0; op == 6 && i < n; i += 1 + n / 7)
		check_grad(g, x[i], x2[i], y[i]);
	golden_put_f64(g, "y", y);
	return 0;
}
