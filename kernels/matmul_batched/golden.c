/*
 * golden.c - batched and grouped products (param grouped) in double precision. Rows behind the last group stay zero.
 */
#include "../golden_matmul.h"

int golden(struct golden *g)
{
	int64_t batch = golden_param(g, "batch"), m = golden_param(g, "M"), n = golden_param(g, "N"),
		k = golden_param(g, "K");
	bool trans_b = golden_param(g, "trans_b") != 0, grouped = golden_param(g, "grouped") != 0;
	const double *a = golden_f64(g, "a"), *b = golden_f64(g, "b");
	double *c = golden_new(grouped ? m * n : batch * m * n, sizeof(*c)), *to = c;

	for (int64_t i = 0; i < batch; i++) {
		int64_t rows = grouped ? golden_s64(g, "rows")[i] : m;

		golden_matmul(a, b + i * n * k, trans_b ? 1 : n, trans_b ? k : 1, to, rows, n, k);
		a += rows * k;
		to += rows * n;
	}
	golden_put_f64(g, "c", c);
	return 0;
}
