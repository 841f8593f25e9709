/* golden.c - the rows of library.cpp by libm. */
#include "../rows_golden.h"
#include "ops.h"

#define ROW(source, count, value)                                                                                      \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < (count); i++) {                                                                \
			double x = (source)[i];                                                                        \
			o[i] = (value);                                                                                \
		}                                                                                                      \
	} while (0);
#define X_ROW(name, value) ROW(r.x, r.n - 3, value)
#define Y_ROW(name, value) ROW(r.y, r.n - 3, value)

int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	OF_X(X_ROW)
	OF_Y(Y_ROW)
	ROW(r.x, r.n - 3, 1 / (1 + exp(-x)))
	ROW(r.x, r.n, sin(x))
	ROW(r.x, r.n, x / (1 + exp(-1.5 * x)))
	ROW(r.x, r.n - 3, x * r.y[i] / (1 + exp(-r.y[i])))
	ROW(r.x, r.n, pow(r.y[i], x))
	ROW(r.y, r.n, pow(x, 2.5))
	ROW(r.x, r.n, x < 1 ? x : 1)
	ROW(r.x, r.n, x > 1 ? x : 1)
	double *o = rows_next(&r);
	for (int64_t i = 0; i < r.n; i++)
		if (i % (r.n / 4) < r.n / 4 - 2)
			o[i / (r.n / 4)] += r.y[i];
	return rows_end(&r, g);
}
