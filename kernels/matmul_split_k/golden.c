/*
 * golden.c - C + A * B or C + A * B^T in double precision. Each share of K is a sum of its own, then C grows by it: that is
 * where fp32 rounds.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t m = golden_param(g, "M"), n = golden_param(g, "N"), k = golden_param(g, "K");
	int64_t splits = golden_param(g, "splits"), share = ((k + splits - 1) / splits + 15) / 16 * 16;
	bool trans_b = golden_param(g, "trans_b") != 0;
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b");
	double *c = golden_new(m * n, sizeof(*c)), *squares = golden_new(m * n, sizeof(*squares));
	double *part = golden_new(m * share, sizeof(*part)), *sum = golden_new(m * n, sizeof(*sum));

	memcpy(c, golden_f64(g, "c"), (size_t)(m * n) * sizeof(*c));
	for (int64_t from = 0; from < k; from += share) {
		int64_t depth = k - from < share ? k - from : share;

		for (int64_t i = 0; i < m; i++)
			memcpy(part + i * depth, a + i * k + from, (size_t)depth * sizeof(*a));
		memset(sum, 0, (size_t)(m * n) * sizeof(*sum));
		golden_matmul(part, b + from * (trans_b ? 1 : n), trans_b ? 1 : n, trans_b ? k : 1, sum, squares, m, n, depth);
		for (int64_t i = 0; i < m * n; i++) {
			c[i] += sum[i];
			squares[i] += c[i] * c[i];
		}
	}
	golden_put_product(g, "c", c, squares);
	return 0;
}
