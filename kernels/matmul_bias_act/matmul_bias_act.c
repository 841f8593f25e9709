/*
 * matmul_bias_act.c - C[M,N] = f(A[M,K] * B + bias[N]) on the cube cores of the 910B, fp16 operands, fp32 bias: the
 * bias starts the accumulators through the bias table, the activation f (none, relu, leaky relu) is the fixpipe's.
 * Nothing is left for a vector core. fp32 or fp16 result.
 */
#include "../mm.h"

struct bias_tiling {
	uint32_t m, n, k;
	uint32_t trans_b, base_m, base_n, base_k, step_n, step_k;
};

struct product {
	__gm__ uint8_t *a, *b, *bias, *c;
	uint32_t m, n, k, base_m, step_n, tiles_n;
};

INLINE struct mm_tile tile_of(const void *context, uint32_t tile)
{
	const struct product *p = context;

	return (struct mm_tile){ .a = p->a, .b = p->b, .bias = p->bias, .c = p->c, .m = p->m, .n = p->n, .k = p->k,
				 .row = tile / p->tiles_n * p->base_m, .col = tile % p->tiles_n * p->step_n, .k_end = p->k };
}

INLINE void multiply(enum mm_type type, enum mm_relu relu, enum mm_out out, __gm__ void *a, __gm__ void *b,
		     __gm__ void *bias, __gm__ void *c, __gm__ const struct bias_tiling *t)
{
	struct mm_tiling cut = { t->trans_b, t->base_m, t->base_n, t->base_k, t->step_n, t->step_k };
	struct product p = { a, b, bias, c, t->m, t->n, t->k, t->base_m, t->step_n, ceil_div(t->n, t->step_n) };
	struct mm mm = mm_of((struct mm_kind){ .type = type, .out = out, .relu = relu, .bias = true }, &cut,
			     p.tiles_n * ceil_div(t->m, t->base_m), tile_of, &p);

	mm_run(&mm);
}

#define ENTRY(name, relu, out, to)                                                                                     \
	__global__ __aicore__ void name(__gm__ half *a, __gm__ half *b, __gm__ float *bias, __gm__ to *c,              \
					__gm__ struct bias_tiling *tiling)                                             \
	{                                                                                                              \
		multiply(MM_F16, relu, out, a, b, bias, c, tiling);                                                           \
	}

ENTRY(matmul_bias_f32, MM_RELU_NONE, MM_OUT_F32, float)
ENTRY(matmul_bias_f16, MM_RELU_NONE, MM_OUT_F16, half)
ENTRY(matmul_bias_relu_f32, MM_RELU, MM_OUT_F32, float)
ENTRY(matmul_bias_relu_f16, MM_RELU, MM_OUT_F16, half)

__global__ __aicore__ void matmul_bias_lrelu_f16(__gm__ half *a, __gm__ half *b, __gm__ float *bias, __gm__ half *c,
						 float slope, __gm__ struct bias_tiling *tiling)
{
	set_lrelu_alpha(slope);
	multiply(MM_F16, MM_RELU_LEAKY, MM_OUT_F16, a, b, bias, c, tiling);
}

/* s8 operands, s32 bias and result: the last layer of a quantised network. */
__global__ __aicore__ void matmul_bias_s8(__gm__ int8_t *a, __gm__ int8_t *b, __gm__ int32_t *bias, __gm__ int32_t *c,
					  __gm__ struct bias_tiling *tiling)
{
	multiply(MM_S8, MM_RELU_NONE, MM_OUT_S32, a, b, bias, c, tiling);
}
