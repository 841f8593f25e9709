/* golden.c - what the operator reduce_sum should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n");
	const double *x = golden_f64(g, "x");
	double *all = golden_new(8, sizeof(*all)), *whole = golden_new(n / 64, sizeof(*all)),
	       *block = golden_new(n / 8, sizeof(*all)), *best = golden_new(8, sizeof(*all));
	best[0] = x[0];
	for (int64_t i = 0; i < n; i++) {
		all[0] += x[i];
		whole[i / 64] += x[i];
		block[i / 8] += x[i];
		if (x[i] > best[0]) {
			best[0] = x[i];
			best[1] = (double)i;
		}
	}
	golden_put_f64(g, "all", all);
	golden_put_f64(g, "whole", whole);
	golden_put_f64(g, "block", block);
	golden_put_f64(g, "best", best);
	return 0;
}
