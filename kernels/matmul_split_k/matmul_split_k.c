/*
 * matmul_split_k.c - C[M,N] += A[M,K] * B, fp16 to fp32, K cut into `splits` shares that different blocks multiply: for
 * products of few tiles and a long K, which would leave most cores idle. The shares are added to C atomically by the
 * fixpipe; C is zero (or what shall be added to) before the launch.
 */
#include "../mm.h"

struct split_tiling {
	uint32_t m, n, k, splits;
	uint32_t trans_b, base_m, base_n, base_k, step_n, step_k;
};

struct product {
	__gm__ uint8_t *a, *b, *c;
	uint32_t m, n, k, share, base_m, step_n, tiles_n, tiles_mn;
};

INLINE struct mm_tile tile_of(const void *context, uint32_t tile)
{
	const struct product *p = context;
	uint32_t at = tile % p->tiles_mn, k = tile / p->tiles_mn * p->share;

	return (struct mm_tile){ .a = p->a, .b = p->b, .c = p->c, .m = p->m, .n = p->n, .k = p->k,
				 .row = at / p->tiles_n * p->base_m, .col = at % p->tiles_n * p->step_n, .k_first = k,
				 .k_end = min_u32(k + p->share, p->k) };
}

__global__ __aicore__ void matmul_split_k(__gm__ half *a, __gm__ half *b, __gm__ float *c,
					  __gm__ struct split_tiling *t)
{
	struct mm_tiling cut = { t->trans_b, t->base_m, t->base_n, t->base_k, t->step_n, t->step_k };
	struct product p = { (__gm__ uint8_t *)a, (__gm__ uint8_t *)b, (__gm__ uint8_t *)c, t->m, t->n, t->k };
	struct mm mm;

	limit(t->splits > 0, "splits is at least 1");
	p.base_m = t->base_m;
	p.step_n = t->step_n;
	p.share = round_up(ceil_div(t->k, t->splits), 16);
	p.tiles_n = ceil_div(t->n, t->step_n);
	p.tiles_mn = p.tiles_n * ceil_div(t->m, t->base_m);
	mm = mm_of((struct mm_kind){ .type = MM_F16, .atomic = true }, &cut, p.tiles_mn * ceil_div(t->k, p.share), tile_of,
		   &p);
	mm_run(&mm);
}
