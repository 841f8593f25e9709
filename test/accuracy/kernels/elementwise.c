/*
 * elementwise.c - z = x + y, fp16, tile by tile: copies in, `adds` additions, copy out. Buffers of UB are given, one or
 * two sets of them (single or double buffering). adds = 0: a scalar loop over the elements instead of the vector unit.
 */
#include <stdint.h>

struct elementwise {
	uint32_t total;            /* elements */
	uint32_t tile;             /* elements of a copy */
	uint32_t stages;           /* 1 or 2 */
	uint32_t adds;
	uint32_t serial;           /* the next tile is loaded when this one is stored, not when it is added */
	uint32_t x[2], y[2], z[2]; /* UB addresses per stage */
};

enum { REPEAT = 128 };

static inline void copy_in(uint32_t ub, __gm__ half *gm, uint32_t n)
{
	copy_gm_to_ubuf_align_b16((__ubuf__ void *)(uintptr_t)ub, gm, 0, 1, n * 2, 0, 0, 0, 0);
}

static inline void add(uint32_t z, uint32_t x, uint32_t y, uint32_t n)
{
	for (uint32_t r = n / REPEAT, most; r > 0; r -= most) {
		most = r < 255 ? r : 255;
		vadd((__ubuf__ half *)(uintptr_t)z, (__ubuf__ half *)(uintptr_t)x, (__ubuf__ half *)(uintptr_t)y,
		     (uint8_t)most, 1, 1, 1, 8, 8, 8);
		z += most * 256;
		x += most * 256;
		y += most * 256;
	}
}

static inline void add_scalar(uint32_t z, uint32_t x, uint32_t y, uint32_t n)
{
	volatile __ubuf__ half *pz = (__ubuf__ half *)(uintptr_t)z, *px = (__ubuf__ half *)(uintptr_t)x,
			       *py = (__ubuf__ half *)(uintptr_t)y;
	for (uint32_t i = 0; i < n; i++)
		pz[i] = px[i] + py[i];
}

__global__ __aicore__ void elementwise(__gm__ half *x, __gm__ half *y, __gm__ half *z, __gm__ const struct elementwise *t)
{
	uint32_t tiles = (t->total + t->tile - 1) / t->tile, blocks = (uint32_t)get_block_num(),
		 block = (uint32_t)get_block_idx();
	uint32_t share = tiles / blocks, more = tiles % blocks, first = block * share + (block < more ? block : more);
	uint32_t count = share + (block < more), tile = t->tile, stages = t->stages, adds = t->adds, total = t->total,
		 serial = t->serial;
	uint32_t ux[2] = { t->x[0], t->x[1] }, uy[2] = { t->y[0], t->y[1] }, uz[2] = { t->z[0], t->z[1] };

	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	for (uint32_t s = 0; s < stages; s++) {
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_MTE3, PIPE_V, s);
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t s = stages == 2 ? i & 1 : 0;
		uint64_t at = (uint64_t)(first + i) * tile;
		uint32_t n = total - at < tile ? (uint32_t)(total - at) : tile;
		wait_flag(PIPE_V, PIPE_MTE2, s);
		if (serial && i > 0)
			wait_flag(PIPE_MTE3, PIPE_MTE2, s);
		copy_in(ux[s], x + at, n);
		copy_in(uy[s], y + at, n);
		set_flag(PIPE_MTE2, PIPE_V, s);
		wait_flag(PIPE_MTE2, PIPE_V, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
		if (adds == 0) {
			set_flag(PIPE_V, PIPE_S, s);
			wait_flag(PIPE_V, PIPE_S, s);
			add_scalar(uz[s], ux[s], uy[s], n);
			set_flag(PIPE_S, PIPE_V, s);
			wait_flag(PIPE_S, PIPE_V, s);
		}
		for (uint32_t k = 0; k < adds; k++) {
			add(uz[s], ux[s], uy[s], n);
			if (k + 1 < adds)
				pipe_barrier(PIPE_V);
		}
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_V, PIPE_MTE3, s);
		wait_flag(PIPE_V, PIPE_MTE3, s);
		copy_ubuf_to_gm_align_b16(z + at, (__ubuf__ void *)(uintptr_t)uz[s], 0, 1, n * 2, 0, 0, 0, 0);
		set_flag(PIPE_MTE3, PIPE_V, s);
		if (serial && i + 1 < count)
			set_flag(PIPE_MTE3, PIPE_MTE2, s);
	}
	for (uint32_t s = 0; s < stages; s++) {
		wait_flag(PIPE_V, PIPE_MTE2, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
	}
}
