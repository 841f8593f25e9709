/*
 * softmax_grad.c - dx = y * (dy - sum of dy * y over the row): gradient of softmax over the rows of [rows, cols],
 * from its output y; fp32, or fp16 computed in fp32, on the vector cores of the 910B and the
 * fused cores of the 910 and 310P. Tiles of whole rows.
 */
#include "../rows.h"

struct softmax_grad_tiling {
	uint32_t rows, cols;
	uint32_t tile; /* elements: a multiple of 64 */
};

struct softmax_grad {
	struct row_stream s;
	struct rows r;
};

INLINE void grad_tile(const void *context, const struct row_tile *t)
{
	const struct softmax_grad *g = context;
	enum elem e = g->s.in_elem[0];
	uint32_t a = t->work, b = a + g->s.tile * 4, c = b + g->s.tile * 4;
	uint32_t y = tile_f32(&g->s, a, t->in[0], t->rows, e), dy = tile_f32(&g->s, b, t->in[1], t->rows, e);
	uint32_t dx = f32_place(t->out[0], c, e);

	count_lanes(t->rows * g->s.pitch);
	V_BIN(vmul, c, y, dy);
	all_lanes();
	rows_reduce(&g->r, c, t->rows, FOLD_SUM);
	ROWS_WITH_BLOCKS(vsub, &g->r, c, dy, g->r.broad, t->rows);
	count_lanes(t->rows * g->s.pitch);
	V_BIN(vmul, dx, c, y);
	all_lanes();
	tile_from_f32(&g->s, t->out[0], dx, t->rows, e);
}

INLINE void softmax_grad(enum elem e, __gm__ void *y, __gm__ void *dy, __gm__ void *dx,
			 __gm__ const struct softmax_grad_tiling *tiling)
{
	struct softmax_grad g = { .s = { .n_in = 2, .n_out = 1, .work = 3, .in_elem = { e, e }, .out_elem = { e },
					 .in = { y, dy }, .out = { dx } } };

	row_share(&g.s, tiling->rows, tiling->cols, tiling->tile);
	limit(row_stream_end(&g.s) + ROWS_BYTES <= ROWS_UB_SIZE,
	      "tiles of `tile` elements fit into UB: at most 3072 in fp32, 4096 in fp16");
	all_lanes();
	g.r = rows_at(g.s.cols, g.s.pitch, row_stream_end(&g.s));
	row_stream(&g.s, grad_tile, &g);
}

__global__ __aicore__ void softmax_grad_f32(__gm__ float *y, __gm__ float *dy, __gm__ float *dx,
					    __gm__ struct softmax_grad_tiling *tiling)
{
	softmax_grad(E_F32, y, dy, dx, tiling);
}

__global__ __aicore__ void softmax_grad_f16(__gm__ half *y, __gm__ half *dy, __gm__ half *dx,
					    __gm__ struct softmax_grad_tiling *tiling)
{
	softmax_grad(E_F16, y, dy, dx, tiling);
}
