/*
 * golden.c - what dropout should compute: the generator in plain integers, the scale in fp32 as the kernel's.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t n = golden_count(g, "x");
	const float *x = golden_f32(g, "x");
	float *y = golden_new(n, sizeof(*y)), p = (float)golden_scalar(g, "p"), scale = 1.0f / (1.0f - p);

	for (int64_t i = 0; i < n; i++) {
		uint32_t h = (uint32_t)i * 0x9e3779b1u + (uint32_t)golden_param(g, "seed_value");

		h = (h ^ h >> 16) * 0x85ebca6bu;
		h = (h ^ h >> 13) * 0xc2b2ae35u;
		h ^= h >> 16;
		y[i] = (float)(h >> 8) >= p * 16777216.0f ? x[i] * scale : 0;
	}
	golden_put_f32(g, "y", y);
	return 0;
}
