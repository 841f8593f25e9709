/* golden.c - what the operator handshake should give: sums in its order, and flags that are all taken. */
#include "golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "total"), blocks = golden_count(g, "x") / n;
	const double *x = golden_f64(g, "x");
	double *total = golden_new(n, sizeof(*total));
	for (int round = 0; round < 2; round++)
		for (int64_t b = 0; b < blocks; b++)
			for (int64_t i = 0; i < n; i++)
				total[i] = (float)((float)total[i] + (float)x[b * n + i]);
	golden_put_f64(g, "total", total);
	golden_put_f64(g, "flags", golden_new(golden_count(g, "flags"), sizeof(double)));
	return 0;
}
