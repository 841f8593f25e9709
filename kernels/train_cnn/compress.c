/*
 * compress.c - the trained network made smaller. 4:2 pruning: of every four successive weights along the depth of a
 * product the two smaller become zero, then some epochs of training under that mask. int8: all weights rounded to s8
 * with one scale per matrix; the convolutions multiply what comes back from s8, the dense layer multiplies s8 by s8,
 * its input quantised too.
 */
#include "net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Keep the two largest of each four rows, column by column. */
static void keep_two(const float *w, float *mask, uint32_t rows, uint32_t cols)
{
	for (uint32_t r = 0; r + 3 < rows; r += 4)
		for (uint32_t c = 0; c < cols; c++)
			for (int drop = 0; drop < 2; drop++) {
				uint32_t least = 4;
				for (uint32_t i = 0; i < 4; i++)
					if (mask[(r + i) * cols + c] != 0 &&
					    (least == 4 || fabsf(w[(r + i) * cols + c]) < fabsf(w[(r + least) * cols + c])))
						least = i;
				mask[(r + least) * cols + c] = 0;
			}
}

static bool make_mask(struct net *n)
{
	n->mask = malloc(4 * (size_t)n->n_param);
	if (!n->mask)
		return fail_set(n->ops.fail, FAIL_INTERNAL, "no memory for the mask");
	for (uint32_t i = 0; i < n->n_param; i++)
		n->mask[i] = 1;
	keep_two(n->param + n->at[P_W2], n->mask + n->at[P_W2], 144, C2);
	keep_two(n->param + n->at[P_W3], n->mask + n->at[P_W3], n->features, CLASSES);
	return op_mul(&n->ops, "mask", n->n_param, n->param, n->mask, n->param);
}

static float largest(const float *x, uint32_t n)
{
	float most = 1e-30f;

	for (uint32_t i = 0; i < n; i++)
		most = fabsf(x[i]) > most ? fabsf(x[i]) : most;
	return most;
}

struct quantised { int8_t *w3, *x; int32_t *bias, *logits; float w_scale, x_scale; };

/* Weights to s8; those of the convolutions back at once. The input's scale is that of the first training images. */
static bool quantise(struct net *n, const struct images *train, struct quantised *q)
{
	struct ops *o = &n->ops;
	int8_t *w8 = malloc(n->n_param);
	bool ok = w8 != NULL;

	for (int i = 0; ok && i < 2; i++) {
		enum param p = i ? P_W2 : P_W1;
		float scale = largest(n->param + n->at[p], n->size[p]) / 127;
		ok = op_quantize(o, "quantise weights", n->size[p], n->param + n->at[p], w8, 1 / scale) &&
		     op_dequantize(o, "dequantise weights", n->size[p], w8, n->param + n->at[p], scale);
	}
	free(w8);
	ok = ok && net_features(n, train->x, n->batch, false);
	if (!ok)
		return false;
	q->x_scale = largest(n->p2, n->batch * n->features) / 127;
	q->w_scale = largest(n->param + n->at[P_W3], n->size[P_W3]) / 127;
	for (uint32_t i = 0; i < CLASSES; i++)
		q->bias[i] = (int32_t)lrintf(n->param[n->at[P_B3] + i] / (q->x_scale * q->w_scale));
	return op_quantize(o, "quantise weights", n->size[P_W3], n->param + n->at[P_W3], q->w3, 1 / q->w_scale);
}

static bool accuracy_s8(struct net *n, const struct images *s, struct quantised *q, double *accuracy)
{
	int64_t right = 0, size = s->h * s->w * s->c;

	for (int64_t i = 0; i < s->n; i += n->batch) {
		uint32_t count = (uint32_t)(s->n - i < n->batch ? s->n - i : n->batch);
		if (!net_features(n, s->x + i * size, count, false) ||
		    !op_quantize(&n->ops, "quantise features", count * n->features, n->p2, q->x, 1 / q->x_scale) ||
		    !op_dense_s8(&n->ops, "dense s8", count, CLASSES, n->features, q->x, q->w3, q->bias, q->logits))
			return false;
		for (uint32_t k = 0; k < count; k++) {
			int best = 0;
			for (int c = 1; c < CLASSES; c++)
				if (q->logits[k * CLASSES + c] > q->logits[k * CLASSES + best])
					best = c;
			right += best == s->label[i + k];
		}
	}
	*accuracy = (double)right / (double)s->n;
	return true;
}

static int64_t cycles_of(const struct ops *o, const char *name)
{
	for (int i = 0; i < o->n; i++)
		if (strcmp(o->time[i].name, name) == 0)
			return o->time[i].launches ? o->time[i].cycles / o->time[i].launches : 0;
	return 0;
}

static void line(FILE *out, const char *what, double accuracy, const struct ops *o, const char *dense, int64_t images)
{
	fprintf(out, "  %-34s %8.2f %% %14lld %14lld\n", what, 100 * accuracy, (long long)(ops_cycles(o) / images),
		(long long)cycles_of(o, dense));
}

static bool measured(struct net *n, const struct images *test, const char *what, FILE *out)
{
	double accuracy;

	ops_reset(&n->ops);
	if (!net_accuracy(n, test, &accuracy))
		return false;
	line(out, what, accuracy, &n->ops, "dense", test->n);
	return true;
}

static bool compressed_s8(struct net *n, const struct images *train, const struct images *test, FILE *out)
{
	struct quantised q = { .w3 = malloc(n->size[P_W3]), .x = malloc((size_t)n->batch * n->features),
			       .bias = malloc(4 * CLASSES), .logits = malloc(4 * CLASSES * (size_t)n->batch) };
	double accuracy;
	bool ok = (q.w3 && q.x && q.bias && q.logits) || fail_set(n->ops.fail, FAIL_INTERNAL, "no memory");

	ok = ok && quantise(n, train, &q);
	ops_reset(&n->ops);
	ok = ok && accuracy_s8(n, test, &q, &accuracy);
	if (ok)
		line(out, "4:2, weights and dense layer int8", accuracy, &n->ops, "dense s8", test->n);
	free(q.w3);
	free(q.x);
	free(q.bias);
	free(q.logits);
	return ok;
}

bool compress(struct net *n, const struct images *train, const struct images *test, struct step s, int64_t epochs, FILE *out)
{
	double loss;

	fprintf(out, "\n  %-34s %10s %14s %14s\n", "network", "accuracy", "cycles/image", "dense layer");
	if (!measured(n, test, "trained, fp16", out) || !make_mask(n) || !measured(n, test, "pruned 4:2", out))
		return false;
	for (int64_t e = 0; e < epochs; e++)
		if (!train_epoch(n, train, &s, e, &loss))
			return false;
	return (!epochs || measured(n, test, "pruned 4:2, trained on", out)) && compressed_s8(n, train, test, out);
}
