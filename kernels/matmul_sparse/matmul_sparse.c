/*
 * matmul_sparse.c - C[M,N] = A[M,K] * B with 4:2 sparse weights, s8 to s32, on the cube cores of the 910B: of each
 * four rows of B two are stored, per column, and the cube skips the others: half the steps of the dense product.
 *
 * B is packed: [ceil(K/64)][ceil(N/16)] fractals of 16 columns x 32 stored rows (512 bytes), and as many pieces of
 * 128 bytes of indices. Stored row 2g + e of a fractal stands for row 4g + e + index, index 0..2, four indices to a
 * byte, lowest bits first.
 */
#include "../mm.h"

struct sparse_tiling {
	uint32_t m, n, k;
	uint32_t base_m, base_n, base_k, step_n, step_k; /* base_k, step_k: multiples of 64 */
};

struct product {
	__gm__ uint8_t *a, *b, *index, *bias, *c;
	uint32_t m, n, k, base_m, step_n, tiles_n;
};

INLINE struct mm_tile tile_of(const void *context, uint32_t tile)
{
	const struct product *p = context;

	return (struct mm_tile){ .a = p->a, .b = p->b, .bias = p->bias, .index = p->index, .c = p->c,
				 .m = p->m, .n = p->n, .k = p->k,
				 .row = tile / p->tiles_n * p->base_m, .col = tile % p->tiles_n * p->step_n, .k_end = p->k };
}

INLINE void multiply(__gm__ int8_t *a, __gm__ int8_t *b, __gm__ uint8_t *index, __gm__ int32_t *bias, __gm__ int32_t *c,
		     __gm__ const struct sparse_tiling *t, bool has_bias)
{
	struct mm_tiling cut = { 0, t->base_m, t->base_n, t->base_k, t->step_n, t->step_k };
	struct product p = { (__gm__ uint8_t *)a, (__gm__ uint8_t *)b, index, (__gm__ uint8_t *)bias, (__gm__ uint8_t *)c,
			     t->m, t->n, t->k, t->base_m, t->step_n, ceil_div(t->n, t->step_n) };
	struct mm mm = mm_of((struct mm_kind){ .type = MM_S8_SPARSE, .out = MM_OUT_S32, .bias = has_bias }, &cut,
			     p.tiles_n * ceil_div(t->m, t->base_m), tile_of, &p);

	mm_run(&mm);
}

__global__ __aicore__ void matmul_sparse(__gm__ int8_t *a, __gm__ int8_t *b, __gm__ uint8_t *index, __gm__ int32_t *c,
					 __gm__ struct sparse_tiling *tiling)
{
	multiply(a, b, index, NULL, c, tiling, false);
}

__global__ __aicore__ void matmul_sparse_bias(__gm__ int8_t *a, __gm__ int8_t *b, __gm__ uint8_t *index,
					      __gm__ int32_t *bias, __gm__ int32_t *c, __gm__ struct sparse_tiling *tiling)
{
	multiply(a, b, index, bias, c, tiling, true);
}
