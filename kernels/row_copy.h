/*
 * row_copy.h - rows of any length between GM, where they stand one after another, and UB, where each starts a block of 32
 * bytes. The 910B copies single bytes. The fused cores copy whole units of 32 bytes, from and to any byte of GM: loads take
 * what follows a row along; stores write a row's whole units and then its last 32 bytes once more. Rows shorter than that
 * are packed by the scalar unit, and so is what would be read beyond the end of a tensor.
 */
#ifndef ROW_COPY_H
#define ROW_COPY_H

#include "vec.h"

/*
 * What kernels over rows have of UB, the same on all chips; the fused cores keep the ends of rows behind it, a place per
 * stage and output (of two).
 */
enum { ROWS_UB_SIZE = 0x30000, EDGE_BYTES = 0x2000, EDGES = 2 };

/* Where UB is free behind those places, on the fused cores. */
INLINE uint32_t edge_end(void) { return ROWS_UB_SIZE + STAGES * EDGES * EDGE_BYTES; }

#if __NPU_ARCH__ == 2201

/* Rows that one block's share is a multiple of, so that no two blocks write the same 32 bytes. */
INLINE uint32_t rows_unit(uint32_t row_bytes)
{
	(void)row_bytes;
	return 1;
}

#else

INLINE uint32_t rows_unit(uint32_t row_bytes)
{
	uint32_t unit = 1;

	while (unit * row_bytes % 32)
		unit *= 2;
	return unit;
}

INLINE uint32_t edge_place(uint32_t stage, uint32_t k) { return ROWS_UB_SIZE + (stage * EDGES + k) * EDGE_BYTES; }

/* MTE3 goes on when the scalar unit has filled the place: an event each, as nothing else keeps two stages apart. */
#define EDGE_FULL(stage, k)                                                                                            \
	do {                                                                                                           \
		set_flag(PIPE_S, PIPE_MTE3, (stage) * EDGES + (k));                                                    \
		wait_flag(PIPE_S, PIPE_MTE3, (stage) * EDGES + (k));                                                   \
	} while (0)

/* bytes (whole elements of 2 or 4) inside UB, by the scalar unit: no other moves what does not start a block. */
INLINE void scalar_move(uint32_t dst, uint32_t src, uint32_t bytes, uint32_t size)
{
	if (size == 4) {
		for (uint32_t i = 0; i < bytes / 4; i++)
			ub_u32(dst)[i] = ub_u32(src)[i];
	} else {
		for (uint32_t i = 0; i < bytes / 2; i++)
			ub_u16(dst)[i] = ub_u16(src)[i];
	}
}

/* The end of a row that no copy may take, as nothing follows it in GM. The rest of its block becomes the last element. */
INLINE void edge_in(uint32_t ub, __gm__ const uint8_t *gm, uint32_t bytes, uint32_t size)
{
	for (uint32_t at = bytes / 32 * 32; at < round_up(bytes, 32); at++)
		ub_u8(ub)[at] = gm[at < bytes ? at : bytes - size + at % size];
}

/*
 * `rows` rows of `bytes`, `step` bytes apart in GM, to UB, `pitch` bytes apart there; `left`: bytes from gm to the end of the
 * tensor. MTE2 has been told
 * to wait until the place is free; the vector unit waits for MTE2 as ever.
 */
INLINE void rows_in(uint32_t ub, __gm__ const void *from, uint32_t rows, uint32_t bytes, uint64_t step, uint32_t pitch,
		    uint64_t left, uint32_t size)
{
	__gm__ uint8_t *gm = (__gm__ uint8_t *)from;
	uint32_t units = ceil_div(bytes, 32), whole = bytes / 32, clear = rows;

	if (bytes % 32 == 0 && step % 32 == 0 && step / 32 - units <= UINT16_MAX) {
		copy_gm_to_ubuf(ub_u8(ub), gm, 0, (uint16_t)rows, (uint16_t)units, (uint16_t)(step / 32 - units),
				(uint16_t)(pitch / 32 - units));
		return;
	}
	while (clear && (clear - 1) * step + units * 32 > left)
		clear--;
	for (uint32_t i = 0; i < rows; i++) {
		uint32_t n = i < clear ? units : whole;

		if (n)
			copy_gm_to_ubuf(ub_u8(ub + i * pitch), gm + i * step, 0, 1, (uint16_t)n, 0, 0);
	}
	if (clear == rows)
		return;
	PIPE_AFTER(PIPE_MTE2, PIPE_S);
	for (uint32_t i = clear; i < rows; i++)
		edge_in(ub + i * pitch, gm + i * step, bytes, size);
	PIPE_AFTER(PIPE_S, PIPE_MTE2);
}

/* `bytes` consecutive bytes at `ub`, which no copy can store: a tensor of less than 32 bytes. */
INLINE void scalar_out(__gm__ uint8_t *gm, uint32_t ub, uint32_t bytes)
{
	scalar_copy(ub, gm, bytes, true);
	dcci(gm, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

/* Rows of less than 32 bytes, packed at the edge's place; their last 32 bytes come again behind them. */
INLINE void short_rows_out(__gm__ uint8_t *gm, uint32_t ub, uint32_t rows, uint32_t bytes, uint32_t pitch, uint32_t size,
			   uint32_t stage, uint32_t k)
{
	uint32_t edge = edge_place(stage, k), total = rows * bytes, end = edge + round_up(total, 32);

	PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t i = 0; i < rows; i++)
		scalar_move(edge + i * bytes, ub + i * pitch, bytes, size);
	if (total < 32) {
		scalar_out(gm, edge, total);
		return;
	}
	if (total % 32)
		scalar_move(end, edge + total - 32, 32, size);
	EDGE_FULL(stage, k);
	copy_ubuf_to_gm(gm, ub_u8(edge), 0, 1, (uint16_t)(total / 32), 0, 0);
	if (total % 32) {
		pipe_barrier(PIPE_MTE3);
		copy_ubuf_to_gm(gm + total - 32, ub_u8(end), 0, 1, 1, 0, 0);
	}
}

/*
 * The way back; MTE3 waits for the vector unit already, and the vector unit for MTE3 before it writes the stage again. Rows of
 * less than 32 bytes stand one after another in GM. What has to be kept of all rows fits into an edge's place: 255 rows.
 */
INLINE void rows_out(__gm__ void *to, uint32_t ub, uint32_t rows, uint32_t bytes, uint64_t step, uint32_t pitch,
		     uint32_t size, uint32_t stage, uint32_t k)
{
	__gm__ uint8_t *gm = to;
	uint32_t whole = bytes / 32, edge = edge_place(stage, k);

	if (bytes % 32 == 0 && step % 32 == 0 && step / 32 - whole <= UINT16_MAX) {
		copy_ubuf_to_gm(gm, ub_u8(ub), 0, (uint16_t)rows, (uint16_t)whole, (uint16_t)(pitch / 32 - whole),
				(uint16_t)(step / 32 - whole));
		return;
	}
	if (bytes < 32) {
		short_rows_out(gm, ub, rows, bytes, pitch, size, stage, k);
		return;
	}
	for (uint32_t i = 0; i < rows; i++)
		copy_ubuf_to_gm(gm + i * step, ub_u8(ub + i * pitch), 0, 1, (uint16_t)whole, 0, 0);
	if (bytes % 32 == 0)
		return;
	PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t i = 0; i < rows; i++)
		scalar_move(edge + i * 32, ub + i * pitch + bytes - 32, 32, size);
	EDGE_FULL(stage, k);
	/* MTE3 keeps no order by itself */
	pipe_barrier(PIPE_MTE3);
	for (uint32_t i = 0; i < rows; i++)
		copy_ubuf_to_gm(gm + i * step + bytes - 32, ub_u8(edge + i * 32), 0, 1, 1, 0, 0);
}

#endif

#endif
