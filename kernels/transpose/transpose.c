/*
 * transpose.c - y[b][j][i] = x[b][i][j] for matrices of 2- or 4-byte elements on the vector cores of the 910B.
 * Squares of `side` elements go through UB; scatter_vnchwconv turns 16 x 16 elements of 2 bytes, 16 x 8 of 4 bytes,
 * at a time.
 */
#include "../vec.h"

struct transpose_tiling {
	uint32_t batch, rows, cols;
};

/* 128 x 128 of 2 bytes or 64 x 64 of 4: rows of 256 bytes, eight blocks; two stages of source and of result. */
enum { ROW_BYTES = 256, ROW_BLOCKS = 8, UB_SRC = 0, UB_DST = 0x10000, UB_STAGE = 0x8000 };

struct transpose {
	__gm__ uint8_t *x, *y;
	uint32_t rows, cols, size, side;
	uint32_t tiles_r, tiles_c;
};

struct square {
	uint64_t from, to; /* elements */
	uint32_t rows, cols;
};

INLINE struct square square_at(const struct transpose *t, uint32_t i)
{
	uint32_t col = i % t->tiles_c * t->side, row = i / t->tiles_c % t->tiles_r * t->side;
	uint64_t matrix = (uint64_t)(i / t->tiles_c / t->tiles_r) * t->rows * t->cols;

	return (struct square){ .from = matrix + (uint64_t)row * t->cols + col,
				.to = matrix + (uint64_t)col * t->rows + row,
				.rows = min_u32(t->side, t->rows - row), .cols = min_u32(t->side, t->cols - col) };
}

/* Blocks of a row in UB that a run of `elements` leaves out, so that rows start ROW_BYTES apart. */
INLINE uint32_t gap_of(const struct transpose *t, uint32_t elements)
{
	return ROW_BLOCKS - ceil_div(elements * t->size, 32);
}

INLINE void load(const struct transpose *t, struct square q, uint32_t stage)
{
	wait_flag(PIPE_V, PIPE_MTE2, stage);
	load_bytes(UB_SRC + stage * UB_STAGE, t->x + q.from * t->size, q.rows, q.cols * t->size,
		   (t->cols - q.cols) * t->size, gap_of(t, q.cols));
	set_flag(PIPE_MTE2, PIPE_V, stage);
}

INLINE void store(const struct transpose *t, struct square q, uint32_t stage)
{
	set_flag(PIPE_V, PIPE_MTE3, stage);
	wait_flag(PIPE_V, PIPE_MTE3, stage);
	store_bytes(t->y + q.to * t->size, UB_DST + stage * UB_STAGE, q.cols, q.rows * t->size, gap_of(t, q.rows),
		    (t->rows - q.rows) * t->size);
	set_flag(PIPE_MTE3, PIPE_V, stage);
}

/*
 * A column of blocks of the source, 16 rows per repeat: sixteen rows of one block each become, for 2-byte elements,
 * sixteen rows of one block; for 4-byte elements eight rows of two blocks.
 */
INLINE void turn(const struct transpose *t, struct square q, uint32_t stage)
{
	uint8_t repeats = (uint8_t)ceil_div(q.rows, 16);
	uint64_t src[16], dst[16];

	for (uint32_t block = 0; block < ceil_div(q.cols * t->size, 32); block++) {
		uint32_t from = UB_SRC + stage * UB_STAGE + block * 32;
		uint32_t to = UB_DST + stage * UB_STAGE + block * (32 / t->size) * ROW_BYTES;

#pragma clang loop unroll(full)
		for (uint32_t i = 0; i < 16; i++) {
			src[i] = from + i * ROW_BYTES;
			dst[i] = t->size == 2 ? to + i * ROW_BYTES : to + i / 2 * ROW_BYTES + i % 2 * 32;
		}
		set_va_reg_sb(VA0, dst);
		set_va_reg_sb(VA1, dst + 8);
		set_va_reg_sb(VA2, src);
		set_va_reg_sb(VA3, src + 8);
		if (t->size == 2)
			scatter_vnchwconv_b16(VA0, VA2, repeats, repeats > 1 ? 1 : 0,
					      repeats > 1 ? 16 * ROW_BLOCKS : 0);
		else
			scatter_vnchwconv_b32(VA0, VA2, repeats, repeats > 1 ? 2 : 0,
					      repeats > 1 ? 16 * ROW_BLOCKS : 0);
	}
}

INLINE void transpose(__gm__ void *x, __gm__ void *y, uint32_t size, __gm__ const struct transpose_tiling *tiling)
{
	struct transpose t = { .x = x, .y = y, .rows = tiling->rows, .cols = tiling->cols, .size = size,
			       .side = ROW_BYTES / size };
	struct span own;

	t.tiles_r = ceil_div(t.rows, t.side);
	t.tiles_c = ceil_div(t.cols, t.side);
	own = span_of_block(tiling->batch * t.tiles_r * t.tiles_c);
	if (!own.count)
		return;
	/* rows that fill no sixteen are turned too: what they hold is defined, and never stored */
	fill_f32(UB_SRC, 0.0f, STAGES * UB_STAGE / 4);
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	stages_free();
	load(&t, square_at(&t, own.first), 0);
	for (uint32_t i = 0; i < own.count; i++) {
		struct square q = square_at(&t, own.first + i);
		uint32_t stage = i % STAGES;

		if (i + 1 < own.count)
			load(&t, square_at(&t, own.first + i + 1), (i + 1) % STAGES);
		wait_flag(PIPE_MTE2, PIPE_V, stage);
		wait_flag(PIPE_MTE3, PIPE_V, stage);
		turn(&t, q, stage);
		set_flag(PIPE_V, PIPE_MTE2, stage);
		store(&t, q, stage);
	}
	stages_drain();
}

__global__ __aicore__ void transpose_b16(__gm__ half *x, __gm__ half *y, __gm__ struct transpose_tiling *tiling)
{
	transpose(x, y, 2, tiling);
}

__global__ __aicore__ void transpose_b32(__gm__ float *x, __gm__ float *y, __gm__ struct transpose_tiling *tiling)
{
	transpose(x, y, 4, tiling);
}
