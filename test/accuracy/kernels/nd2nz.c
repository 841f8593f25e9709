/*
 * nd2nz.c - an fp16 matrix 8192 x 8192 from rows to fractals on the vector cores (asc-devkit, bank_conflict_nd2nz): 6 x 8
 * parts for 48 blocks, tiles of 144 x 128, one vcopy of a tile's rows as repeats, double buffered. stride: blocks between
 * neighbouring columns of fractals in UB, 144 or 145.
 */
#include <stdint.h>

enum {
	SIZE = 8192, TILE_M = 144, TILE_N = 128, C0 = 16, PARTS_M = 6, PARTS_N = 8, TILES_M = (SIZE + TILE_M - 1) / TILE_M,
	COLS = SIZE / TILE_N / PARTS_N, ND_BYTES = TILE_M * TILE_N * 2
};

static inline __attribute__((always_inline)) void tile(__gm__ half *x, __gm__ half *z, uint32_t row, uint32_t col,
						       uint32_t stage, uint32_t stride)
{
	uint32_t rows = SIZE - row < TILE_M ? SIZE - row : TILE_M, nd = stage * ND_BYTES,
		 nz = 2 * ND_BYTES + stage * stride * (TILE_N / C0) * 32;

	wait_flag(PIPE_V, PIPE_MTE2, stage);
	copy_gm_to_ubuf((__ubuf__ void *)(uintptr_t)nd, x + (uint64_t)row * SIZE + col, 0, (uint16_t)rows, TILE_N / C0,
			(SIZE - TILE_N) / C0, 0);
	set_flag(PIPE_MTE2, PIPE_V, stage);
	wait_flag(PIPE_MTE2, PIPE_V, stage);
	wait_flag(PIPE_MTE3, PIPE_V, stage);
	vcopy((__ubuf__ uint16_t *)(uintptr_t)nz, (__ubuf__ uint16_t *)(uintptr_t)nd, (uint8_t)rows, (uint16_t)stride, 1, 1,
	      TILE_N / C0);
	set_flag(PIPE_V, PIPE_MTE2, stage);
	set_flag(PIPE_V, PIPE_MTE3, stage);
	wait_flag(PIPE_V, PIPE_MTE3, stage);
	copy_ubuf_to_gm(z + ((uint64_t)col / C0 * SIZE + row) * C0, (__ubuf__ void *)(uintptr_t)nz, 0, TILE_N / C0,
			(uint16_t)rows, (uint16_t)(stride - rows), (uint16_t)(SIZE - rows));
	set_flag(PIPE_MTE3, PIPE_V, stage);
}

__global__ __aicore__ void nd2nz(__gm__ half *x, __gm__ half *z, uint32_t stride)
{
	uint32_t block = (uint32_t)get_block_idx(), part = block / PARTS_N, first = block % PARTS_N, more = TILES_M % PARTS_M,
		 begin = part * (TILES_M / PARTS_M) + (part < more ? part : more),
		 tiles = (TILES_M / PARTS_M + (part < more)) * COLS;

	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	for (uint32_t i = 0; i < 2; i++) {
		set_flag(PIPE_V, PIPE_MTE2, i);
		set_flag(PIPE_MTE3, PIPE_V, i);
	}
	for (uint32_t i = 0; i < tiles; i++)
		tile(x, z, (begin + i / COLS) * TILE_M, (first * COLS + i % COLS) * TILE_N, i & 1, stride);
	for (uint32_t i = 0; i < 2; i++) {
		wait_flag(PIPE_V, PIPE_MTE2, i);
		wait_flag(PIPE_MTE3, PIPE_V, i);
	}
}
