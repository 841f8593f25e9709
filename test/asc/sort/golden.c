/* golden.c - the rows of sort.cpp: insertion into descending lists, equal scores in the order of their indices. */
#include "../rows_golden.h"

/* scores of `count` elements in lists of `size`, and their indices, as two rows */
static void lists(struct rows *r, int64_t count, int64_t size)
{
	double *score = rows_next(r), *index = rows_next(r);
	for (int64_t i = 0; i < count; i++) {
		int64_t first = i / size * size, at = i;
		for (; at > first && score[at - 1] < r->x[i]; at--) {
			score[at] = score[at - 1];
			index[at] = index[at - 1];
		}
		score[at] = r->x[i];
		index[at] = (double)i;
	}
}
int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	int64_t list = golden_param(g, "list");
	lists(&r, r.n, list);
	lists(&r, 4 * list, 4 * list);
	if (golden_param(g, "sort")) {
		lists(&r, r.n, list);
		lists(&r, r.n, r.n);
	}
	return rows_end(&r, g);
}
