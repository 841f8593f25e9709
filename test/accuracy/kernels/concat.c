/*
 * concat.c - matrices of bytes [rows, piece[i]] put beside each other (the Concat of CANN-S9-910B): through UB in tiles of
 * at most 64 KB, two buffers. Blocks take bands of rows, or with `column` one input each. The inputs lie one after another
 * in one buffer, each at a multiple of 512 bytes.
 */
#include <stdint.h>

enum { TILE = 0x10000, INPUTS = 40 };

struct concat {
	uint32_t rows, inputs, column;
	uint32_t prologue;       /* ticks of the system counter that a framework takes before the first load */
	uint32_t piece[INPUTS];  /* bytes of a row of each input */
};

struct state { __gm__ uint8_t *out; uint32_t pitch, n; };

static inline void tile(struct state *s, __gm__ uint8_t *in, uint64_t to, uint32_t rows, uint32_t bytes)
{
	uint32_t stage = s->n++ & 1;
	__ubuf__ void *ub = (__ubuf__ void *)(uintptr_t)(stage * TILE);

	wait_flag(PIPE_MTE3, PIPE_MTE2, stage);
	copy_gm_to_ubuf_align_b8(ub, in, 0, (uint16_t)rows, bytes, 0, 0, 0, 0);
	set_flag(PIPE_MTE2, PIPE_MTE3, stage);
	wait_flag(PIPE_MTE2, PIPE_MTE3, stage);
	copy_ubuf_to_gm_align_b8(s->out + to, ub, 0, (uint16_t)rows, bytes, 0, 0, 0, s->pitch - bytes);
	set_flag(PIPE_MTE3, PIPE_MTE2, stage);
}

/* Rows first to end of one input, whose rows begin at byte `at` of a row of the output. */
static inline void input(struct state *s, __gm__ uint8_t *in, uint32_t piece, uint32_t at, uint32_t first, uint32_t end)
{
	uint32_t most = piece > TILE ? 1 : TILE / ((piece + 31) / 32 * 32);

	for (uint32_t r = first; r < end; r += most) {
		uint32_t rows = end - r < most ? end - r : most;
		for (uint32_t b = 0; b < piece; b += TILE)
			tile(s, in + (uint64_t)r * piece + b, (uint64_t)r * s->pitch + at + b, rows,
			     piece - b < TILE ? piece - b : TILE);
	}
}

__global__ __aicore__ void concat(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ const struct concat *t)
{
	uint32_t block = (uint32_t)get_block_idx(), blocks = (uint32_t)get_block_num(), rows = t->rows, inputs = t->inputs, at = 0;
	uint32_t first = t->column ? 0 : rows * block / blocks, end = t->column ? rows : rows * (block + 1) / blocks;
	struct state s = { .out = out };

	for (int64_t start = get_sys_cnt(); get_sys_cnt() - start < t->prologue;)
		;
	for (uint32_t i = 0; i < inputs; i++)
		s.pitch += t->piece[i];
	set_flag(PIPE_MTE3, PIPE_MTE2, 0);
	set_flag(PIPE_MTE3, PIPE_MTE2, 1);
	for (uint32_t i = 0; i < inputs; i++) {
		uint32_t piece = t->piece[i];
		if (!t->column || i == block)
			input(&s, in, piece, at, first, end);
		in += ((uint64_t)rows * piece + 511) / 512 * 512;
		at += piece;
	}
	wait_flag(PIPE_MTE3, PIPE_MTE2, 0);
	wait_flag(PIPE_MTE3, PIPE_MTE2, 1);
}
