/*
 * eltwise.c - elementwise operators over n elements on the vector cores of the 910B and the fused cores of the 910 and
 * 310P: mul, relu, leaky relu, gelu, sigmoid, tanh and the gradient of relu; fp32, or fp16 computed in fp32. One source, an
 * entry per operator and type.
 */
#include "../vec.h"

struct eltwise_tiling {
	uint32_t n;
	uint32_t tile; /* elements: a multiple of 64 */
};

enum op { OP_MUL, OP_RELU, OP_LRELU, OP_GELU, OP_SIGMOID, OP_TANH, OP_RELU_GRAD };

struct eltwise {
	enum op op;
	enum elem elem;
	float slope;
	uint32_t tile;
};

/* x * sigmoid(2 sqrt(2 / pi) (x + 0.044715 x^3)), which is gelu's usual formula with tanh */
INLINE void gelu(uint32_t y, uint32_t x, uint32_t w)
{
	V_BIN(vmul, w, x, x);
	V_SCALAR(vmuls, w, w, -0.071354816f);
	V_SCALAR(vadds, w, w, -1.5957691f);
	V_BIN(vmul, w, w, x);
	V_UN(vexp, w, w);
	V_SCALAR(vadds, w, w, 1.0f);
	V_BIN(vdiv, y, x, w);
}

/* 1 / (1 + exp(-x)); `one` holds a block of ones */
INLINE void sigmoid(uint32_t y, uint32_t x, uint32_t w, uint32_t one)
{
	V_SCALAR(vmuls, w, x, -1.0f);
	V_UN(vexp, w, w);
	V_SCALAR(vadds, w, w, 1.0f);
	V_ALL_BIN(vdiv, y, one, w);
}

/* The 910 has no leaky relu, and relu and comparisons with a number for fp16 alone: blocks of constants do it. */
#if __NPU_ARCH__ == 1001

INLINE void relu(uint32_t y, uint32_t x, uint32_t zero) { V_BIN_ALL(vmax, y, x, zero); }

INLINE void leaky_relu(uint32_t y, uint32_t x, float slope, uint32_t w, uint32_t zero)
{
	V_BIN_ALL(vmin, w, x, zero);
	V_SCALAR(vmuls, w, w, slope);
	V_BIN_ALL(vmax, y, x, zero);
	V_BIN(vadd, y, y, w);
}

INLINE void above_zero(uint32_t bits, uint32_t x, uint32_t zero)
{
	vcmpv_gt(ub_u8(bits), ub_f32(x), ub_f32(zero), 1, 1, 1, 0, 8, 8, 0);
	pipe_barrier(PIPE_V);
}

#else

INLINE void relu(uint32_t y, uint32_t x, uint32_t zero)
{
	V_UN(vrelu, y, x);
	(void)zero;
}

INLINE void leaky_relu(uint32_t y, uint32_t x, float slope, uint32_t w, uint32_t zero)
{
	V_SCALAR(vlrelu, y, x, slope);
	(void)w, (void)zero;
}

INLINE void above_zero(uint32_t bits, uint32_t x, uint32_t zero)
{
	vcmpvs_gt(ub_u8(bits), ub_f32(x), 0.0f, 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	(void)zero;
}

#endif

/* (exp(2x) - 1) / (exp(2x) + 1); beyond 10 the result is 1 in fp32, and exp must not overflow */
INLINE void tanh_of(uint32_t y, uint32_t x, uint32_t w, uint32_t block, uint32_t n)
{
	clamp(w, x, -10.0f, 10.0f, block, n);
	V_SCALAR(vmuls, w, w, 2.0f);
	V_UN(vexp, w, w);
	V_SCALAR(vadds, y, w, -1.0f);
	V_SCALAR(vadds, w, w, 1.0f);
	V_BIN(vdiv, y, y, w);
}

/* y > 0 ? dy : 0. The bits of the comparison go to `bits`, the zero for the other lanes to CMPMASK. */
INLINE void relu_grad(uint32_t dx, uint32_t dy, uint32_t y, uint32_t bits, uint32_t zero)
{
	above_zero(bits, y, zero);
	set_cmpmask((__ubuf__ void *)(uintptr_t)zero);
	pipe_barrier(PIPE_V);
	vsel(ub_f32(dx), ub_f32(dy), ub_f32(bits), 1, 1, 1, 1, 8, 8, 8, 1);
	pipe_barrier(PIPE_V);
}

INLINE void eltwise_tile(const void *context, const struct stream_tile *t)
{
	const struct eltwise *e = context;
	uint32_t bytes = e->tile * 4, a = t->work, b = a + bytes, w = b + bytes, constant = w + bytes;
	uint32_t x = to_f32(a, t->in[0], e->elem), y = f32_place(t->out[0], a, e->elem);

	switch (e->op) {
	case OP_MUL:
		V_BIN(vmul, y, x, to_f32(b, t->in[1], e->elem));
		break;
	case OP_RELU:
		relu(y, x, constant);
		break;
	case OP_LRELU:
		leaky_relu(y, x, e->slope, w, constant);
		break;
	case OP_GELU:
		gelu(y, x, w);
		break;
	case OP_SIGMOID:
		sigmoid(y, x, w, constant);
		break;
	case OP_TANH:
		tanh_of(y, x, w, constant, t->n);
		break;
	case OP_RELU_GRAD:
		relu_grad(y, x, to_f32(b, t->in[1], e->elem), w, constant);
		break;
	}
	if (e->elem != E_F32)
		from_f32(t->out[0], y, e->elem);
}

INLINE void eltwise(enum op op, enum elem elem, __gm__ void *x, __gm__ void *x2, __gm__ void *y, float slope,
		    __gm__ const struct eltwise_tiling *tiling)
{
	struct stream s = { .n_in = op == OP_MUL || op == OP_RELU_GRAD ? 2 : 1, .n_out = 1, .in_elem = { elem, elem },
			    .out_elem = { elem }, .in = { x, x2 }, .out = { y }, .work = 3 };
	struct eltwise e = { .op = op, .elem = elem, .slope = slope, .tile = tiling->tile };
	uint32_t constant;

	stream_share(&s, tiling->n, tiling->tile);
	/* a block of constants behind the work tiles */
	constant = STAGES * stream_stage_bytes(&s) + 3 * s.tile * 4;
	require(constant + 32 <= UB_SIZE);
	fill_f32(constant, op == OP_SIGMOID ? 1.0f : 0.0f, 8);
	stream(&s, eltwise_tile, &e);
}

#define ENTRY_1(name, op, type, elem)                                                                                  \
	__global__ __aicore__ void name(__gm__ type *x, __gm__ type *y, __gm__ struct eltwise_tiling *tiling)          \
	{                                                                                                              \
		eltwise(op, elem, x, NULL, y, 0.0f, tiling);                                                           \
	}
#define ENTRY_2(name, op, type, elem)                                                                                  \
	__global__ __aicore__ void name(__gm__ type *x, __gm__ type *x2, __gm__ type *y,                               \
					__gm__ struct eltwise_tiling *tiling)                                          \
	{                                                                                                              \
		eltwise(op, elem, x, x2, y, 0.0f, tiling);                                                             \
	}
#define ENTRY_SLOPE(name, op, type, elem)                                                                              \
	__global__ __aicore__ void name(__gm__ type *x, __gm__ type *y, float slope,                                   \
					__gm__ struct eltwise_tiling *tiling)                                          \
	{                                                                                                              \
		eltwise(op, elem, x, NULL, y, slope, tiling);                                                          \
	}

ENTRY_2(mul_f32, OP_MUL, float, E_F32)
ENTRY_2(mul_f16, OP_MUL, half, E_F16)
ENTRY_1(relu_f32, OP_RELU, float, E_F32)
ENTRY_1(relu_f16, OP_RELU, half, E_F16)
ENTRY_SLOPE(lrelu_f32, OP_LRELU, float, E_F32)
ENTRY_SLOPE(lrelu_f16, OP_LRELU, half, E_F16)
ENTRY_1(gelu_f32, OP_GELU, float, E_F32)
ENTRY_1(gelu_f16, OP_GELU, half, E_F16)
ENTRY_1(sigmoid_f32, OP_SIGMOID, float, E_F32)
ENTRY_1(sigmoid_f16, OP_SIGMOID, half, E_F16)
ENTRY_1(tanh_f32, OP_TANH, float, E_F32)
ENTRY_1(tanh_f16, OP_TANH, half, E_F16)
ENTRY_2(relu_grad_f32, OP_RELU_GRAD, float, E_F32)
ENTRY_2(relu_grad_f16, OP_RELU_GRAD, half, E_F16)
