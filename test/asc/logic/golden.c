/* golden.c - the rows of logic.cpp in 64-bit integers. */
#include "../rows_golden.h"

#define ROW(active, value)                                                                                             \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < r.n; i++) {                                                                    \
			int64_t x = xs[i], y = ys[i];                                                                  \
			(void)x;                                                                                       \
			(void)y;                                                                                       \
			o[i] = (active) ? (double)(value) : 0;                                                         \
		}                                                                                                      \
	} while (0);
#define FORMS(value) ROW(i < r.n - 3, value) ROW(rows_first7(&r, i), value) ROW(rows_bits(&r, i), value)
static int64_t wrap(struct golden *g, int64_t v)
{
	const char *t = golden_dtype(g, "x");
	if (t[1] == '1')
		return t[0] == 's' ? (int16_t)v : (uint16_t)v;
	return t[0] == 's' ? (int64_t)(int32_t)v : (int64_t)(uint32_t)v;
}
int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	const int64_t *xs = golden_s64(g, "x"), *ys = golden_s64(g, "y");
	const char *t = golden_dtype(g, "x");
	if (t[1] == '1') {
		FORMS(wrap(g, x & y))
		FORMS(wrap(g, x | y))
		ROW(true, wrap(g, x & y))
		ROW(true, wrap(g, x | y))
		FORMS(wrap(g, ~x))
		ROW(i < r.n - 3, wrap(g, x ^ y))
	}
	if (golden_param(g, "shifts")) {
		FORMS(wrap(g, x * 8))
		FORMS(x >> 2)
	}
	FORMS(7)
	if (t[0] == 's' && (t[1] == '3' || golden_param(g, "shifts"))) {
		ROW(true, 5 + i)
		ROW(true, 5 + 3 * i)
	}
	return rows_end(&r, g);
}
