/*
 * golden.c - convolution (param pass 0), gradient to the input (1), to the weights (2) in double precision.
 * Convolution is linear in x and in w: the gradients are checked by sum(dy * conv(e)) for unit vectors e, which is
 * the exact difference quotient.
 */
#include "../golden.h"

struct conv { int64_t n, h, w, c, co, kh, kw, s, p, ho, wo; };

static int64_t w_row(const struct conv *k, int64_t c, int64_t i, int64_t j)
{
	return ((c / 16 * k->kh + i) * k->kw + j) * 16 + c % 16;
}

/* Every pair of a pixel of x and a pixel of y that meet at a kernel point. */
#define EACH_PAIR(k)                                                                                                   \
	for (int64_t n = 0; n < (k)->n; n++)                                                                           \
		for (int64_t a = 0; a < (k)->ho; a++)                                                                  \
			for (int64_t b = 0; b < (k)->wo; b++)                                                          \
				for (int64_t i = 0; i < (k)->kh; i++)                                                  \
					for (int64_t j = 0; j < (k)->kw; j++)                                          \
						if (a * (k)->s - (k)->p + i >= 0 && a * (k)->s - (k)->p + i < (k)->h && \
						    b * (k)->s - (k)->p + j >= 0 && b * (k)->s - (k)->p + j < (k)->w)

static int64_t x_of(const struct conv *k, int64_t n, int64_t a, int64_t b, int64_t i, int64_t j)
{
	return ((n * k->h + a * k->s - k->p + i) * k->w + b * k->s - k->p + j) * k->c;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/*
 * squares, when not NULL: of all partial sums, for golden_sum_bound. These depend on the order, which is the kernel's: 16
 * channels at all points of the window, then the next 16.
 */
static void forward(const struct conv *k, const double *x, const double *w, double *y, double *squares)
{
	for (int64_t block = 0; block < k->c; block += 16)
		EACH_PAIR(k)
			for (int64_t c = block; c < least(k->c, block + 16); c++) {
				double v = x[x_of(k, n, a, b, i, j) + c];
				const double *row = w + w_row(k, c, i, j) * k->co;
				int64_t to = ((n * k->ho + a) * k->wo + b) * k->co;

				for (int64_t o = 0; v != 0 && o < k->co; o++) {
					y[to + o] += v * row[o];
					if (squares)
						squares[to + o] += y[to + o] * y[to + o];
				}
			}
}

/* dx, or dw (to_weights); the order as above, with the channels of dy. */
static void gradient(const struct conv *k, const double *other, const double *dy, double *out, double *squares, bool to_weights)
{
	for (int64_t block = 0; block < k->co; block += 16)
		EACH_PAIR(k)
			for (int64_t c = 0; c < k->c; c++)
				for (int64_t o = block; o < least(k->co, block + 16); o++) {
					int64_t at_x = x_of(k, n, a, b, i, j) + c, at_w = w_row(k, c, i, j) * k->co + o;
					int64_t at = to_weights ? at_w : at_x;
					double d = dy[((n * k->ho + a) * k->wo + b) * k->co + o];

					out[at] += d * other[to_weights ? at_x : at_w];
					squares[at] += out[at] * out[at];
				}
}

static void check(const struct conv *k, const double *x, const double *w, const double *dy, const double *grad, int64_t size,
		  bool to_weights)
{
	int64_t out = k->n * k->ho * k->wo * k->co;

	for (int64_t e = 0; e < size; e += 1 + size / 3) {
		double *unit = golden_new(size, sizeof(*unit)), *y = golden_new(out, sizeof(*y)), sum = 0;

		unit[e] = 1;
		forward(k, to_weights ? x : unit, to_weights ? unit : w, y, NULL);
		for (int64_t i = 0; i < out; i++)
			sum += y[i] * dy[i];
		if (fabs(sum - grad[e]) > 1e-9 * (1 + fabs(sum)))
			golden_die("the gradient is not the derivative", to_weights ? "dw" : "dx");
		free(unit);
		free(y);
	}
}

int golden(struct golden *g)
{
	struct conv k = { golden_param(g, "n"), golden_param(g, "h"), golden_param(g, "w"), golden_param(g, "c"),
			  golden_param(g, "co"), golden_param(g, "kh"), golden_param(g, "kw"), golden_param(g, "stride"),
			  golden_param(g, "pad"), 0, 0 };
	int64_t pass = golden_param(g, "pass");

	k.ho = (k.h + 2 * k.p - k.kh) / k.s + 1;
	k.wo = (k.w + 2 * k.p - k.kw) / k.s + 1;
	int64_t x_size = k.n * k.h * k.w * k.c, w_size = (k.c + 15) / 16 * 16 * k.kh * k.kw * k.co;
	int64_t y_size = k.n * k.ho * k.wo * k.co;
	const double *x = pass == 1 ? NULL : golden_f64(g, "x"), *w = pass == 2 ? NULL : golden_f64(g, "weight");
	const double *dy = pass ? golden_f64(g, "dy") : NULL;
	int64_t out_size = pass == 0 ? y_size : pass == 1 ? x_size : w_size;
	const char *name = pass == 0 ? "y" : pass == 1 ? "dx" : "dw";
	double *out = golden_new(out_size, sizeof(*out)), *squares = golden_new(out_size, sizeof(*squares));

	if (pass == 0)
		forward(&k, x, w, out, squares);
	else
		gradient(&k, pass == 1 ? w : x, dy, out, squares, pass == 2);
	if (pass)
		check(&k, x, w, dy, out, pass == 1 ? x_size : w_size, pass == 2);
	golden_put_f64(g, name, out);
	for (int64_t i = 0; i < out_size; i++)
		squares[i] = golden_sum_bound(squares[i], GOLDEN_U_F32);
	golden_bound(g, name, squares);
	return 0;
}
