/* golden.c - the rows of copies.cpp: where each element comes from, counted in elements and blocks of 32 bytes. */
#include "golden.h"

static double *all, *o;
static const double *x;
static int64_t n;
static void row(void)
{
	o = all;
	all += n;
}
/* `rows` pieces of `count` elements, `to_step` and `from_step` apart */
static void pieces(int64_t rows, int64_t count, int64_t to, int64_t to_step, int64_t from, int64_t from_step)
{
	for (int64_t r = 0; r < rows; r++)
		for (int64_t i = 0; i < count; i++)
			o[to + r * to_step + i] = x[from + r * from_step + i];
}
static void fill(int64_t from, int64_t to, double v)
{
	for (int64_t i = from; i < to; i++)
		o[i] = v;
}
int golden(struct golden *g)
{
	int64_t size = (int64_t)golden_size(golden_dtype(g, "x")), block = 32 / size, rows = golden_param(g, "rows");
	n = golden_param(g, "n");
	x = golden_f64(g, "x");
	double *out = all = golden_new(n * rows, sizeof(double));
	row(), pieces(1, n - block, 0, 0, 0, 0);
	row(), pieces(4, block, 0, 2 * block, 0, 3 * block);
	row(), pieces(2, 2 * block, 0, 5 * block, 0, 3 * block);
	row(), pieces(2, 2 * block, 0, 2 * block, 5 * block, 8 * block);
	row(), pieces(2, block, 0, block, 0, block);
	if (size == 2) {
		row();
		for (int64_t c = 0; c < 2; c++)
			pieces(32, 16, c * 16, 32, c * 512, 16);
	}
	if (golden_param(g, "pads")) {
		row(), fill(0, block, 7), pieces(1, 5, 2, 0, 0, 0);
		row();
		for (int64_t r = 0; r < 3; r++)
			fill(2 * r * block, (2 * r + 1) * block, 1);
		pieces(3, 5, 0, 2 * block, 0, 12);
		row(), fill(0, block, 9), pieces(1, 3, 0, 0, 0, 0);
		row(), pieces(2, 5, 0, 8, 0, 2 * block);
		row(), pieces(1, 3, 0, 0, 0, 0);
		if (size == 2)
			row(), fill(0, block, 5), pieces(1, 4, 0, 0, 0, 0);
	}
	golden_put_f64(g, "out", out);
	return 0;
}
