/*
 * broadcast.c - y[outer, axis, inner] = x[outer, inner], elements of 2 or 4 bytes, on the vector cores of the 910B: x
 * repeated along any axis. A piece of x comes into UB once. inner > 1: copied in UB until a store of several
 * repetitions is worth its start, when rows end with a block of 32 bytes; else stored once per repetition. inner = 1:
 * each value of x fills a row in UB.
 */
#include "../vec.h"

struct broadcast_tiling {
	uint32_t outer, axis, inner;
};

enum { PIECE = 0x8000 /* bytes of y in a stage */, UB_IN = 0, UB_OUT = 2 * PIECE, UB_BLOCKS = 4 * PIECE, VALUES = 64 };

struct broadcast {
	__gm__ uint8_t *x, *y;
	uint32_t outer, axis, inner, size;
};

INLINE void fill_row(uint32_t dst, uint32_t block, uint32_t n, uint32_t size)
{
	count_lanes(n);
	if (size == 2)
		vcopy(ub_u16(dst), ub_u16(block), 1, 1, 0, 8, 0);
	else
		vcopy(ub_u32(dst), ub_u32(block), 1, 1, 0, 8, 0);
	all_lanes();
}

/* ---- inner = 1: units are rows; 64 values of x at a time ---- */

INLINE void rows(const struct broadcast *b)
{
	struct span own = span_of_block(b->outer);
	uint32_t piece = PIECE / b->size, stage = 0;

	for (uint32_t done = 0; done < own.count; done += VALUES) {
		uint32_t n = min_u32(VALUES, own.count - done);

		wait_flag(PIPE_V, PIPE_MTE2, 0);
		load_bytes(UB_IN, b->x + (uint64_t)(own.first + done) * b->size, 1, n * b->size, 0, 0);
		set_flag(PIPE_MTE2, PIPE_V, 0);
		wait_flag(PIPE_MTE2, PIPE_V, 0);
		pipe_barrier(PIPE_V);
		if (b->size == 2)
			vbrcb(ub_u16(UB_BLOCKS), ub_u16(UB_IN), 1, 8, (uint8_t)ceil_div(n, 8));
		else
			vbrcb(ub_u32(UB_BLOCKS), ub_u32(UB_IN), 1, 8, (uint8_t)ceil_div(n, 8));
		pipe_barrier(PIPE_V);
		set_flag(PIPE_V, PIPE_MTE2, 0);
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t at = 0; at < b->axis; at += piece, stage++) {
				uint32_t s = stage % STAGES, len = min_u32(piece, b->axis - at), ub = UB_OUT + s * PIECE;
				uint64_t to = (uint64_t)(own.first + done + i) * b->axis + at;

				wait_flag(PIPE_MTE3, PIPE_V, s);
				fill_row(ub, UB_BLOCKS + i * 32, len, b->size);
				set_flag(PIPE_V, PIPE_MTE3, s);
				wait_flag(PIPE_V, PIPE_MTE3, s);
				store_bytes(b->y + to * b->size, ub, 1, len * b->size, 0, 0);
				set_flag(PIPE_MTE3, PIPE_V, s);
			}
	}
}

/* ---- inner > 1: units are pieces of rows of x ---- */

/* `have` bytes at ub, a multiple of 32, become up to `want` times as many by doubling; returns how many times. */
INLINE uint32_t multiply(uint32_t ub, uint32_t have, uint32_t want)
{
	uint32_t times = 1;

	while (times * 2 <= want && times * 2 * have <= PIECE) {
		count_lanes(times * have / 4);
		vcopy(ub_u32(ub + times * have), ub_u32(ub), 1, 1, 1, 8, 8);
		pipe_barrier(PIPE_V);
		times *= 2;
	}
	all_lanes();
	return times;
}

INLINE void pieces(const struct broadcast *b)
{
	uint32_t width = min_u32(b->inner, PIECE / b->size), per_row = ceil_div(b->inner, width);
	struct span own = span_of_block(b->outer * per_row);
	uint32_t whole = per_row == 1 && width * b->size % 32 == 0; /* rows of y follow each other, and so may copies in UB */

	for (uint32_t i = 0; i < own.count; i++) {
		uint32_t row = (own.first + i) / per_row, col = (own.first + i) % per_row * width;
		uint32_t len = min_u32(width, b->inner - col) * b->size, s = i % STAGES, ub = UB_IN + s * PIECE, times = 1;

		wait_flag(PIPE_MTE3, PIPE_V, s); /* what this stage held has left */
		set_flag(PIPE_V, PIPE_MTE2, 2);
		wait_flag(PIPE_V, PIPE_MTE2, 2);
		load_bytes(ub, b->x + ((uint64_t)row * b->inner + col) * b->size, 1, len, 0, 0);
		set_flag(PIPE_MTE2, PIPE_V, 2);
		wait_flag(PIPE_MTE2, PIPE_V, 2);
		if (whole)
			times = multiply(ub, len, b->axis);
		set_flag(PIPE_V, PIPE_MTE3, s);
		wait_flag(PIPE_V, PIPE_MTE3, s);
		for (uint32_t a = 0; a < b->axis; a += times) {
			uint64_t to = ((uint64_t)row * b->axis + a) * b->inner + col;

			store_bytes(b->y + to * b->size, ub, 1, len * min_u32(times, b->axis - a), 0, 0);
		}
		set_flag(PIPE_MTE3, PIPE_V, s);
	}
}

INLINE void broadcast(__gm__ void *x, __gm__ void *y, uint32_t size, __gm__ const struct broadcast_tiling *t)
{
	struct broadcast b = { .x = x, .y = y, .outer = t->outer, .axis = t->axis, .inner = t->inner, .size = size };

	all_lanes();
	/* vbrcb reads eight values at a time: those behind the last shall be defined */
	fill_f32(UB_IN, 0.0f, 64);
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	stages_free();
	if (b.inner == 1)
		rows(&b);
	else
		pieces(&b);
	stages_drain();
}

__global__ __aicore__ void broadcast_b16(__gm__ half *x, __gm__ half *y, __gm__ struct broadcast_tiling *tiling)
{
	broadcast(x, y, 2, tiling);
}

__global__ __aicore__ void broadcast_b32(__gm__ float *x, __gm__ float *y, __gm__ struct broadcast_tiling *tiling)
{
	broadcast(x, y, 4, tiling);
}
