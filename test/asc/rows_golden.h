/* rows_golden.h - the golden side of rows.h: the next row of `out`, element by element in double. */
#ifndef TEST_ASC_ROWS_GOLDEN_H
#define TEST_ASC_ROWS_GOLDEN_H
#include "golden.h"

struct rows {
	int64_t n, row, rows;
	int lanes;
	bool is_float;
	const double *x, *y;
	double *out;
};
static inline struct rows rows_start(struct golden *g)
{
	struct rows r = { .n = golden_param(g, "n"), .rows = golden_param(g, "rows") };
	r.x = golden_f64(g, "x");
	r.y = golden_f64(g, "y");
	r.lanes = (int)(256 / golden_size(golden_dtype(g, "x")));
	r.is_float = golden_dtype(g, "x")[0] == 'f';
	r.out = golden_new(r.n * r.rows, sizeof(double));
	return r;
}
static inline double *rows_next(struct rows *r)
{
	if (r->row == r->rows)
		golden_die("more rows than", "rows");
	return r->out + r->n * r->row++;
}
static inline int rows_end(struct rows *r, struct golden *g)
{
	golden_put_f64(g, "out", r->out);
	return 0;
}
/* lanes of the two masks that the kernels use: the first seven, and the bits 0x5555...5 with lane 2 left out */
static inline bool rows_first7(const struct rows *r, int64_t i) { return i % r->lanes < 7; }
static inline bool rows_bits(const struct rows *r, int64_t i) { return i % r->lanes % 2 == 0 && i % r->lanes != 2; }
#endif
