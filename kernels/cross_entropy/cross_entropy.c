/*
 * cross_entropy.c - softmax cross-entropy over the rows of logits[rows, classes] with one label each, fp32, on the
 * vector cores of the 910B and the fused cores of the 910 and 310P: loss[row] = ln(sum exp(x - max)) - (x[label] - max),
 * and its gradient grad = (softmax(x) - one_hot(label)) * scale. Tiles of whole rows; scale is usually loss scale / rows.
 */
#include "../rows.h"

struct cross_entropy_tiling {
	uint32_t rows, classes;
	uint32_t tile; /* elements: a multiple of 64 */
};

struct cross_entropy {
	struct row_stream s;
	struct rows r;
	__gm__ int32_t *label;
	__gm__ float *loss;
	float scale;
	uint32_t number;             /* UB: 0, 1, 2 .. classes - 1 */
	uint32_t labels, log_sum;    /* UB: 256 values each */
	uint32_t zero;               /* UB: a block of zeros */
};

/* ---- what differs between chips: labels, losses, relu ---- */

#if __NPU_ARCH__ == 2201

enum { SHARE_UNIT = 1 };

INLINE void labels_in(const struct cross_entropy *c, const struct row_tile *t)
{
	load_bytes(c->labels, c->label + t->first, 1, t->rows * 4, 0, 0);
}

INLINE void loss_out(const struct cross_entropy *c, const struct row_tile *t)
{
	PIPE_AFTER(PIPE_V, PIPE_MTE3);
	store_bytes(c->loss + t->first, c->labels, 1, t->rows * 4, 0, 0);
	PIPE_AFTER(PIPE_MTE3, PIPE_V);
}

INLINE void losses_end(const struct cross_entropy *c) { (void)c; }

INLINE void relu(const struct cross_entropy *c, uint32_t y)
{
	V_UN(vrelu, y, y);
	(void)c;
}

#else

enum { SHARE_UNIT = 16 }; /* losses of a line of the data cache: a line has one writer */

INLINE void labels_in(const struct cross_entropy *c, const struct row_tile *t)
{
	rows_in(c->labels, c->label + t->first, 1, t->rows * 4, 0, 0, (c->s.rows - t->first) * 4, 4);
}

/* A tile has too few losses for a copy: the scalar unit stores them. */
INLINE void loss_out(const struct cross_entropy *c, const struct row_tile *t)
{
	PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t i = 0; i < t->rows; i++)
		c->loss[t->first + i] = ub_f32(c->labels)[i];
	PIPE_AFTER(PIPE_S, PIPE_V);
}

INLINE void losses_end(const struct cross_entropy *c) { dcci(c->loss, ENTIRE_DATA_CACHE, CACHELINE_OUT); }

/* the 910 has relu for fp16 alone */
INLINE void relu(const struct cross_entropy *c, uint32_t y) { V_BIN_ALL(vmax, y, y, c->zero); }

#endif

/* ---- the same for all ---- */

/* Labels of the tile, a block per row. Small beside the tile: not worth a stage. */
INLINE void take_labels(const struct cross_entropy *c, const struct row_tile *t)
{
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	labels_in(c, t);
	PIPE_AFTER(PIPE_MTE2, PIPE_V);
	count_lanes(t->rows);
	vconv_s322f32(ub_f32(c->labels), ub_s32(c->labels), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	all_lanes();
	rows_spread(&c->r, c->labels, c->r.broad, t->rows);
}

/* 1 where the class is the row's label, else 0: max(1 - |class - label|, 0), exact for whole numbers. */
INLINE void one_hot(const struct cross_entropy *c, uint32_t dst, uint32_t rows)
{
	count_lanes(rows * c->s.pitch);
	vector_dup(ub_f32(dst), 0.0f, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	all_lanes();
	ROWS_WITH_VECTOR(vadd, &c->r, dst, dst, c->number, rows);
	ROWS_WITH_BLOCKS(vsub, &c->r, dst, dst, c->r.broad, rows);
	count_lanes(rows * c->s.pitch);
	V_UN(vabs, dst, dst);
	V_SCALAR(vmuls, dst, dst, -1.0f);
	V_SCALAR(vadds, dst, dst, 1.0f);
	relu(c, dst);
	all_lanes();
}

/* loss = ln(sum) - stat, to GM. */
INLINE void put_loss(const struct cross_entropy *c, const struct row_tile *t)
{
	count_lanes(t->rows);
	V_UN(vln, c->log_sum, c->log_sum);
	PIPE_AFTER(PIPE_MTE3, PIPE_V); /* the loss of the tile before has left */
	V_BIN(vsub, c->labels, c->log_sum, c->r.stat);
	all_lanes();
	loss_out(c, t);
}

INLINE void loss_tile(const void *context, const struct row_tile *t)
{
	const struct cross_entropy *c = context;
	uint32_t n = t->rows * c->s.pitch, a = t->work, b = a + c->s.tile * 4, hot = b + c->s.tile * 4;

	take_labels(c, t);
	one_hot(c, hot, t->rows);
	rows_reduce(&c->r, t->in[0], t->rows, FOLD_MAX);
	ROWS_WITH_BLOCKS(vsub, &c->r, a, t->in[0], c->r.broad, t->rows);
	count_lanes(n);
	V_UN(vexp, b, a);
	V_BIN(vmul, a, a, hot);
	all_lanes();
	rows_reduce(&c->r, b, t->rows, FOLD_SUM);
	ROWS_WITH_BLOCKS(vdiv, &c->r, b, b, c->r.broad, t->rows);
	move_f32(c->log_sum, c->r.stat, t->rows);
	rows_stat(&c->r, a, t->rows, FOLD_SUM);
	put_loss(c, t);
	count_lanes(n);
	V_BIN(vsub, b, b, hot);
	V_SCALAR(vmuls, t->out[0], b, c->scale);
	all_lanes();
}

__global__ __aicore__ void cross_entropy(__gm__ float *logits, __gm__ int32_t *label, __gm__ float *loss,
					 __gm__ float *grad, float scale, __gm__ struct cross_entropy_tiling *tiling)
{
	struct cross_entropy c = { .s = { .n_in = 1, .n_out = 1, .work = 3, .in_elem = { E_F32 }, .out_elem = { E_F32 },
					  .in = { logits }, .out = { grad } },
				   .label = label, .loss = loss, .scale = scale };

	row_share_of(&c.s, tiling->rows, tiling->classes, tiling->tile, SHARE_UNIT);
	c.number = row_stream_end(&c.s);
	c.labels = c.number + c.s.tile * 4;
	c.log_sum = c.labels + 1024;
	c.zero = edge_end();
	limit(c.log_sum + 1024 + ROWS_BYTES <= ROWS_UB_SIZE, "tiles of `tile` elements fit into UB: at most 3072");
	all_lanes();
	c.r = rows_at(c.s.cols, c.s.pitch, c.log_sum + 1024);
	fill_f32(c.labels, 0.0f, 512);
	for (uint32_t i = 0; i < 16; i++)
		ub_f32(c.number)[i] = (float)i;
	PIPE_AFTER(PIPE_S, PIPE_V);
	for (uint32_t have = 16; have < c.s.pitch; have *= 2) {
		count_lanes(min_u32(have, c.s.pitch - have));
		V_SCALAR(vadds, c.number + have * 4, c.number, (float)have);
	}
	all_lanes();
	if (!COPIES_BYTES)
		fill_f32(c.zero, 0.0f, 8);
	row_stream(&c.s, loss_tile, &c);
	losses_end(&c);
}
