/* golden.c - the rows of vec.cpp in double precision. */
#include "../rows_golden.h"
#include "ops.h"

enum { COUNT_FORM, LANES_FORM, BITS_FORM, WHOLE_FORM };
static bool active(const struct rows *r, int form, int64_t i)
{
	if (form == COUNT_FORM)
		return i < r->n - 3;
	return form == LANES_FORM ? rows_first7(r, i) : form == BITS_FORM ? rows_bits(r, i) : true;
}
#define ROW(form, value)                                                                                               \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < r.n; i++) {                                                                    \
			double x = r.x[i], y = r.y[i], d = init;                                                       \
			(void)x;                                                                                       \
			(void)y;                                                                                       \
			o[i] = active(&r, form, i) ? (value) : d;                                                      \
		}                                                                                                      \
	} while (0);
#define FORMS(name, value) ROW(COUNT_FORM, value) ROW(LANES_FORM, value) ROW(BITS_FORM, value)
/* results of the first half of the repeats, every second repeat of the row */
#define STRIDE_ROW(name, value)                                                                                        \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < r.n / 2; i++) {                                                                \
			double x = r.x[i], y = r.y[i];                                                                 \
			o[i / r.lanes * 2 * r.lanes + i % r.lanes] = (value);                                          \
		}                                                                                                      \
	} while (0);
/* in place: the elements behind the count keep x */
#define IN_PLACE_ROW(name, value)                                                                                      \
	do {                                                                                                           \
		double *o = rows_next(&r);                                                                             \
		for (int64_t i = 0; i < r.n; i++) {                                                                    \
			double x = r.x[i];                                                                             \
			o[i] = i < r.n - 3 ? (value) : x;                                                              \
		}                                                                                                      \
	} while (0);

int golden(struct golden *g)
{
	struct rows r = rows_start(g);
	const char *type = golden_dtype(g, "x");
	double init = 0;
	BINARY_ALL(FORMS)
	BINARY_ALL(STRIDE_ROW)
	ROW(WHOLE_FORM, x + y)
	ROW(WHOLE_FORM, x - y)
	ROW(WHOLE_FORM, x *y)
	SCALAR_ALL(FORMS)
	SCALAR_ALL(IN_PLACE_ROW)
	if (strcmp(type, "s16") != 0) {
		UNARY_ALL(FORMS)
	}
	if (r.is_float) {
		BINARY_FLOAT(FORMS)
		ROW(WHOLE_FORM, x / y)
		UNARY_FLOAT(FORMS)
		SCALAR_FLOAT(FORMS)
		SCALAR_FLOAT(IN_PLACE_ROW)
	}
	if (strcmp(type, "s32") != 0) {
		BINARY_RELU(FORMS)
	}
	if (r.is_float) {
		init = 2;
		FORMS(Axpy, 3 * x + d)
		if (golden_param(g, "fused")) {
			BINARY_FUSED(FORMS)
		}
	}
	return rows_end(&r, g);
}
