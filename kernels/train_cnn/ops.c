/*
 * ops.c - launches: which kernel, which tiling, which buffers. A tiling struct here has the members of its kernel's.
 */
#include "net.h"

#include <math.h>
#include <string.h>

static struct op_time *time_of(struct ops *o, const char *name)
{
	for (int i = 0; i < o->n; i++)
		if (strcmp(o->time[i].name, name) == 0)
			return &o->time[i];
	if (o->n == OPS)
		return &o->time[OPS - 1];
	snprintf(o->time[o->n].name, sizeof o->time[0].name, "%s", name);
	return &o->time[o->n++];
}

static bool launch(struct ops *o, const char *name, const char *kernel, const char *entry, const char *core,
		   const struct device_arg *arg, int n)
{
	struct device_time t;
	struct op_time *to = time_of(o, name);

	if (!device_run(&o->device, kernel, entry, core, o->blocks, arg, n, &t, o->fail))
		return false;
	to->launches++;
	to->cycles += t.cycles;
	return true;
}

#define LAUNCH(name, kernel, entry, core, ...)                                                                         \
	launch(o, name, "kernels/" kernel, entry, core, (const struct device_arg[]){ __VA_ARGS__ },                    \
	       (int)(sizeof((const struct device_arg[]){ __VA_ARGS__ }) / sizeof(struct device_arg)))

void ops_reset(struct ops *o) { o->n = 0; memset(o->time, 0, sizeof o->time); }

int64_t ops_cycles(const struct ops *o)
{
	int64_t all = 0;

	for (int i = 0; i < o->n; i++)
		all += o->time[i].cycles;
	return all;
}

void ops_print(const struct ops *o, int64_t per, const char *what, FILE *out)
{
	char number[32];
	int64_t all = ops_cycles(o);

	fprintf(out, "  %-24s %10s %14s %7s\n", "operation", "launches", what, "share");
	for (int i = 0; i < o->n; i++)
		fprintf(out, "  %-24s %10lld %14s %6.1f%%\n", o->time[i].name, (long long)o->time[i].launches,
			report_number(o->time[i].cycles / per, number),
				100.0 * (double)o->time[i].cycles / (double)(all ? all : 1));
	fprintf(out, "  %-24s %10s %14s\n", "all", "", report_number(all / per, number));
}

struct flat { uint32_t n, tile; };

bool op_cast(struct ops *o, const char *name, const char *entry, const void *x, uint64_t x_bytes, void *y, uint64_t y_bytes,
	     uint32_t n)
{
	struct flat t = { n, 4096 };

	return LAUNCH(name, "cast/cast.c", entry, "vector", device_in(x, x_bytes * n), device_out(y, y_bytes * n),
		      device_in(&t, sizeof t));
}

struct conv_tiling { uint32_t n, h, w, c, co, kh, kw, stride, pad, band, base_m, base_n, base_k; };

static struct conv_tiling conv_of(struct conv_shape s)
{
	return (struct conv_tiling){ s.n, s.h, s.w, s.c, s.co, 3, 3, 1, 1, s.h > 32 ? 8 : s.h, 128, 64, 96 };
}

static uint64_t weights(struct conv_shape s) { return (uint64_t)(s.c + 15) / 16 * 16 * 9 * s.co; }
static uint64_t map(struct conv_shape s, uint32_t channels) { return (uint64_t)s.n * s.h * s.w * channels; }

bool op_conv(struct ops *o, const char *name, struct conv_shape s, const void *x, const void *w, float *y)
{
	struct conv_tiling t = conv_of(s);

	return LAUNCH(name, "conv2d/conv2d.c", "conv2d_f32", "cube", device_in(x, map(s, s.c) * 2),
		      device_in(w, weights(s) * 2),
		      device_out(y, map(s, s.co) * 4), device_in(&t, sizeof t));
}

bool op_conv_grad_input(struct ops *o, const char *name, struct conv_shape s, const void *dy, const void *w, float *dx)
{
	struct conv_tiling t = conv_of(s);

	return LAUNCH(name, "conv2d/conv2d.c", "conv2d_grad_input", "cube", device_in(dy, map(s, s.co) * 2),
		      device_in(w, weights(s) * 2),
		      device_out(dx, map(s, s.c) * 4), device_in(&t, sizeof t));
}

bool op_conv_grad_weight(struct ops *o, const char *name, struct conv_shape s, const void *x, const void *dy, float *dw)
{
	struct conv_tiling t = conv_of(s);

	memset(dw, 0, weights(s) * 4); /* the kernel adds */
	return LAUNCH(name, "conv2d/conv2d.c", "conv2d_grad_weight", "cube", device_in(x, map(s, s.c) * 2),
		      device_in(dy, map(s, s.co) * 2),
		      device_out(dw, weights(s) * 4), device_in(&t, sizeof t));
}

struct rows { uint32_t rows, cols, tile; };
enum { NORM_BLOCKS = 64 };
static const float norm_epsilon = 1e-3f;

bool op_norm_train(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, struct norm b, float *y)
{
	struct rows t = { rows, cols, 2048 };
	static float work[2 * NORM_BLOCKS * C2];
	uint64_t n = 4 * (uint64_t)rows * cols, v = 4 * (uint64_t)cols;

	return LAUNCH(name, "batch_norm/batch_norm.c", "batch_norm_train", "vector", device_in(x, n), device_in(b.gamma, v),
		      device_in(b.beta, v), device_out(y, n), device_out(b.mean, v), device_out(b.var, v),
		      	device_out(b.run_mean, v),
		      device_out(b.run_var, v), device_out(work, sizeof work), device_f32(norm_epsilon), device_f32(0.1f),
		      device_in(&t, sizeof t));
}

bool op_norm_infer(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, struct norm b, float *y)
{
	struct rows t = { rows, cols, 2048 };
	uint64_t n = 4 * (uint64_t)rows * cols, v = 4 * (uint64_t)cols;

	return LAUNCH(name, "batch_norm/batch_norm.c", "batch_norm_infer", "vector", device_in(x, n), device_in(b.gamma, v),
		      device_in(b.beta, v), device_in(b.run_mean, v), device_in(b.run_var, v), device_out(y, n),
		      	device_f32(norm_epsilon),
		      device_in(&t, sizeof t));
}

bool op_norm_grad(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, const float *dy,
		  struct norm b,
		  float *dx, float *dgamma, float *dbeta)
{
	struct rows t = { rows, cols, 2048 };
	static float work[2 * NORM_BLOCKS * C2];
	uint64_t n = 4 * (uint64_t)rows * cols, v = 4 * (uint64_t)cols;

	return LAUNCH(name, "batch_norm/batch_norm.c", "batch_norm_grad", "vector", device_in(x, n), device_in(dy, n),
		      device_in(b.gamma, v),
		      device_in(b.mean, v), device_in(b.var, v), device_out(dx, n), device_out(dgamma, v),
		      	device_out(dbeta, v),
		      device_out(work, sizeof work), device_f32(norm_epsilon), device_in(&t, sizeof t));
}

bool op_relu(struct ops *o, const char *name, uint32_t n, const float *x, float *y)
{
	struct flat t = { n, 2048 };

	return LAUNCH(name, "eltwise/eltwise.c", "relu_f32", "vector", device_in(x, 4ull * n), device_out(y, 4ull * n),
		      device_in(&t, sizeof t));
}

bool op_relu_grad(struct ops *o, const char *name, uint32_t n, const float *dy, const float *y, float *dx)
{
	struct flat t = { n, 2048 };

	return LAUNCH(name, "eltwise/eltwise.c", "relu_grad_f32", "vector", device_in(dy, 4ull * n), device_in(y, 4ull * n),
		      device_out(dx, 4ull * n), device_in(&t, sizeof t));
}

bool op_mul(struct ops *o, const char *name, uint32_t n, const float *x, const float *y, float *z)
{
	struct flat t = { n, 2048 };

	return LAUNCH(name, "eltwise/eltwise.c", "mul_f32", "vector", device_in(x, 4ull * n), device_in(y, 4ull * n),
		      device_out(z, 4ull * n),
		      device_in(&t, sizeof t));
}

struct pool_tiling { uint32_t n, h, w, c, size, stride; };

bool op_pool(struct ops *o, const char *name, struct conv_shape s, const float *x, float *y)
{
	struct pool_tiling t = { s.n, s.h, s.w, s.c, 2, 2 };

	return LAUNCH(name, "pool/pool.c", "max_pool", "vector", device_in(x, map(s, s.c) * 4),
		      device_out(y, (uint64_t)s.n * (s.h / 2) * (s.w / 2) * s.c * 4), device_in(&t, sizeof t));
}

bool op_pool_grad(struct ops *o, const char *name, struct conv_shape s, const float *x, const float *dy, float *dx)
{
	struct pool_tiling t = { s.n, s.h, s.w, s.c, 2, 2 };

	return LAUNCH(name, "pool/pool.c", "max_pool_grad", "vector", device_in(x, map(s, s.c) * 4),
		      device_in(dy, (uint64_t)s.n * (s.h / 2) * (s.w / 2) * s.c * 4), device_out(dx, map(s, s.c) * 4),
		      	device_in(&t, sizeof t));
}

struct matmul_tiling { uint32_t m, n, k, trans_b, base_m, base_n, base_k, step_n, step_k; };

static struct matmul_tiling matmul_of(uint32_t m, uint32_t n, uint32_t k, bool trans_b)
{
	return (struct matmul_tiling){ m, n, k, trans_b, 64, 64, 128, 64, 256 };
}

bool op_dense(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const void *a, const void *b,
	      const float *bias,
	      float *c)
{
	struct matmul_tiling t = matmul_of(m, n, k, false);

	return LAUNCH(name, "matmul_bias_act/matmul_bias_act.c", "matmul_bias_f32", "cube", device_in(a, 2ull * m * k),
		      device_in(b, 2ull * n * k), device_in(bias, 4ull * n), device_out(c, 4ull * m * n),
		      	device_in(&t, sizeof t));
}

bool op_dense_s8(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const int8_t *a, const int8_t *b,
		 const int32_t *bias, int32_t *c)
{
	struct matmul_tiling t = matmul_of(m, n, k, false);

	return LAUNCH(name, "matmul_bias_act/matmul_bias_act.c", "matmul_bias_s8", "cube", device_in(a, 1ull * m * k),
		      device_in(b, 1ull * n * k), device_in(bias, 4ull * n), device_out(c, 4ull * m * n),
		      	device_in(&t, sizeof t));
}

bool op_dense_sparse(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const int8_t *a, const int8_t *b,
		     const uint8_t *index, const int32_t *bias, int32_t *c)
{
	struct { uint32_t m, n, k, base_m, base_n, base_k, step_n, step_k; } t = { m, n, k, 64, 64, 128, 64, 256 };
	uint64_t fractals = (uint64_t)(k + 63) / 64 * ((n + 15) / 16);

	return LAUNCH(name, "matmul_sparse/matmul_sparse.c", "matmul_sparse_bias", "cube", device_in(a, 1ull * m * k),
		      device_in(b, fractals * 512), device_in(index, fractals * 128), device_in(bias, 4ull * n),
		      device_out(c, 4ull * m * n), device_in(&t, sizeof t));
}

bool op_matmul(struct ops *o, const char *name, uint32_t m, uint32_t n, uint32_t k, const void *a, const void *b,
	       bool trans_b,
	       float *c)
{
	/* as launch.cfg has them for few tiles */
	struct { uint32_t m, n, k, trans_b, base_m, base_n, base_k, step_m, step_n, step_k, pass_k, group; } t = {
		m, n, k, trans_b, 64, 64, 128, 64, 64, 256, 0, 1 };

	return LAUNCH(name, "matmul/matmul.c", "matmul_f32", "cube", device_in(a, 2ull * m * k), device_in(b, 2ull * n * k),
		      device_out(c, 4ull * m * n), device_in(&t, sizeof t));
}

bool op_transpose(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const void *x, void *y)
{
	struct { uint32_t batch, rows, cols; } t = { 1, rows, cols };

	return LAUNCH(name, "transpose/transpose.c", "transpose_b16", "vector", device_in(x, 2ull * rows * cols),
		      device_out(y, 2ull * rows * cols), device_in(&t, sizeof t));
}

bool op_sum_rows(struct ops *o, const char *name, uint32_t rows, uint32_t cols, const float *x, float *y)
{
	struct { uint32_t outer, axis, inner, tile; } t = { 1, rows, cols, 4096 };

	return LAUNCH(name, "reduce/reduce.c", "reduce_sum_f32", "vector", device_in(x, 4ull * rows * cols),
		      device_out(y, 4ull * cols),
		      device_in(&t, sizeof t));
}

bool op_cross_entropy(struct ops *o, const char *name, uint32_t rows, const float *logits, const int32_t *label, float *loss,
		      float *grad, float scale)
{
	struct rows t = { rows, CLASSES, 1024 };

	return LAUNCH(name, "cross_entropy/cross_entropy.c", "cross_entropy", "vector",
		      device_in(logits, 4ull * rows * CLASSES),
		      device_in(label, 4ull * rows), device_out(loss, 4ull * rows), device_out(grad, 4ull * rows * CLASSES),
		      device_f32(scale), device_in(&t, sizeof t));
}

bool op_quantize(struct ops *o, const char *name, uint32_t n, const float *x, int8_t *y, float inverse_scale)
{
	struct flat t = { n, 2048 };

	return LAUNCH(name, "quantize/quantize.c", "quantize_f32", "vector", device_in(x, 4ull * n), device_out(y, n),
		      device_f32(inverse_scale), device_f32(0), device_in(&t, sizeof t));
}

bool op_dequantize(struct ops *o, const char *name, uint32_t n, const int8_t *x, float *y, float scale)
{
	struct flat t = { n, 2048 };

	return LAUNCH(name, "quantize/quantize.c", "dequantize_f32", "vector", device_in(x, n), device_out(y, 4ull * n),
		      device_f32(scale), device_f32(0), device_in(&t, sizeof t));
}

bool op_optimizer(struct ops *o, const char *name, uint32_t n, float *w, const float *grad, float *m, float *v, struct step s)
{
	struct flat t = { n, 2048 };
	uint64_t bytes = 4ull * n;
	struct device_arg scale = device_f32(1.0f / LOSS_SCALE), decay = device_f32(1e-4f);
	double c1 = 1 - pow(0.9, (double)s.number), c2 = sqrt(1 - pow(0.999, (double)s.number));

	if (s.rule == RULE_ADAM)
		return LAUNCH(name, "optimizer/optimizer.c", "adam", "vector", device_out(w, bytes), device_in(grad, bytes),
			      device_out(m, bytes), device_out(v, bytes), device_f32((float)(s.rate * c2 / c1)),
			      	device_f32(0.9f),
			      device_f32(0.999f), device_f32((float)(1e-8 * c2)), scale, decay, device_in(&t, sizeof t));
	if (s.rule == RULE_ADAGRAD)
		return LAUNCH(name, "optimizer/optimizer.c", "adagrad", "vector", device_out(w, bytes),
			      device_in(grad, bytes),
			      device_out(m, bytes), device_f32(s.rate), device_f32(1e-8f), scale, decay,
			      	device_in(&t, sizeof t));
	return LAUNCH(name, "optimizer/optimizer.c", "sgd", "vector", device_out(w, bytes), device_in(grad, bytes),
		      device_out(m, bytes),
		      device_f32(s.rate), device_f32(0.9f), scale, decay, device_in(&t, sizeof t));
}
