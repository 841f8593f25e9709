/*
 * golden.c - the k largest of each row, stable.
 */
#include "../golden.h"

struct item { double v; int64_t i; };

static int order(const void *pa, const void *pb)
{
	const struct item *a = pa, *b = pb;

	return a->v > b->v ? -1 : a->v < b->v ? 1 : a->i < b->i ? -1 : 1;
}

int golden(struct golden *g)
{
	int64_t rows = golden_dim(g, "x", 0), n = golden_dim(g, "x", 1), k = golden_param(g, "k");
	const double *x = golden_f64(g, "x");
	struct item *item = golden_new(n, sizeof(*item));
	double *value = golden_new(rows * k, sizeof(*value));
	int64_t *index = golden_new(rows * k, sizeof(*index));

	for (int64_t r = 0; r < rows; r++) {
		for (int64_t i = 0; i < n; i++)
			item[i] = (struct item){ x[r * n + i], i };
		qsort(item, (size_t)n, sizeof(*item), order);
		for (int64_t i = 0; i < k; i++) {
			value[r * k + i] = item[i].v;
			index[r * k + i] = item[i].i;
		}
	}
	golden_put_f64(g, "value", value);
	golden_put_s64(g, "index", index);
	return 0;
}
