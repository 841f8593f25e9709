/*
 * layer_norm.c - layer norm and RMS norm over the rows of x[rows, cols], and their gradients, on the vector cores of
 * the 910B and the fused cores of the 910 and 310P; fp32, or fp16 computed in fp32 (forward). Tiles of
 * whole rows; a row has to fit into a tile.
 *
 *   y = (x - mean) / sqrt(variance + epsilon) * gamma + beta          y = x / sqrt(mean of squares + epsilon) * gamma
 *
 * Backward, with x^ the normalised x and g = dy * gamma: dx = (g - mean(g) - x^ * mean(g x^)) / sqrt(...), without
 * mean(g) for RMS norm. dgamma = sum of dy x^, dbeta = sum of dy over rows: each block adds its own sum to GM
 * atomically.
 */
#include "../rows.h"

struct norm_tiling {
	uint32_t rows, cols;
	uint32_t tile; /* elements: a multiple of 64 */
};

struct norm {
	struct row_stream s;
	struct rows r;
	bool rms;
	float epsilon;
	uint32_t gamma, beta;       /* UB: pitch elements each; gradients: beta is the sum of dy */
	uint32_t dgamma, broad_std; /* gradients */
};

/* A block per row at `broad`: sqrt(mean of the squares at `squares` + epsilon). */
INLINE void deviation(const struct norm *n, uint32_t squares, uint32_t rows, uint32_t broad)
{
	rows_stat(&n->r, squares, rows, FOLD_SUM);
	count_lanes(rows);
	V_SCALAR(vmuls, n->r.stat, n->r.stat, 1.0f / (float)n->s.cols);
	V_SCALAR(vadds, n->r.stat, n->r.stat, n->epsilon);
	V_UN(vsqrt, n->r.stat, n->r.stat);
	all_lanes();
	rows_spread(&n->r, n->r.stat, broad, rows);
}

/* A block per row at `broad`: the mean of the row at `from`. */
INLINE void mean(const struct norm *n, uint32_t from, uint32_t rows, uint32_t broad)
{
	rows_stat(&n->r, from, rows, FOLD_SUM);
	count_lanes(rows);
	V_SCALAR(vmuls, n->r.stat, n->r.stat, 1.0f / (float)n->s.cols);
	all_lanes();
	rows_spread(&n->r, n->r.stat, broad, rows);
}

INLINE void square(const struct norm *n, uint32_t dst, uint32_t src, uint32_t rows)
{
	count_lanes(rows * n->s.pitch);
	V_BIN(vmul, dst, src, src);
	all_lanes();
}

INLINE void norm_tile(const void *context, const struct row_tile *t)
{
	const struct norm *n = context;
	enum elem e = n->s.in_elem[0];
	uint32_t a = t->work, b = a + n->s.tile * 4, x = tile_f32(&n->s, a, t->in[0], t->rows, e);
	uint32_t y = f32_place(t->out[0], a, e);

	if (!n->rms) {
		mean(n, x, t->rows, n->r.broad);
		ROWS_WITH_BLOCKS(vsub, &n->r, a, x, n->r.broad, t->rows);
		x = a;
	}
	square(n, b, x, t->rows);
	deviation(n, b, t->rows, n->r.broad);
	ROWS_WITH_BLOCKS(vdiv, &n->r, a, x, n->r.broad, t->rows);
	ROWS_WITH_VECTOR(vmul, &n->r, y, a, n->gamma, t->rows);
	if (!n->rms)
		ROWS_WITH_VECTOR(vadd, &n->r, y, y, n->beta, t->rows);
	tile_from_f32(&n->s, t->out[0], y, t->rows, e);
}

INLINE void norm(bool rms, enum elem e, __gm__ void *x, __gm__ void *gamma, __gm__ void *beta, __gm__ void *y,
		 float epsilon, __gm__ const struct norm_tiling *tiling)
{
	struct norm n = { .rms = rms, .epsilon = epsilon,
			  .s = { .n_in = 1, .n_out = 1, .work = 2, .in_elem = { e }, .out_elem = { e }, .in = { x },
				 .out = { y } } };
	uint32_t vector = tiling->tile * 4;

	row_share(&n.s, tiling->rows, tiling->cols, tiling->tile);
	n.gamma = row_stream_end(&n.s);
	n.beta = n.gamma + vector;
	limit(n.beta + vector + ROWS_BYTES <= ROWS_UB_SIZE, "tiles of `tile` elements fit into UB: at most 4096");
	all_lanes();
	n.r = rows_at(n.s.cols, n.s.pitch, n.beta + vector);
	fill_f32(n.gamma, 0.0f, 2 * tiling->tile);
	load_vector(n.gamma, gamma, n.s.cols, e, n.r.fold);
	if (!rms)
		load_vector(n.beta, beta, n.s.cols, e, n.r.fold);
	row_stream(&n.s, norm_tile, &n);
}

/* ---- gradients, fp32 ---- */

INLINE void grad_tile(const void *context, const struct row_tile *t)
{
	const struct norm *n = context;
	uint32_t a = t->work, b = a + n->s.tile * 4, x = t->in[0], dy = t->in[1], dx = t->out[0];

	if (!n->rms) {
		mean(n, x, t->rows, n->r.broad);
		ROWS_WITH_BLOCKS(vsub, &n->r, a, x, n->r.broad, t->rows);
		rows_gather(&n->r, n->beta, dy, t->rows, FOLD_SUM);
		x = a;
	}
	square(n, b, x, t->rows);
	deviation(n, b, t->rows, n->broad_std);
	ROWS_WITH_BLOCKS(vdiv, &n->r, a, x, n->broad_std, t->rows); /* x^ */
	count_lanes(t->rows * n->s.pitch);
	V_BIN(vmul, b, dy, a);
	all_lanes();
	rows_gather(&n->r, n->dgamma, b, t->rows, FOLD_SUM);
	ROWS_WITH_VECTOR(vmul, &n->r, dx, dy, n->gamma, t->rows); /* g */
	count_lanes(t->rows * n->s.pitch);
	V_BIN(vmul, b, dx, a);
	all_lanes();
	mean(n, b, t->rows, n->r.broad);
	ROWS_WITH_BLOCKS(vmul, &n->r, a, a, n->r.broad, t->rows);
	if (!n->rms) {
		mean(n, dx, t->rows, n->r.broad);
		ROWS_WITH_BLOCKS(vsub, &n->r, dx, dx, n->r.broad, t->rows);
	}
	count_lanes(t->rows * n->s.pitch);
	V_BIN(vsub, dx, dx, a);
	all_lanes();
	ROWS_WITH_BLOCKS(vdiv, &n->r, dx, dx, n->broad_std, t->rows);
}

/*
 * From add_start to set_atomic_none, add_vector adds n sums of this block to GM. Where copies are whole units of 32 bytes the
 * last n % 8 go in a unit of their own, with zeros for those that it shares with the one before.
 */
#if __NPU_ARCH__ == 2201

INLINE void add_start(void)
{
	set_atomic_f32();
	set_atomic_add();
}

INLINE void add_vector(__gm__ float *gm, uint32_t ub, uint32_t n, uint32_t k)
{
	store_bytes(gm, ub, 1, n * 4, 0, 0);
	(void)k;
}

#else

INLINE void add_start(void) { set_atomic_f32(); }

INLINE void add_vector(__gm__ float *gm, uint32_t ub, uint32_t n, uint32_t k)
{
	uint32_t unit = edge_place(0, k);

	copy_ubuf_to_gm(gm, ub_f32(ub), 0, 1, (uint16_t)(n / 8), 0, 0);
	if (n % 8 == 0)
		return;
	PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t i = 0; i < 8; i++)
		ub_f32(unit)[i] = i < 8 - n % 8 ? 0.0f : ub_f32(ub)[n - 8 + i];
	EDGE_FULL(0, k);
	copy_ubuf_to_gm(gm + n - 8, ub_f32(unit), 0, 1, 1, 0, 0);
}

#endif

INLINE void norm_grad(bool rms, __gm__ float *x, __gm__ float *dy, __gm__ float *gamma, __gm__ float *dx,
		      __gm__ float *dgamma, __gm__ float *dbeta, float epsilon, __gm__ const struct norm_tiling *tiling)
{
	struct norm n = { .rms = rms, .epsilon = epsilon,
			  .s = { .n_in = 2, .n_out = 1, .work = 2, .in_elem = { E_F32, E_F32 }, .out_elem = { E_F32 },
				 .in = { x, dy }, .out = { dx } } };
	uint32_t vector = tiling->tile * 4;

	limit(COPIES_BYTES || tiling->cols >= 8, "on the fused cores gradients of at least 8 columns");
	row_share(&n.s, tiling->rows, tiling->cols, tiling->tile);
	if (!n.s.count)
		return;
	n.gamma = row_stream_end(&n.s);
	n.beta = n.gamma + vector;
	n.dgamma = n.beta + vector;
	n.broad_std = n.dgamma + vector;
	limit(n.broad_std + ROWS_BROAD_BYTES + ROWS_BYTES <= ROWS_UB_SIZE, "tiles of `tile` elements fit into UB: at most 3072");
	all_lanes();
	n.r = rows_at(n.s.cols, n.s.pitch, n.broad_std + ROWS_BROAD_BYTES);
	fill_f32(n.gamma, 0.0f, 3 * tiling->tile);
	load_vector(n.gamma, gamma, n.s.cols, E_F32, 0);
	row_stream(&n.s, grad_tile, &n);
	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	add_start();
	add_vector(dgamma, n.dgamma, n.s.cols, 0);
	if (!rms)
		add_vector(dbeta, n.beta, n.s.cols, 1);
	set_atomic_none();
}

#define ENTRIES(type, elem, suffix)                                                                                    \
	__global__ __aicore__ void layer_norm_##suffix(__gm__ type *x, __gm__ type *gamma, __gm__ type *beta,          \
						       __gm__ type *y, float epsilon,                                  \
						       __gm__ struct norm_tiling *tiling)                              \
	{                                                                                                              \
		norm(false, elem, x, gamma, beta, y, epsilon, tiling);                                                 \
	}                                                                                                              \
	__global__ __aicore__ void rms_norm_##suffix(__gm__ type *x, __gm__ type *gamma, __gm__ type *y,               \
						     float epsilon, __gm__ struct norm_tiling *tiling)                 \
	{                                                                                                              \
		norm(true, elem, x, gamma, NULL, y, epsilon, tiling);                                                  \
	}

ENTRIES(float, E_F32, f32)
ENTRIES(half, E_F16, f16)

/* dgamma and dbeta are added to: zero before the launch. */
__global__ __aicore__ void layer_norm_grad(__gm__ float *x, __gm__ float *dy, __gm__ float *gamma, __gm__ float *dx,
					   __gm__ float *dgamma, __gm__ float *dbeta, float epsilon,
					   __gm__ struct norm_tiling *tiling)
{
	norm_grad(false, x, dy, gamma, dx, dgamma, dbeta, epsilon, tiling);
}

__global__ __aicore__ void rms_norm_grad(__gm__ float *x, __gm__ float *dy, __gm__ float *gamma, __gm__ float *dx,
					 __gm__ float *dgamma, float epsilon, __gm__ struct norm_tiling *tiling)
{
	norm_grad(true, x, dy, gamma, dx, dgamma, NULL, epsilon, tiling);
}
