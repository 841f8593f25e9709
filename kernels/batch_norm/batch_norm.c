/*
 * batch_norm.c - batch norm over the columns (channels) of x[rows, cols] - NHWC with rows = N H W - in fp32 on the
 * vector cores of the 910B: training (batch statistics, running statistics updated), inference, and the gradient.
 *
 * Statistics need all rows: every block writes its own sums to a workspace, waits for all blocks, and adds the sums of
 * all in block order, so that each knows the same totals, the same at every run. x is read once per sum and once to be
 * scaled: y = x * a + b with one a and b per channel. The variance is the mean of (x - mean)^2, not a difference of
 * large numbers.
 */
#include "../rows.h"

struct batch_norm_tiling {
	uint32_t rows, cols;
	uint32_t tile; /* elements: a multiple of 64 */
};

enum { BN_FLAG = 1 };

enum { V_MEAN, V_A, V_B, V_C, V_SUM, V_SUM2, V_TMP, V_COUNT };

struct batch_norm {
	struct row_stream s;
	struct rows r;
	uint32_t vec[V_COUNT]; /* UB: vectors of `tile` elements */
	bool square;
};

INLINE float inverse(uint32_t n) { return 1.0f / (float)n; }

/* Sums of this block's rows: of x, or of (x - mean)^2. */
INLINE void sum_tile(const void *context, const struct row_tile *t)
{
	const struct batch_norm *b = context;
	uint32_t x = t->in[0];

	if (b->square) {
		ROWS_WITH_VECTOR(vsub, &b->r, t->work, x, b->vec[V_MEAN], t->rows);
		count_lanes(t->rows * b->s.pitch);
		V_BIN(vmul, t->work, t->work, t->work);
		all_lanes();
		x = t->work;
	}
	rows_gather(&b->r, b->vec[V_SUM], x, t->rows, FOLD_SUM);
}

/* y = x * a + b */
INLINE void scale_tile(const void *context, const struct row_tile *t)
{
	const struct batch_norm *b = context;

	ROWS_WITH_VECTOR(vmul, &b->r, t->out[0], t->in[0], b->vec[V_A], t->rows);
	ROWS_WITH_VECTOR(vadd, &b->r, t->out[0], t->out[0], b->vec[V_B], t->rows);
}

/* Sums of dy and of dy * (x - mean). */
INLINE void grad_sum_tile(const void *context, const struct row_tile *t)
{
	const struct batch_norm *b = context;

	rows_gather(&b->r, b->vec[V_SUM], t->in[1], t->rows, FOLD_SUM);
	ROWS_WITH_VECTOR(vsub, &b->r, t->work, t->in[0], b->vec[V_MEAN], t->rows);
	count_lanes(t->rows * b->s.pitch);
	V_BIN(vmul, t->work, t->work, t->in[1]);
	all_lanes();
	rows_gather(&b->r, b->vec[V_SUM2], t->work, t->rows, FOLD_SUM);
}

/* dx = dy * a + x * b + c */
INLINE void grad_tile(const void *context, const struct row_tile *t)
{
	const struct batch_norm *b = context;

	ROWS_WITH_VECTOR(vmul, &b->r, t->out[0], t->in[1], b->vec[V_A], t->rows);
	ROWS_WITH_VECTOR(vmul, &b->r, t->work, t->in[0], b->vec[V_B], t->rows);
	ROWS_WITH_VECTOR(vadd, &b->r, t->work, t->work, b->vec[V_C], t->rows);
	count_lanes(t->rows * b->s.pitch);
	V_BIN(vadd, t->out[0], t->out[0], t->work);
	all_lanes();
}

/* Geometry of a pass with its operands; vectors and reduction places stand at the same addresses in all passes. */
INLINE void plan(struct batch_norm *b, __gm__ const struct batch_norm_tiling *t, uint32_t n_in)
{
	uint32_t at;

	b->s.work = 1;
	b->s.n_in = n_in;
	b->s.n_out = 1;
	for (uint32_t i = 0; i < n_in; i++)
		b->s.in_elem[i] = E_F32;
	b->s.out_elem[0] = E_F32;
	row_share(&b->s, t->rows, t->cols, t->tile);
	at = row_stream_end(&b->s);
	for (uint32_t i = 0; i < V_COUNT; i++, at += b->s.tile * 4)
		b->vec[i] = at;
	limit(at + ROWS_BYTES <= ROWS_UB_SIZE,
	      "tiles and vectors of `tile` elements fit into UB: at most 3072 in inference, 2048 in training");
	all_lanes();
	b->r = rows_at(b->s.cols, b->s.pitch, at);
	fill_f32(b->vec[0], 0.0f, V_COUNT * b->s.tile);
}

/* n vectors of this block's sums to its place in the workspace; all blocks; the totals of all, in block order. */
INLINE void total(const struct batch_norm *b, __gm__ float *workspace, uint32_t n, uint32_t flag)
{
	uint32_t blocks = (uint32_t)get_block_num(), cols = b->s.cols;
	uint32_t room = STAGES * row_stage_bytes(&b->s); /* the tiles' stages are empty now */
	uint32_t step = min_u32(room / (b->s.pitch * 4), FOLD_ROWS);
	__gm__ float *own = workspace + (uint64_t)get_block_idx() * n * cols;

	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	for (uint32_t i = 0; i < n; i++)
		store_bytes(own + i * cols, b->vec[V_SUM + i], 1, cols * 4, 0, 0);
	all_blocks(flag);
	fill_f32(0, 0.0f, room / 4);
	fill_f32(b->vec[V_SUM], 0.0f, n * b->s.tile);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < blocks; k += step) {
			uint32_t rows = min_u32(step, blocks - k);

			PIPE_AFTER(PIPE_V, PIPE_MTE2);
			load_bytes(0, workspace + ((uint64_t)k * n + i) * cols, rows, cols * 4, (n - 1) * cols * 4,
				   row_gap(&b->s, 4));
			PIPE_AFTER(PIPE_MTE2, PIPE_V);
			rows_gather(&b->r, b->vec[V_SUM + i], 0, rows, FOLD_SUM);
		}
}

INLINE void vector_in(const struct batch_norm *b, uint32_t v, __gm__ const float *gm)
{
	load_vector(b->vec[v], gm, b->s.cols, E_F32, 0);
}

INLINE void vector_out(const struct batch_norm *b, __gm__ float *gm, uint32_t v)
{
	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	store_bytes(gm, b->vec[v], 1, b->s.cols * 4, 0, 0);
	PIPE_AFTER(PIPE_MTE3, PIPE_V);
}

/* a = gamma / sqrt(variance + epsilon), b = beta - mean * a; the variance is in V_C. */
INLINE void scale_and_shift(const struct batch_norm *b, __gm__ float *gamma, __gm__ float *beta, float epsilon)
{
	vector_in(b, V_A, gamma);
	vector_in(b, V_B, beta);
	count_lanes(b->s.cols);
	V_SCALAR(vadds, b->vec[V_TMP], b->vec[V_C], epsilon);
	V_UN(vsqrt, b->vec[V_TMP], b->vec[V_TMP]);
	V_BIN(vdiv, b->vec[V_A], b->vec[V_A], b->vec[V_TMP]);
	V_BIN(vmul, b->vec[V_TMP], b->vec[V_MEAN], b->vec[V_A]);
	V_BIN(vsub, b->vec[V_B], b->vec[V_B], b->vec[V_TMP]);
	all_lanes();
}

/* running += momentum * (value - running) */
INLINE void run_on(const struct batch_norm *b, __gm__ float *running, uint32_t value, float momentum)
{
	vector_in(b, V_TMP, running);
	count_lanes(b->s.cols);
	V_BIN(vsub, b->vec[V_SUM], b->vec[value], b->vec[V_TMP]);
	vaxpy(ub_f32(b->vec[V_TMP]), ub_f32(b->vec[V_SUM]), momentum, 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	all_lanes();
	vector_out(b, running, V_TMP);
}

/* workspace: two times blocks x cols floats. mean and variance (biased) are what the gradient needs. */
__global__ __aicore__ void batch_norm_train(__gm__ float *x, __gm__ float *gamma, __gm__ float *beta, __gm__ float *y,
					    __gm__ float *mean, __gm__ float *variance, __gm__ float *running_mean,
					    __gm__ float *running_var, __gm__ float *workspace, float epsilon,
					    float momentum, __gm__ struct batch_norm_tiling *tiling)
{
	struct batch_norm b = { .s = { .in = { x }, .out = { y } } };
	float one = inverse(tiling->rows);

	plan(&b, tiling, 1);
	b.s.n_out = 0;
	row_stream(&b.s, sum_tile, &b);
	total(&b, workspace, 1, BN_FLAG);
	count_lanes(b.s.cols);
	V_SCALAR(vmuls, b.vec[V_MEAN], b.vec[V_SUM], one);
	all_lanes();
	fill_f32(b.vec[V_SUM], 0.0f, b.s.tile);
	b.square = true;
	row_stream(&b.s, sum_tile, &b);
	total(&b, workspace + (uint64_t)get_block_num() * b.s.cols, 1, BN_FLAG + 1);
	count_lanes(b.s.cols);
	V_SCALAR(vmuls, b.vec[V_C], b.vec[V_SUM], one);
	all_lanes();
	scale_and_shift(&b, gamma, beta, epsilon);
	if (get_block_idx() == 0) {
		vector_out(&b, mean, V_MEAN);
		vector_out(&b, variance, V_C);
		run_on(&b, running_mean, V_MEAN, momentum);
		run_on(&b, running_var, V_C, momentum);
	}
	b.s.n_out = 1;
	PIPE_AFTER(PIPE_MTE3, PIPE_V);
	row_stream(&b.s, scale_tile, &b);
}

__global__ __aicore__ void batch_norm_infer(__gm__ float *x, __gm__ float *gamma, __gm__ float *beta, __gm__ float *mean,
					    __gm__ float *variance, __gm__ float *y, float epsilon,
					    __gm__ struct batch_norm_tiling *tiling)
{
	struct batch_norm b = { .s = { .in = { x }, .out = { y } } };

	plan(&b, tiling, 1);
	vector_in(&b, V_MEAN, mean);
	vector_in(&b, V_C, variance);
	scale_and_shift(&b, gamma, beta, epsilon);
	row_stream(&b.s, scale_tile, &b);
}

/*
 * With s = sqrt(variance + epsilon): dbeta = sum dy, dgamma = sum dy (x - mean) / s,
 * dx = gamma / s * (dy - dbeta / rows - (x - mean) / s * dgamma / rows) = dy * a + x * b + c.
 */
__global__ __aicore__ void batch_norm_grad(__gm__ float *x, __gm__ float *dy, __gm__ float *gamma, __gm__ float *mean,
					   __gm__ float *variance, __gm__ float *dx, __gm__ float *dgamma,
					   __gm__ float *dbeta, __gm__ float *workspace, float epsilon,
					   __gm__ struct batch_norm_tiling *tiling)
{
	struct batch_norm b = { .s = { .in = { x, dy }, .out = { dx } } };
	float one = inverse(tiling->rows);

	plan(&b, tiling, 2);
	vector_in(&b, V_MEAN, mean);
	b.s.n_out = 0;
	row_stream(&b.s, grad_sum_tile, &b);
	b.s.n_out = 1;
	total(&b, workspace, 2, BN_FLAG);
	vector_in(&b, V_C, variance);
	vector_in(&b, V_A, gamma);
	count_lanes(b.s.cols);
	V_SCALAR(vadds, b.vec[V_TMP], b.vec[V_C], epsilon);
	V_UN(vsqrt, b.vec[V_TMP], b.vec[V_TMP]);
	V_BIN(vdiv, b.vec[V_SUM2], b.vec[V_SUM2], b.vec[V_TMP]); /* dgamma */
	V_BIN(vdiv, b.vec[V_A], b.vec[V_A], b.vec[V_TMP]);
	V_BIN(vmul, b.vec[V_B], b.vec[V_A], b.vec[V_SUM2]);
	V_BIN(vdiv, b.vec[V_B], b.vec[V_B], b.vec[V_TMP]);
	V_SCALAR(vmuls, b.vec[V_B], b.vec[V_B], -one);
	V_BIN(vmul, b.vec[V_C], b.vec[V_A], b.vec[V_SUM]);
	V_SCALAR(vmuls, b.vec[V_C], b.vec[V_C], -one);
	V_BIN(vmul, b.vec[V_TMP], b.vec[V_B], b.vec[V_MEAN]);
	V_BIN(vsub, b.vec[V_C], b.vec[V_C], b.vec[V_TMP]);
	all_lanes();
	if (get_block_idx() == 0) {
		vector_out(&b, dbeta, V_SUM);
		vector_out(&b, dgamma, V_SUM2);
	}
	row_stream(&b.s, grad_tile, &b);
}
