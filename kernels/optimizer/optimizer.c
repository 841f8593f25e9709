/*
 * optimizer.c - one step of an optimiser over n fp32 weights on the vector cores of the 910B and the fused cores of the
 * 910 and 310P, in place: SGD with momentum, Adam, Adagrad. The gradient is multiplied by grad_scale first (1 / loss
 * scale), then decay * w is added.
 */
#include "../vec.h"

struct optimizer_tiling {
	uint32_t n, tile; /* elements; tile a multiple of 64 */
};

enum rule { SGD, ADAM, ADAGRAD };

struct optimizer {
	enum rule rule;
	float rate, beta1, beta2, epsilon, grad_scale, decay;
	uint32_t tile;
};

/* g = grad * grad_scale + decay * w */
INLINE void gradient(const struct optimizer *o, uint32_t g, uint32_t grad, uint32_t w)
{
	V_SCALAR(vmuls, g, grad, o->grad_scale);
	vaxpy(ub_f32(g), ub_f32(w), o->decay, 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
}

INLINE void axpy(uint32_t dst, uint32_t src, float factor)
{
	vaxpy(ub_f32(dst), ub_f32(src), factor, 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
}

/* in: w, grad, then the state; out: w, then the state */
INLINE void optimizer_tile(const void *context, const struct stream_tile *t)
{
	const struct optimizer *o = context;
	uint32_t g = t->work, h = g + o->tile * 4, w = t->in[0], m = t->out[1];

	gradient(o, g, t->in[1], w);
	switch (o->rule) {
	case SGD: /* m = beta1 m + g; w -= rate m */
		V_SCALAR(vmuls, m, t->in[2], o->beta1);
		V_BIN(vadd, m, m, g);
		V_SCALAR(vmuls, h, m, -o->rate);
		break;
	case ADAM: { /* m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; w -= rate m / (sqrt(v) + epsilon) */
		uint32_t v = t->out[2];

		V_SCALAR(vmuls, m, t->in[2], o->beta1);
		axpy(m, g, 1.0f - o->beta1);
		V_BIN(vmul, g, g, g);
		V_SCALAR(vmuls, v, t->in[3], o->beta2);
		axpy(v, g, 1.0f - o->beta2);
		V_UN(vsqrt, h, v);
		V_SCALAR(vadds, h, h, o->epsilon);
		V_BIN(vdiv, h, m, h);
		V_SCALAR(vmuls, h, h, -o->rate);
		break;
	}
	case ADAGRAD: /* m += g^2; w -= rate g / (sqrt(m) + epsilon) */
		V_BIN(vmul, h, g, g);
		V_BIN(vadd, m, t->in[2], h);
		V_UN(vsqrt, h, m);
		V_SCALAR(vadds, h, h, o->epsilon);
		V_BIN(vdiv, h, g, h);
		V_SCALAR(vmuls, h, h, -o->rate);
		break;
	}
	V_BIN(vadd, t->out[0], w, h);
}

INLINE void step(struct optimizer o, __gm__ float *w, __gm__ float *grad, __gm__ float *m, __gm__ float *v,
		 __gm__ const struct optimizer_tiling *tiling)
{
	bool two = o.rule == ADAM;
	struct stream s = { .n_in = two ? 4 : 3, .n_out = two ? 3 : 2, .in = { w, grad, m, v }, .out = { w, m, v },
			    .in_elem = { E_F32, E_F32, E_F32, E_F32 }, .out_elem = { E_F32, E_F32, E_F32 }, .work = 2 };

	o.tile = tiling->tile;
	stream_share(&s, tiling->n, tiling->tile);
	stream(&s, optimizer_tile, &o);
}

__global__ __aicore__ void sgd(__gm__ float *w, __gm__ float *grad, __gm__ float *m, float rate, float momentum,
			       float grad_scale, float decay, __gm__ struct optimizer_tiling *tiling)
{
	step((struct optimizer){ .rule = SGD, .rate = rate, .beta1 = momentum, .grad_scale = grad_scale, .decay = decay },
	     w, grad, m, NULL, tiling);
}

/* rate and epsilon hold the bias corrections: rate * sqrt(c2) / c1 and epsilon * sqrt(c2), ci = 1 - beta_i^step. */
__global__ __aicore__ void adam(__gm__ float *w, __gm__ float *grad, __gm__ float *m, __gm__ float *v, float rate,
				float beta1, float beta2, float epsilon, float grad_scale, float decay,
				__gm__ struct optimizer_tiling *tiling)
{
	step((struct optimizer){ ADAM, rate, beta1, beta2, epsilon, grad_scale, decay, 0 }, w, grad, m, v, tiling);
}

__global__ __aicore__ void adagrad(__gm__ float *w, __gm__ float *grad, __gm__ float *m, float rate, float epsilon,
				   float grad_scale, float decay, __gm__ struct optimizer_tiling *tiling)
{
	step((struct optimizer){ .rule = ADAGRAD, .rate = rate, .epsilon = epsilon, .grad_scale = grad_scale,
				 .decay = decay },
	     w, grad, m, NULL, tiling);
}
