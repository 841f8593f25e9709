/*
 * net.c - the network: its buffers, forward, backward, accuracy, checkpoints.
 */
#include "net.h"
#include "../../sim/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATS = 4, MAGIC = 0x4e434e56 };

static double uniform(uint64_t *state)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*state >> 11) * 0x1p-53;
}

/* Sum of twelve uniform numbers: near enough to normal, and the same everywhere. */
static float normal(uint64_t *state, double deviation)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return (float)(sum * deviation);
}

/* Rows of weights of channels that do not exist stay zero: rows are [channel block][3][3][16]. */
static void init_conv(float *w, uint32_t c, uint32_t co, uint64_t *state)
{
	uint32_t rows = (c + 15) / 16 * 16 * 9;

	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t o = 0; o < co; o++)
			w[r * co + o] = r / 144 * 16 + r % 16 < c ? normal(state, sqrt(2.0 / (9 * c))) : 0;
}

static void init(struct net *n, uint64_t seed)
{
	uint64_t state = seed * 2 + 1;

	init_conv(n->param + n->at[P_W1], n->c, C1, &state);
	init_conv(n->param + n->at[P_W2], C1, C2, &state);
	for (uint32_t i = 0; i < n->size[P_W3]; i++)
		n->param[n->at[P_W3] + i] = normal(&state, sqrt(1.0 / n->features));
	for (uint32_t i = 0; i < C1; i++)
		n->param[n->at[P_G1] + i] = 1;
	for (uint32_t i = 0; i < C2; i++)
		n->param[n->at[P_G2] + i] = 1;
	for (uint32_t i = 0; i < C2; i++)
		n->stat[3 * C2 + i] = n->stat[(STATS + 3) * C2 + i] = 1;
}

static void *cells(size_t count, size_t size, bool *ok)
{
	void *p = calloc(count ? count : 1, size);

	*ok &= p != NULL;
	return p;
}

bool net_open(struct net *n, uint32_t h, uint32_t w, uint32_t c, uint32_t batch, uint64_t seed, struct fail *f)
{
	bool ok = true;

	memset(n, 0, sizeof *n);
	*n = (struct net){ .h = h, .w = w, .c = c, .batch = batch, .h2 = h / 2, .w2 = w / 2, .h3 = h / 4, .w3 = w / 4 };
	n->features = n->h3 * n->w3 * C2;
	uint32_t size[P_COUNT] = { (c + 15) / 16 * 144 * C1, C1, C1, 144 * C2, C2, C2, n->features * CLASSES, CLASSES };
	for (int i = 0; i < P_COUNT; i++) {
		n->size[i] = size[i];
		n->at[i] = n->n_param;
		n->n_param += (size[i] + 63) / 64 * 64;
	}
	size_t b = batch, one = b * h * w, two = b * n->h2 * n->w2, three = b * n->h3 * n->w3;
	n->param = cells(n->n_param, 4, &ok);
	n->grad = cells(n->n_param, 4, &ok);
	n->m = cells(n->n_param, 4, &ok);
	n->v = cells(n->n_param, 4, &ok);
	n->param16 = cells(n->n_param, 2, &ok);
	n->stat = cells(2 * STATS * C2, 4, &ok);
	n->x16 = cells(one * c, 2, &ok);
	n->p1h = cells(two * C1, 2, &ok);
	n->p2h = cells(three * C2, 2, &ok);
	n->p2t = cells(three * C2, 2, &ok);
	n->d16 = cells(one * C1 + two * C2, 2, &ok);
	n->y1 = cells(one * C1, 4, &ok);
	n->z1 = cells(one * C1, 4, &ok);
	n->a1 = cells(one * C1, 4, &ok);
	n->p1 = cells(two * C1, 4, &ok);
	n->y2 = cells(two * C2, 4, &ok);
	n->z2 = cells(two * C2, 4, &ok);
	n->a2 = cells(two * C2, 4, &ok);
	n->p2 = cells(three * C2, 4, &ok);
	n->logits = cells(b * CLASSES, 4, &ok);
	n->loss = cells(b, 4, &ok);
	n->dlogits = cells(b * CLASSES, 4, &ok);
	n->d1 = cells(one * C1 + two * C2, 4, &ok);
	n->d2 = cells(one * C1 + two * C2, 4, &ok);
	n->d3 = cells(one * C1 + two * C2, 4, &ok);
	if (!ok)
		return fail_set(f, FAIL_INTERNAL, "no memory for the network");
	init(n, seed);
	n->ops.fail = f;
	return device_open(&n->ops.device, "ascend910b1", f);
}

void net_close(struct net *n)
{
	void *const all[] = { n->param, n->grad, n->m, n->v, n->mask, n->param16, n->stat, n->x16, n->p1h, n->p2h, n->p2t,
			      n->d16,
			      n->y1, n->z1, n->a1, n->p1, n->y2, n->z2, n->a2, n->p2, n->logits, n->loss, n->dlogits, n->d1,
			      	n->d2,
			      n->d3 };

	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		free(all[i]);
	device_close(&n->ops.device);
	memset(n, 0, sizeof *n);
}

static float *param(struct net *n, enum param p) { return n->param + n->at[p]; }
static float *grad(struct net *n, enum param p) { return n->grad + n->at[p]; }
static uint16_t *param16(struct net *n, enum param p) { return n->param16 + n->at[p]; }

static struct norm norm_of(struct net *n, int layer)
{
	float *s = n->stat + layer * STATS * C2;
	enum param g = layer ? P_G2 : P_G1;

	return (struct norm){ param(n, g), param(n, g + 1), s, s + C2, s + 2 * C2, s + 3 * C2 };
}

static struct conv_shape first(const struct net *n, uint32_t count) { return (struct conv_shape){ count, n->h, n->w, n->c,
	C1 }; }
static struct conv_shape second(const struct net *n, uint32_t count) { return (struct conv_shape){ count, n->h2, n->w2, C1,
	C2 }; }
/* the maps that are pooled */
static struct conv_shape map1(const struct net *n, uint32_t count) { return (struct conv_shape){ count, n->h, n->w, C1, 0 }; }
static struct conv_shape map2(const struct net *n, uint32_t count) { return (struct conv_shape){ count, n->h2, n->w2, C2,
	0 }; }

static bool norm(struct net *n, int layer, uint32_t rows, uint32_t cols, const float *x, float *y, bool train)
{
	const char *name = layer ? "batch norm 2" : "batch norm 1";

	return train ? op_norm_train(&n->ops, name, rows, cols, x, norm_of(n, layer), y)
		     : op_norm_infer(&n->ops, name, rows, cols, x, norm_of(n, layer), y);
}

bool net_features(struct net *n, const uint8_t *x, uint32_t count, bool train)
{
	struct ops *o = &n->ops;
	uint32_t one = count * n->h * n->w, two = count * n->h2 * n->w2;

	return op_cast(o, "cast images", "cast_u8_f16", x, 1, n->x16, 2, one * n->c) &&
	       op_cast(o, "cast weights", "cast_f32_f16", n->param, 4, n->param16, 2, n->n_param) &&
	       op_conv(o, "conv 1", first(n, count), n->x16, param16(n, P_W1), n->y1) &&
	       	norm(n, 0, one, C1, n->y1, n->z1, train) &&
	       op_relu(o, "relu 1", one * C1, n->z1, n->a1) && op_pool(o, "pool 1", map1(n, count), n->a1, n->p1) &&
	       op_cast(o, "cast pool 1", "cast_f32_f16", n->p1, 4, n->p1h, 2, two * C1) &&
	       op_conv(o, "conv 2", second(n, count), n->p1h, param16(n, P_W2), n->y2) &&
	       	norm(n, 1, two, C2, n->y2, n->z2, train) &&
	       op_relu(o, "relu 2", two * C2, n->z2, n->a2) && op_pool(o, "pool 2", map2(n, count), n->a2, n->p2);
}

bool net_forward(struct net *n, const uint8_t *x, uint32_t count, bool train)
{
	struct ops *o = &n->ops;

	return net_features(n, x, count, train) &&
	       op_cast(o, "cast pool 2", "cast_f32_f16", n->p2, 4, n->p2h, 2, count * n->features) &&
	       op_dense(o, "dense", count, CLASSES, n->features, n->p2h, param16(n, P_W3), param(n, P_B3), n->logits);
}

/* From dlogits (fp32, times the loss scale) to the gradient of the pooled second map in d1. */
static bool dense_backward(struct net *n, uint32_t count)
{
	struct ops *o = &n->ops;

	return op_sum_rows(o, "dense: bias gradient", count, CLASSES, n->dlogits, grad(n, P_B3)) &&
	       op_cast(o, "cast gradients", "cast_f32_f16", n->dlogits, 4, n->d16, 2, count * CLASSES) &&
	       op_transpose(o, "dense: transpose", count, n->features, n->p2h, n->p2t) &&
	       op_matmul(o, "dense: weight gradient", n->features, CLASSES, count, n->p2t, n->d16, false, grad(n, P_W3)) &&
	       op_matmul(o, "dense: input gradient", count, n->features, CLASSES, n->d16, param16(n, P_W3), true, n->d1);
}

/* From the gradient of a pooled map in d1 to that of the convolution's result, fp16, in d16. */
static bool block_backward(struct net *n, int layer, uint32_t count)
{
	struct ops *o = &n->ops;
	uint32_t c = layer ? C2 : C1, rows = count * (layer ? n->h2 * n->w2 : n->h * n->w);
	const float *y = layer ? n->y2 : n->y1, *a = layer ? n->a2 : n->a1;
	enum param g = layer ? P_G2 : P_G1;

	return op_pool_grad(o, layer ? "pool 2: gradient" : "pool 1: gradient", layer ? map2(n, count) : map1(n, count), a,
			    n->d1, n->d2) &&
	       op_relu_grad(o, layer ? "relu 2: gradient" : "relu 1: gradient", rows * c, n->d2, a, n->d3) &&
	       op_norm_grad(o, layer ? "batch norm 2: gradient" : "batch norm 1: gradient", rows, c, y, n->d3,
			    norm_of(n, layer), n->d2,
			    grad(n, g), grad(n, g + 1)) &&
	       op_cast(o, "cast gradients", "cast_f32_f16", n->d2, 4, n->d16, 2, rows * c);
}

bool net_step(struct net *n, const uint8_t *x, const int32_t *label, uint32_t count, struct step s, double *loss)
{
	struct ops *o = &n->ops;

	if (!net_forward(n, x, count, true) ||
	    !op_cross_entropy(o, "cross-entropy", count, n->logits, label, n->loss, n->dlogits,
			      (float)LOSS_SCALE / (float)count) ||
	    !dense_backward(n, count) || !block_backward(n, 1, count) ||
	    !op_conv_grad_weight(o, "conv 2: weight gradient", second(n, count), n->p1h, n->d16, grad(n, P_W2)) ||
	    !op_conv_grad_input(o, "conv 2: input gradient", second(n, count), n->d16, param16(n, P_W2), n->d1) ||
	    !block_backward(n, 0, count) ||
	    !op_conv_grad_weight(o, "conv 1: weight gradient", first(n, count), n->x16, n->d16, grad(n, P_W1)) ||
	    !op_optimizer(o, "optimiser", n->n_param, n->param, n->grad, n->m, n->v, s))
		return false;
	if (n->mask && !op_mul(o, "mask", n->n_param, n->param, n->mask, n->param))
		return false;
	*loss = 0;
	for (uint32_t i = 0; i < count; i++)
		*loss += n->loss[i] / (double)count;
	return true;
}

bool net_accuracy(struct net *n, const struct images *s, double *accuracy)
{
	int64_t right = 0, size = s->h * s->w * s->c;

	for (int64_t i = 0; i < s->n; i += n->batch) {
		uint32_t count = (uint32_t)(s->n - i < n->batch ? s->n - i : n->batch);
		if (!net_forward(n, s->x + i * size, count, false))
			return false;
		for (uint32_t k = 0; k < count; k++) {
			int best = 0;
			for (int c = 1; c < CLASSES; c++)
				if (n->logits[k * CLASSES + c] > n->logits[k * CLASSES + best])
					best = c;
			right += best == s->label[i + k];
		}
	}
	*accuracy = (double)right / (double)s->n;
	return true;
}

struct header { uint32_t magic, h, w, c, n_param; int64_t epoch, step; };

bool net_save(const struct net *n, const char *file, int64_t epoch, int64_t step, struct fail *f)
{
	struct header head = { MAGIC, n->h, n->w, n->c, n->n_param, epoch, step };
	struct cli_file out;

	if (!cli_file_open(&out, file, f))
		return false;
	fwrite(&head, sizeof head, 1, out.stream);
	fwrite(n->param, 4, n->n_param, out.stream);
	fwrite(n->m, 4, n->n_param, out.stream);
	fwrite(n->v, 4, n->n_param, out.stream);
	fwrite(n->stat, 4, 2 * STATS * C2, out.stream);
	return cli_file_close(&out, true, f);
}

bool net_load(struct net *n, const char *file, int64_t *epoch, int64_t *step, struct fail *f)
{
	struct header head;
	FILE *in = fopen(file, "rb");

	if (!in)
		return false;
	bool ok = fread(&head, sizeof head, 1, in) == 1 && head.magic == MAGIC && head.h == n->h && head.w == n->w &&
		head.c == n->c &&
		  head.n_param == n->n_param && fread(n->param, 4, n->n_param, in) == n->n_param &&
		  fread(n->m, 4, n->n_param, in) == n->n_param && fread(n->v, 4, n->n_param, in) == n->n_param &&
		  fread(n->stat, 4, 2 * STATS * C2, in) == 2 * STATS * C2;
	fclose(in);
	*epoch = head.epoch;
	*step = head.step;
	return ok || fail_set(f, FAIL_USER, "%s is no checkpoint of this network; remove it or name another", file);
}
