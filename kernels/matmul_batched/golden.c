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
	int64_t count = grouped ? m * n : batch * m * n, at = 0;
	double *c = golden_new(count, sizeof(*c)), *squares = golden_new(count, sizeof(*squares));

	for (int64_t i = 0; i < batch; i++) {
		int64_t rows = grouped ? golden_s64(g, "rows")[i] : m;

		golden_matmul(a, b + i * n * k, trans_b ? 1 : n, trans_b ? k : 1, c + at, squares + at,
			      rows, n, k);
		a += rows * k;
		at += rows * n;
	}
	golden_put_product(g, "c", c, squares);
	return 0;
}
