/*
 * matmul_batched.c - many products at once on the cube cores of the 910B, fp16 to fp32: `matmul_batched`, C[b] = A[b]
 * * B[b] for all b of a batch; `matmul_grouped`, rows of A [M,K] in groups, group g times its own B[g] (mixture of
 * experts). Tiles of all products are dealt out to the blocks in one row, so that small products fill the chip.
 */
#include "../mm.h"

struct batched_tiling {
	uint32_t batch, m, n, k; /* grouped: batch = number of groups, m = rows of all groups */
	uint32_t trans_b, base_m, base_n, base_k, step_n, step_k;
};

struct products {
	__gm__ uint8_t *a, *b, *c;
	uint32_t m, n, k, base_m, step_n, tiles_n, per_product;
	__gm__ const uint32_t *rows; /* grouped: rows of each group */
	uint32_t groups;
};

INLINE struct mm_tile tile_of(const void *context, uint32_t tile)
{
	const struct products *p = context;
	uint64_t batch = tile / p->per_product;
	uint32_t at = tile % p->per_product;

	return (struct mm_tile){ .a = p->a + batch * p->m * p->k * 2, .b = p->b + batch * p->n * p->k * 2,
				 .c = p->c + batch * p->m * p->n * 4, .m = p->m, .n = p->n, .k = p->k,
				 .row = at / p->tiles_n * p->base_m, .col = at % p->tiles_n * p->step_n, .k_end = p->k };
}

/* The groups are few: the scalar unit walks over them. */
INLINE struct mm_tile group_tile_of(const void *context, uint32_t tile)
{
	const struct products *p = context;
	uint64_t row = 0;
	uint32_t g = 0, tiles;

	for (; g < p->groups; g++) {
		tiles = ceil_div(p->rows[g], p->base_m) * p->tiles_n;
		if (tile < tiles)
			break;
		tile -= tiles;
		row += p->rows[g];
	}
	return (struct mm_tile){ .a = p->a + row * p->k * 2, .b = p->b + (uint64_t)g * p->n * p->k * 2,
				 .c = p->c + row * p->n * 4, .m = p->rows[g], .n = p->n, .k = p->k,
				 .row = tile / p->tiles_n * p->base_m, .col = tile % p->tiles_n * p->step_n, .k_end = p->k };
}

INLINE struct products products_of(__gm__ half *a, __gm__ half *b, __gm__ float *c, __gm__ const struct batched_tiling *t)
{
	struct products p = { .a = (__gm__ uint8_t *)a, .b = (__gm__ uint8_t *)b, .c = (__gm__ uint8_t *)c, .m = t->m,
			      .n = t->n, .k = t->k, .base_m = t->base_m, .step_n = t->step_n,
			      .tiles_n = ceil_div(t->n, t->step_n) };

	p.per_product = p.tiles_n * ceil_div(t->m, t->base_m);
	return p;
}

INLINE struct mm_tiling cut_of(__gm__ const struct batched_tiling *t)
{
	return (struct mm_tiling){ t->trans_b, t->base_m, t->base_n, t->base_k, t->step_n, t->step_k };
}

__global__ __aicore__ void matmul_batched(__gm__ half *a, __gm__ half *b, __gm__ float *c,
					  __gm__ struct batched_tiling *tiling)
{
	struct products p = products_of(a, b, c, tiling);
	struct mm_tiling cut = cut_of(tiling);
	struct mm mm = mm_of((struct mm_kind){ .type = MM_F16 }, &cut, tiling->batch * p.per_product, tile_of, &p);

	mm_run(&mm);
}

__global__ __aicore__ void matmul_grouped(__gm__ half *a, __gm__ half *b, __gm__ uint32_t *rows, __gm__ float *c,
					  __gm__ struct batched_tiling *tiling)
{
	struct products p = products_of(a, b, c, tiling);
	struct mm_tiling cut = cut_of(tiling);
	uint32_t tiles = 0;

	p.rows = rows;
	p.groups = tiling->batch;
	for (uint32_t g = 0; g < p.groups; g++)
		tiles += ceil_div(rows[g], p.base_m) * p.tiles_n;
	struct mm mm = mm_of((struct mm_kind){ .type = MM_F16 }, &cut, tiles, group_tile_of, &p);

	mm_run(&mm);
}
