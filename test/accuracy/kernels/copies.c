/*
 * copies.c - copy-only kernels (asc-devkit data_copy): an fp16 matrix [rows, cols] is cut into tiles that go from GM to
 * UB, or with ND to NZ to L1. Each block takes a band of rows; `same`: every block takes the whole matrix. passes: the
 * whole band again and again; parts: a band is passed part by part.
 */
#include <stdint.h>

struct copies {
	uint32_t rows, cols, pitch;      /* pitch in elements */
	uint32_t tile_rows, tile_cols;
	uint32_t passes, parts, same;
};

#if VINCI_CORE == 2
static inline void tile_in(__gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch)
{
	copy_gm_to_ubuf_align_b16((__ubuf__ void *)0, gm, 0, (uint16_t)rows, cols * 2, 0, 0, (pitch - cols) * 2, 0);
}
#else
static inline void tile_in(__gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch)
{
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)0, gm, 0, 1, (uint16_t)rows, (uint16_t)cols, 0, (uint16_t)pitch,
					(uint16_t)rows, 1, 0);
}
#endif

__global__ __aicore__ void copies(__gm__ half *gm, __gm__ const struct copies *t)
{
	uint32_t blocks = (uint32_t)get_block_num(), block = (uint32_t)get_block_idx(), cols = t->cols, pitch = t->pitch;
	uint32_t band = t->same ? t->rows : t->rows / blocks, first = t->same ? 0 : block * band, passes = t->passes;
	uint32_t part = band / t->parts, tile_rows = t->tile_rows, tile_cols = t->tile_cols;

	for (uint32_t p = first; p < first + band; p += part)
		for (uint32_t n = 0; n < passes; n++)
			for (uint32_t r = p; r < p + part; r += tile_rows)
				for (uint32_t c = 0; c < cols; c += tile_cols) {
					uint32_t w = cols - c < tile_cols ? cols - c : tile_cols;
					tile_in(gm + (uint64_t)r * pitch + c, tile_rows, w, pitch);
				}
}
