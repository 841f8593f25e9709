/* golden.c - what the operator top_k should give, in double precision. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_param(g, "n"), k = golden_param(g, "k");
	const double *x = golden_f64(g, "x");
	double *value = golden_new(k, sizeof(*value)), *index = golden_new(k, sizeof(*index));
	char *used = golden_new(n, 1);
	for (int64_t j = 0; j < k; j++) {
		int64_t best = -1;
		for (int64_t i = 0; i < n; i++)
			if (!used[i] && (best < 0 || x[i] > x[best]))
				best = i;
		used[best] = 1;
		value[j] = x[best];
		index[j] = (double)best;
	}
	golden_put_f64(g, "value", value);
	golden_put_f64(g, "index", index);
	return 0;
}
