/* golden.c - the rows of cast.cpp: rounding by libm, saturation by hand. */
#include "golden.h"

static double *o;
static double *x;
static int64_t n;
#define ROW(value)                                                                                                     \
	do {                                                                                                           \
		for (int64_t i = 0; i < n; i++)                                                                        \
			o[i] = (value);                                                                                \
		o += n;                                                                                                \
	} while (0)
static double clip(double v, double low, double high) { return v < low ? low : v > high ? high : v; }
static double bf16(double v) { return golden_bf16_to_double(golden_double_to_bf16(v)); }
static double f16(double v) { return golden_half_to_double(golden_double_to_half(v)); }

int golden(struct golden *g)
{
	n = golden_param(g, "n");
	x = golden_new(n, sizeof(double));
	for (int64_t i = 0; i < n; i++)
		x[i] = golden_f64(g, "x")[i] * 0.25 - 127;
	double *all = golden_new(n * golden_param(g, "rows"), sizeof(double));
	o = all;
	for (int k = 0; k < 2; k++) {
		ROW(rint(x[i]));
		ROW(floor(x[i]));
		ROW(ceil(x[i]));
		ROW(round(x[i]));
		ROW(trunc(x[i]));
	}
	ROW(clip(rint(x[i]), -128, 127));
	ROW(clip(floor(x[i]), -128, 127));
	ROW(clip(ceil(x[i]), -128, 127));
	ROW(clip(round(x[i]), -128, 127));
	ROW(clip(trunc(x[i]), -128, 127));
	ROW(clip(rint(x[i]), 0, 255));
	ROW(i % 64 < 7 ? x[i] : 0);
	ROW(i % 2 == 0 && i % 64 != 2 ? x[i] : 0);
	ROW(f16(floor(x[i]) * 0.5));
	if (golden_param(g, "fused")) {
		ROW(f16(x[i] > 0 ? 2 * x[i] : 0));
		ROW(f16(x[i] > 0 ? x[i] : 0));
		ROW(clip(rint(f16(x[i] * x[i])), -128, 127));
	}
	if (golden_param(g, "full")) {
		ROW(floor(x[i]));
		ROW(bf16(x[i]));
		ROW(ceil(x[i]));
		ROW(trunc(x[i]));
		ROW(i < n / 2 ? rint(x[i]) : 0);
	}
	golden_put_f64(g, "out", all);
	return 0;
}
