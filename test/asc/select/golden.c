/* golden.c - the rows of select.cpp; as in the kernel the first 32 of y are those of x, and x[40] is 2. */
#include "../rows_golden.h"

#define ROW(active, value)                                                                                             \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < r.n; i++) {                                                                    \
			double x = r.x[i], y = r.y[i];                                                                 \
			(void)y;                                                                                       \
			o[i] = (active) ? (double)(value) : 0;                                                         \
		}                                                                                                      \
	} while (0)
#define HALF (i < r.n / 2)

int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	double *xs = golden_new(r.n, sizeof(double)), *ys = golden_new(r.n, sizeof(double));
	for (int64_t i = 0; i < r.n; i++) {
		xs[i] = i == 40 ? 2 : r.x[i];
		ys[i] = i < 32 ? r.x[i] : r.y[i];
	}
	r.x = xs;
	r.y = ys;
	ROW(HALF, x < y);
	ROW(HALF, x < 2);
	ROW(HALF, x > y);
	ROW(HALF, x > 2);
	ROW(HALF, x == y);
	ROW(HALF, x == 2);
	ROW(HALF, x <= y);
	ROW(HALF, x <= 2);
	ROW(HALF, x >= y);
	ROW(HALF, x >= 2);
	ROW(HALF, x != y);
	ROW(HALF, x != 2);
	ROW(HALF, x < y);
	ROW(HALF, x > y);
	ROW(HALF, x == y);
	ROW(HALF, x <= y);
	ROW(HALF, x >= y);
	ROW(HALF, x != y);
	ROW(HALF, x > y);
	ROW(HALF, x < y);
	ROW(HALF, x > 2 ? x : y);
	ROW(HALF && rows_first7(&r, i), x > 2 ? x : y);
	ROW(HALF && rows_bits(&r, i), x > 2 ? x : y);
	ROW(HALF && rows_bits(&r, i), x > 2 ? x : 9);
	ROW(true, r.x[i % r.lanes] > 2 ? x : y);
	ROW(true, r.x[i % r.lanes] > 2 ? x : y);
	if (golden_param(g, "gen") > 1)
		ROW(i < r.lanes, x >= y);
	return rows_end(&r, g);
}
