/* golden.c - the matrices of cube_parts.cpp: products by plain loops; matrices of half fill half of their place. */
#include "golden.h"

enum { N = 32, M = N * N };
static void product(const double *a, const double *b, double scale, double *c)
{
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++)
				c[i * N + j] += scale * (a ? a[i * N + k] : 1) * (b ? b[k * N + j] : 1);
}
static void halves(const double *v, bool relu, float *to)
{
	uint16_t *h = (uint16_t *)to;
	for (int i = 0; i < M; i++)
		h[i] = golden_double_to_half(relu && v[i] < 0 ? 0 : v[i]);
}
int golden(struct golden *g)
{
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b");
	float *out = golden_new(10 * M, sizeof(float));
	double *c = golden_new(10 * M, sizeof(double));
	product(a, b, 1, c);
	product(a, b, 2, c + M);
	product(NULL, b, 1, c + 2 * M);
	product(a, NULL, 2, c + 3 * M);
	product(a, b, 1, c + 4 * M);
	product(a, b, 1, c + 5 * M);
	for (int i = 0; i < 6 * M; i++)
		out[i] = (float)c[i];
	halves(c, true, out + 6 * M);
	for (int i = 0; i < M; i++)
		out[7 * M + i] = (float)c[i];
	for (int i = 0; i < M; i++) {
		c[i] = 192 * 0.5;
		c[M + i] = 192 * 0.25;
	}
	halves(c, false, out + 8 * M);
	halves(c + M, false, out + 9 * M);
	golden_put_f32(g, "out", out);
	return 0;
}
