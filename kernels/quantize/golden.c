/*
 * golden.c - what quantize and dequantize should compute. The product x * scale is rounded to fp32, as the kernel's
 * is: an exact product would round to another integer now and then.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x");
	float scale = (float)golden_scalar(g, "scale"), zero = (float)golden_scalar(g, "zero");
	bool back = strcmp(golden_dtype(g, "x"), "s8") == 0;
	const float *x = golden_f32(g, "x");
	double *y = golden_new(n, sizeof(*y));

	for (int64_t i = 0; i < n; i++)
		y[i] = back ? ((double)x[i] - zero) * scale : nearbyintf(x[i] * scale) + zero;
	golden_put_f64(g, "y", y);
	return 0;
}
