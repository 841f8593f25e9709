/* golden.c - the rows of reduce.cpp: sums and extremes by plain loops. */
#include "../rows_golden.h"

static struct rows r;
enum what { SUM, MAX, MIN };
enum mask { ALL, FIRST7, BITS };
static bool in(enum mask m, int64_t i) { return m == ALL || (m == FIRST7 ? rows_first7(&r, i) : rows_bits(&r, i)); }

/* of the elements from..to that are in the mask; -1 as index when there are none */
static double value_of(enum what w, enum mask m, int64_t from, int64_t to, int64_t *index)
{
	double v = 0;
	*index = -1;
	for (int64_t i = from; i < to; i++) {
		if (!in(m, i))
			continue;
		if (w == SUM)
			v += r.x[i];
		else if (*index < 0 || (w == MAX ? r.x[i] > v : r.x[i] < v))
			v = r.x[i];
		else
			continue;
		*index = i;
	}
	return v;
}
/* one value per `size` elements */
static void groups(enum what w, enum mask m, int64_t size)
{
	double *o = rows_next(&r);
	int64_t index;
	for (int64_t i = 0; i < r.n / size; i++)
		o[i] = value_of(w, m, i * size, (i + 1) * size, &index);
}
/* value and index within each repeat */
static void pairs(enum what w, enum mask m)
{
	double *o = rows_next(&r);
	int64_t index;
	for (int64_t i = 0; i < r.n / r.lanes; i++) {
		o[2 * i] = value_of(w, m, i * r.lanes, (i + 1) * r.lanes, &index);
		o[2 * i + 1] = (double)(index % r.lanes);
	}
}
static void whole(enum what w, enum mask m, int64_t count, bool with_index)
{
	double *o = rows_next(&r);
	int64_t index;
	o[0] = value_of(w, m, 0, count, &index);
	if (with_index)
		o[1] = (double)index;
}
int golden(struct golden *g)
{
	r = rows_start(g);
	int64_t n = r.n;
	bool small = r.lanes == 128;
	for (int m = ALL; m <= BITS; m++)
		groups(SUM, m, r.lanes);
	for (int w = SUM; w <= MIN; w++) {
		groups(w, ALL, r.lanes / 8);
		groups(w, BITS, r.lanes / 8);
	}
	groups(SUM, ALL, 2);
	groups(SUM, ALL, r.lanes);
	whole(SUM, ALL, n - 3, false);
	whole(SUM, FIRST7, n, false);
	whole(SUM, BITS, n, false);
	whole(MAX, ALL, n - 3, true);
	whole(MIN, ALL, n - 3, true);
	whole(MAX, ALL, 50, true);
	whole(MAX, ALL, n - 3, false);
	whole(MIN, ALL, n - 3, false);
	if (small || golden_param(g, "gen") > 1) {
		whole(MAX, BITS, n, true);
		whole(MIN, FIRST7, n, true);
		pairs(MAX, BITS);
		pairs(MIN, ALL);
	}
	if (golden_param(g, "gen") > 1)
		groups(MAX, ALL, r.lanes);
	return rows_end(&r, g);
}
