/*
 * matmul_types.c - C[M,N] = A[M,K] * B on the cube cores of the 910B for operands other than fp16 (kernels/matmul):
 * bf16, s8 (sums as s32, or requantised to s8 by one scale), fp32, and fp32 rounded to HF32, which the cube
 * multiplies twice as fast. B is [K,N] or, with trans_b, [N,K]. Any M, N, K >= 1.
 */
#include "../mm.h"

struct types_tiling {
	uint32_t m, n, k;
	uint32_t trans_b, base_m, base_n, base_k, step_n, step_k;
};

struct product {
	__gm__ uint8_t *a, *b, *c;
	uint32_t m, n, k, base_m, step_n, tiles_n;
};

INLINE struct mm_tile tile_of(const void *context, uint32_t tile)
{
	const struct product *p = context;

	return (struct mm_tile){ .a = p->a, .b = p->b, .c = p->c, .m = p->m, .n = p->n, .k = p->k,
				 .row = tile / p->tiles_n * p->base_m, .col = tile % p->tiles_n * p->step_n, .k_end = p->k };
}

INLINE void multiply(enum mm_type type, enum mm_out out, __gm__ void *a, __gm__ void *b, __gm__ void *c,
		     __gm__ const struct types_tiling *t)
{
	struct mm_tiling cut = { t->trans_b, t->base_m, t->base_n, t->base_k, t->step_n, t->step_k };
	struct product p = { a, b, c, t->m, t->n, t->k, t->base_m, t->step_n, ceil_div(t->n, t->step_n) };
	struct mm mm = mm_of((struct mm_kind){ .type = type, .out = out }, &cut, p.tiles_n * ceil_div(t->m, t->base_m),
			     tile_of, &p);

	mm_run(&mm);
}

#define ENTRY(name, type, in, out, to)                                                                                 \
	__global__ __aicore__ void name(__gm__ in *a, __gm__ in *b, __gm__ to *c, __gm__ struct types_tiling *tiling)  \
	{                                                                                                              \
		multiply(type, out, a, b, c, tiling);                                                                  \
	}

ENTRY(matmul_bf16, MM_BF16, bfloat16_t, MM_OUT_F32, float)
ENTRY(matmul_bf16_bf16, MM_BF16, bfloat16_t, MM_OUT_BF16, bfloat16_t)
ENTRY(matmul_s8, MM_S8, int8_t, MM_OUT_S32, int32_t)
ENTRY(matmul_fp32, MM_F32, float, MM_OUT_F32, float)

/* CTRL bit 46: fp32 operands are rounded to HF32. */
__global__ __aicore__ void matmul_hf32(__gm__ float *a, __gm__ float *b, __gm__ float *c,
				       __gm__ struct types_tiling *tiling)
{
	uint64_t ctrl = get_ctrl();

	set_ctrl(ctrl | UINT64_C(1) << 46);
	multiply(MM_F32, MM_OUT_F32, a, b, c, tiling);
	set_ctrl(ctrl);
}

/* c = s8(round(sum * scale) + offset), saturated. The fixpipe takes the upper 19 bits of the scale, 10 of them mantissa. */
__global__ __aicore__ void matmul_s8_s8(__gm__ int8_t *a, __gm__ int8_t *b, __gm__ int8_t *c, float scale, int32_t offset,
					__gm__ struct types_tiling *tiling)
{
	union { float f; uint32_t u; } bits = { .f = scale };

	set_quant_pre((bits.u & 0xffffe000u) | (uint64_t)(offset & 511) << 37 | UINT64_C(1) << 46);
	multiply(MM_S8, MM_OUT_S8, a, b, c, tiling);
}
