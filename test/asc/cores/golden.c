/* golden.c - what cores.cpp leaves: sums, largest and smallest over the cores, and the sums as core 1 saw them. */
#include "golden.h"

int golden(struct golden *g)
{
	double *o = golden_new(256, sizeof(double));
	int cores = (int)golden_param(g, "cores"), full = (int)golden_param(g, "full");
	for (int i = 0; i < 64; i++) {
		for (int c = 0; c < cores; c++)
			o[i] += c + i;
		o[64 + i] = full ? cores - 1 + i : 0;
		o[128 + i] = full ? -(cores - 1 + i) : 0;
		o[192 + i] = o[i];
	}
	golden_put_f64(g, "out", o);
	return 0;
}
