/*
 * golden.c - the product with B unpacked: stored row 2g + e of a fractal goes to row 4g + e + index. Exact in integers.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K"), n1 = (n + 15) / 16;
	const double *stored = golden_f64(g, "b");
	const uint8_t *index = golden_raw(g, "index");
	double *c = golden_new(m * n, sizeof(*c)), *b = golden_new(k * n, sizeof(*b));

	for (int64_t i = 0; i < (k + 63) / 64 * n1 * 512; i++) {
		int64_t fractal = i / 512, col = fractal % n1 * 16 + i % 512 / 32, row = i % 32;
		int64_t to = fractal / n1 * 64 + row / 2 * 4 + row % 2 + (index[i / 4] >> i % 4 * 2 & 3);

		if (to < k && col < n)
			b[to * n + col] += stored[i];
	}
	for (int64_t i = 0; golden_param(g, "has_bias") && i < m * n; i++)
		c[i] = golden_f64(g, "bias")[i % n];
	golden_matmul(golden_f64(g, "a"), b, n, 1, c, NULL, m, n, k);
	golden_put_f64(g, "c", c);
	return 0;
}
