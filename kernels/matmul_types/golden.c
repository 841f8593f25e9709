/*
 * golden.c - C = A * B or A * B^T in double precision. param hf32: operands rounded to 11 significant bits, to
 * nearest even; an s8 result: s8(nearest even of sum * scale, limited to 9 bits, + offset), the scale cut to 10
 * mantissa bits.
 */
#include "../golden_matmul.h"

static double hf32(double v)
{
	int e;
	double m = frexp(v, &e);

	return v == 0 ? 0 : ldexp(nearbyint(ldexp(m, 11)), e - 11);
}

static double requantised(struct golden *g, double sum)
{
	float scale = (float)golden_scalar(g, "scale");
	uint32_t bits;

	memcpy(&bits, &scale, 4);
	bits &= 0xffffe000u;
	memcpy(&scale, &bits, 4);
	double v = nearbyint((double)((float)sum * scale));
	v = v > 255 ? 255 : v < -256 ? -256 : v;
	return v + golden_scalar(g, "offset");
}

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	bool trans_b = golden_param(g, "trans_b") != 0;
	double *c = golden_new(m * n, sizeof(*c)), *a = golden_new(m * k, sizeof(*a)), *b = golden_new(n * k, sizeof(*b));
	double *squares = golden_new(m * n, sizeof(*squares));

	for (int64_t i = 0; i < m * k; i++)
		a[i] = golden_param(g, "hf32") ? hf32(golden_f64(g, "a")[i]) : golden_f64(g, "a")[i];
	for (int64_t i = 0; i < n * k; i++)
		b[i] = golden_param(g, "hf32") ? hf32(golden_f64(g, "b")[i]) : golden_f64(g, "b")[i];
	golden_matmul(a, b, trans_b ? 1 : n, trans_b ? k : 1, c, squares, m, n, k);
	for (int64_t i = 0; i < m * n && strcmp(golden_dtype(g, "c"), "s8") == 0; i++)
		c[i] = requantised(g, c[i]);
	golden_put_product(g, "c", c, squares);
	return 0;
}
