/*
 * concat.c - matrices of bytes [rows, piece[i]] put beside each other (the Concat of CANN-S9-910B): through UB in tiles of
 * at most 64 KB, two buffers. A block takes a band of rows and a range of columns of the output. The inputs lie one after
 * another in one buffer, each at a multiple of 512 bytes.
 */
#include <stdint.h>

enum { TILE = 0x10000, INPUTS = 256 };

struct concat {
	uint32_t rows, inputs;
	uint32_t row_slices, col_cores, col_bytes; /* bands of rows, ranges of columns, bytes of a range */
	uint32_t prologue;      /* ticks of the system counter that a framework takes before the first load */
	uint32_t pitch;         /* bytes of a row of the output */
	uint32_t piece[INPUTS]; /* bytes of a row of each input */
};

struct state { __gm__ uint8_t *out; uint32_t pitch, n; };

/* Rows of `bytes` from a matrix with rows of in_pitch. */
static inline void tile(struct state *s, __gm__ uint8_t *in, uint64_t to, uint32_t rows, uint32_t bytes, uint32_t in_pitch)
{
	uint32_t stage = s->n++ & 1;
	__ubuf__ void *ub = (__ubuf__ void *)(uintptr_t)(stage * TILE);

	wait_flag(PIPE_MTE3, PIPE_MTE2, stage);
	copy_gm_to_ubuf_align_b8(ub, in, 0, (uint16_t)rows, bytes, 0, 0, rows > 1 ? in_pitch - bytes : 0, 0);
	set_flag(PIPE_MTE2, PIPE_MTE3, stage);
	wait_flag(PIPE_MTE2, PIPE_MTE3, stage);
	copy_ubuf_to_gm_align_b8(s->out + to, ub, 0, (uint16_t)rows, bytes, 0, 0, 0, rows > 1 ? s->pitch - bytes : 0);
	set_flag(PIPE_MTE3, PIPE_MTE2, stage);
}

/* Part of one input: `bytes` of each of its rows, to the same row of the output. A row longer than a tile is cut. */
static inline void part(struct state *s, __gm__ uint8_t *in, uint64_t to, uint32_t rows, uint32_t bytes, uint32_t in_pitch)
{
	uint32_t most = bytes > TILE ? 1 : TILE / ((bytes + 31) / 32 * 32);

	for (uint32_t r = 0; r < rows; r += most) {
		uint32_t n = rows - r < most ? rows - r : most;
		for (uint32_t b = 0; b < bytes; b += TILE)
			tile(s, in + (uint64_t)r * in_pitch + b, to + (uint64_t)r * s->pitch + b, n,
			     bytes - b < TILE ? bytes - b : TILE, in_pitch);
	}
}

__global__ __aicore__ void concat(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ const struct concat *t)
{
	uint32_t block = (uint32_t)get_block_idx(), rows = t->rows, inputs = t->inputs, slices = t->row_slices;
	uint32_t slice = block / t->col_cores, first = rows * slice / slices, n = rows * (slice + 1) / slices - first;
	uint32_t left = block % t->col_cores * t->col_bytes, right = left + t->col_bytes, at = 0;
	struct state s = { .out = out, .pitch = t->pitch };

	for (int64_t start = get_sys_cnt(); get_sys_cnt() - start < t->prologue;)
		;
	set_flag(PIPE_MTE3, PIPE_MTE2, 0);
	set_flag(PIPE_MTE3, PIPE_MTE2, 1);
	for (uint32_t i = 0; i < inputs && at < right; i++) {
		uint32_t piece = t->piece[i], begin = at > left ? at : left, end = at + piece < right ? at + piece : right;
		if (begin < end)
			part(&s, in + (uint64_t)first * piece + (begin - at), (uint64_t)first * s.pitch + begin, n, end - begin,
			     piece);
		in += ((uint64_t)rows * piece + 511) / 512 * 512;
		at += piece;
	}
	wait_flag(PIPE_MTE3, PIPE_MTE2, 0);
	wait_flag(PIPE_MTE3, PIPE_MTE2, 1);
}
