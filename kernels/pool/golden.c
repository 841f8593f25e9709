/*
 * golden.c - pooling and its gradients in double precision, by params avg and grad. Without ties the gradient of
 * maximum pooling is the derivative: held against central differences of sum(dy * pool(x)) on some elements.
 */
#include "../golden.h"

struct pool { int64_t n, h, w, c, k, s, ho, wo; bool avg; };

static int64_t x_at(const struct pool *p, int64_t n, int64_t h, int64_t w, int64_t c)
{
	return ((n * p->h + h) * p->w + w) * p->c + c;
}

/* Value of window (n, i, j, c), and the place of its maximum. */
static double window(const struct pool *p, const double *x, int64_t n, int64_t i, int64_t j, int64_t c, int64_t *best)
{
	double v = p->avg ? 0 : -INFINITY;

	for (int64_t a = 0; a < p->k; a++)
		for (int64_t b = 0; b < p->k; b++) {
			int64_t at = x_at(p, n, i * p->s + a, j * p->s + b, c);

			if (p->avg)
				v += x[at] / (double)(p->k * p->k);
			else if (x[at] > v) {
				v = x[at];
				*best = at;
			}
		}
	return v;
}

#define EACH_WINDOW(p)                                                                                                 \
	for (int64_t n = 0, o = 0; n < (p)->n; n++)                                                                    \
		for (int64_t i = 0; i < (p)->ho; i++)                                                                  \
			for (int64_t j = 0; j < (p)->wo; j++)                                                          \
				for (int64_t c = 0; c < (p)->c; c++, o++)

static double objective(const struct pool *p, const double *x, const double *dy)
{
	double sum = 0;
	int64_t best;

	EACH_WINDOW(p)
		sum += dy[o] * window(p, x, n, i, j, c, &best);
	return sum;
}

static void check(const struct pool *p, const double *x0, const double *dy, const double *dx)
{
	int64_t count = p->n * p->h * p->w * p->c;
	double *x = golden_new(count, sizeof(*x));

	memcpy(x, x0, (size_t)count * sizeof(*x));
	for (int64_t e = 0; e < count; e += 1 + count / 5) {
		x[e] = x0[e] + 1e-7;
		double up = objective(p, x, dy);
		x[e] = x0[e] - 1e-7;
		double d = (up - objective(p, x, dy)) / 2e-7;
		x[e] = x0[e];
		if (fabs(d - dx[e]) > 1e-3)
			golden_die("the gradient is not the derivative", "dx");
	}
	free(x);
}

/* Where windows overlap, dx is a sum, which fp32 rounds; what belongs to one window is exact. */
static void add(double *out, double *squares, int64_t at, double v)
{
	bool sum = out[at] != 0;

	out[at] += v;
	squares[at] += sum ? out[at] * out[at] : 0;
}

int golden(struct golden *g)
{
	struct pool p = { .n = golden_param(g, "n"), .h = golden_param(g, "h"), .w = golden_param(g, "w"),
			  .c = golden_param(g, "c"), .k = golden_param(g, "size"), .s = golden_param(g, "stride"),
			  .avg = golden_param(g, "avg") != 0 };
	bool grad = golden_param(g, "grad") != 0;
	int64_t best = 0, in = p.n * p.h * p.w * p.c;

	p.ho = (p.h - p.k) / p.s + 1;
	p.wo = (p.w - p.k) / p.s + 1;
	double *out = golden_new(grad ? in : p.n * p.ho * p.wo * p.c, sizeof(*out)), *squares = golden_new(in, sizeof(*out));
	const double *x = grad && p.avg ? NULL : golden_f64(g, "x"), *dy = grad ? golden_f64(g, "dy") : NULL;
	EACH_WINDOW(&p) {
		/* the kernel's order along a row, which partial sums depend on: windows to the right add first */
		int64_t right = p.wo - 1 - j, from = o + (right - j) * p.c;

		if (!grad) {
			out[o] = window(&p, x, n, i, j, c, &best);
		} else if (!p.avg) {
			window(&p, x, n, i, right, c, &best);
			add(out, squares, best, dy[from]);
		} else {
			for (int64_t k = 0; k < p.k * p.k; k++)
				add(out, squares, x_at(&p, n, i * p.s + k / p.k, right * p.s + k % p.k, c),
				    dy[from] / (double)(p.k * p.k));
		}
	}
	if (grad && in <= 100000)
		check(&p, p.avg ? golden_new(in, sizeof(double)) : x, dy, out);
	golden_put_f64(g, grad ? "dx" : "y", out);
	for (int64_t i = 0; grad && i < in; i++)
		squares[i] = squares[i] > 0 ? golden_sum_bound(squares[i], GOLDEN_U_F32) + GOLDEN_U_F32 * fabs(out[i]) : 0;
	if (grad)
		golden_bound(g, "dx", squares);
	return 0;
}
