/*
 * golden.c - attention in double precision, the score matrix row by row.
 */
#include "../golden.h"

int golden(struct golden *g)
{
	int64_t heads = golden_param(g, "heads"), rows = golden_param(g, "rows"), keys = golden_param(g, "keys"),
		d = golden_param(g, "d"), causal = golden_param(g, "causal");
	const double *q = golden_f64(g, "q"), *k = golden_f64(g, "k"), *v = golden_f64(g, "v");
	double *o = golden_new(heads * rows * d, sizeof(*o)), *s = golden_new(keys, sizeof(*s)),
		scale = golden_scalar(g, "scale");

	for (int64_t r = 0; r < heads * rows; r++) {
		const double *kh = k + r / rows * keys * d, *vh = v + r / rows * keys * d;
		double max = -INFINITY, sum = 0;
		int64_t seen = causal ? r % rows + keys - rows + 1 : keys;

		for (int64_t j = 0; j < seen; j++) {
			s[j] = 0;
			for (int64_t i = 0; i < d; i++)
				s[j] += q[r * d + i] * kh[j * d + i];
			s[j] *= scale;
			max = s[j] > max ? s[j] : max;
		}
		for (int64_t j = 0; j < seen; j++)
			sum += s[j] = exp(s[j] - max);
		for (int64_t j = 0; j < seen; j++)
			for (int64_t i = 0; i < d; i++)
				o[r * d + i] += s[j] / sum * vh[j * d + i];
	}
	golden_put_f64(g, "o", o);
	return 0;
}
