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

struct quantised { int8_t *w3, *x, *packed; uint8_t *index; int32_t *bias, *logits; float w_scale, x_scale; };

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

/*
 * [k, CLASSES] with at most two of each four rows not zero, per column, to fractals of stored rows and indices. The first kept
 * row of a group goes to stored row 2g, whose index says rows 4g + 0..2, the second to 2g + 1, rows 4g + 1..3.
 */
static void pack(const int8_t *w, uint32_t k, int8_t *packed, uint8_t *index)
{
	for (uint32_t g = 0; g < k / 4; g++)
		for (uint32_t c = 0; c < CLASSES; c++) {
			uint32_t at = g / 16 * 512 + c * 32 + g % 16 * 2, kept[2] = { 0, 3 }, found = 0;
			for (uint32_t i = 0; i < 4 && found < 2; i++)
				if (w[(4 * g + i) * CLASSES + c])
					kept[found++] = i;
			if (found == 1) /* alone: as first, or as second when it is the last row */
				kept[1] = kept[0] == 3 ? 3 : kept[0] + 1, kept[0] = kept[0] == 3 ? 0 : kept[0];
			for (uint32_t e = 0; e < 2; e++) {
				packed[at + e] = w[(4 * g + kept[e]) * CLASSES + c];
				index[(at + e) / 4] |= (uint8_t)((kept[e] - e) << (at + e) % 4 * 2);
			}
		}
}

static bool dense(struct net *n, struct quantised *q, uint32_t count, bool sparse)
{
	return sparse ? op_dense_sparse(&n->ops, "dense s8 4:2", count, CLASSES, n->features, q->x, q->packed, q->index, q->bias,
					q->logits)
		      : op_dense_s8(&n->ops, "dense s8", count, CLASSES, n->features, q->x, q->w3, q->bias, q->logits);
}

static bool accuracy_s8(struct net *n, const struct images *s, struct quantised *q, bool sparse, double *accuracy)
{
	int64_t right = 0, size = s->h * s->w * s->c;

	for (int64_t i = 0; i < s->n; i += n->batch) {
		uint32_t count = (uint32_t)(s->n - i < n->batch ? s->n - i : n->batch);
		if (!net_features(n, s->x + i * size, count, false) ||
		    !op_quantize(&n->ops, "quantise features", count * n->features, n->p2, q->x, 1 / q->x_scale) ||
		    !dense(n, q, count, sparse))
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
	size_t fractals = (n->features + 63) / 64;
	struct quantised q = { .w3 = malloc(n->size[P_W3]), .x = malloc((size_t)n->batch * n->features),
			       .packed = calloc(fractals, 512), .index = calloc(fractals, 128), .bias = malloc(4 * CLASSES),
			       .logits = malloc(4 * CLASSES * (size_t)n->batch) };
	double accuracy;
	bool ok = (q.w3 && q.x && q.packed && q.index && q.bias && q.logits) ||
		  fail_set(n->ops.fail, FAIL_INTERNAL, "no memory");

	ok = ok && quantise(n, train, &q);
	if (ok)
		pack(q.w3, n->features, q.packed, q.index);
	for (int sparse = 0; ok && sparse < 2; sparse++) {
		ops_reset(&n->ops);
		ok = accuracy_s8(n, test, &q, sparse, &accuracy);
		if (ok)
			line(out, sparse ? "the same, dense layer skips zeros" : "4:2, int8 weights and dense layer", accuracy,
			     &n->ops, sparse ? "dense s8 4:2" : "dense s8", test->n);
	}
	free(q.w3);
	free(q.x);
	free(q.packed);
	free(q.index);
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
