/*
 * add.c - z = x + y, elementwise, n elements, fp16 (add_f16) or fp32 (add_f32), on the vector cores of the 910B and on
 * the fused core of the 910. Tiles of x and y go through two stages of UB buffers, so that MTE2 loads tile i + 1 and
 * MTE3 stores tile i - 1 while the vector unit adds tile i.
 */
#include "../tile.h"

struct add_tiling {
	uint32_t n;          /* elements */
	uint32_t tile_bytes; /* bytes of one operand in a tile: a multiple of 32, at most TILE_MAX */
};

enum { BLOCK = 32, REPEAT = 256, STAGES = 2 };

/*
 * UB. x and y of a stage start half a bank-group row (256 B) apart and z lies in another 64 KB bank than both: the two
 * reads and the write of every repeat meet in no bank group and no bank. Stages are 32 KB apart.
 */
enum { UB_X = 0x0, UB_Y = 0x10100, UB_Z = 0x20000, UB_STAGE = 0x7000, UB_STAGE_XY = 0x8000, TILE_MAX = 0x7000 };

/* The 910B copies any number of bytes between GM and UB; the 910 copies whole 32-byte units from any GM address. */
#if __NPU_ARCH__ == 2201
enum { COPIES_BYTES = 1 };
#else
enum { COPIES_BYTES = 0 };
#endif

/* One tile, in bytes from the start of the vectors. */
struct tile {
	uint64_t start;
	uint32_t bytes;
};

/* What one block does: whole tiles of its share, then on the 910 perhaps one 32-byte tile that ends with the vector. */
struct work {
	uint64_t start, end, total;
	uint32_t tile_bytes, tiles;
	bool back_off;
};

INLINE struct work work_of_block(__gm__ const struct add_tiling *tiling, uint32_t size)
{
	struct work w = { .total = (uint64_t)tiling->n * size, .tile_bytes = tiling->tile_bytes };
	struct span own = span_of_block((uint32_t)(w.total / BLOCK));
	uint32_t rest = w.total % BLOCK;

	require(w.tile_bytes >= BLOCK && w.tile_bytes % BLOCK == 0 && w.tile_bytes <= TILE_MAX);
	w.start = (uint64_t)own.first * BLOCK;
	w.end = w.start + (uint64_t)own.count * BLOCK;
	if (own.last && rest) {
		w.end += COPIES_BYTES ? rest : 0;
		w.back_off = !COPIES_BYTES;
	}
	w.tiles = (uint32_t)((w.end - w.start + w.tile_bytes - 1) / w.tile_bytes) + w.back_off;
	return w;
}

INLINE struct tile tile_of(const struct work *w, uint32_t i)
{
	struct tile t = { .start = w->start + (uint64_t)i * w->tile_bytes };

	/* The last elements fill no unit: add the last 32 bytes of the vectors once more; they are all this block's. */
	if (w->back_off && i == w->tiles - 1)
		return (struct tile){ w->total - BLOCK, BLOCK };
	t.bytes = w->end - t.start < w->tile_bytes ? (uint32_t)(w->end - t.start) : w->tile_bytes;
	return t;
}

INLINE void copy_in(uint32_t ub, __gm__ uint8_t *gm, uint32_t bytes, uint32_t size)
{
	__ubuf__ void *dst = (__ubuf__ void *)(uintptr_t)ub;

#if __NPU_ARCH__ == 2201
	if (size == 2)
		copy_gm_to_ubuf_align_b16(dst, gm, 0, 1, bytes, 0, 0, 0, 0);
	else
		copy_gm_to_ubuf_align_b32(dst, gm, 0, 1, bytes, 0, 0, 0, 0);
#else
	(void)size;
	copy_gm_to_ubuf(dst, gm, 0, 1, bytes / BLOCK, 0, 0);
#endif
}

INLINE void copy_out(__gm__ uint8_t *gm, uint32_t ub, uint32_t bytes, uint32_t size)
{
	__ubuf__ void *src = (__ubuf__ void *)(uintptr_t)ub;

#if __NPU_ARCH__ == 2201
	if (size == 2)
		copy_ubuf_to_gm_align_b16(gm, src, 0, 1, bytes, 0, 0, 0, 0);
	else
		copy_ubuf_to_gm_align_b32(gm, src, 0, 1, bytes, 0, 0, 0, 0);
#else
	(void)size;
	copy_ubuf_to_gm(gm, src, 0, 1, bytes / BLOCK, 0, 0);
#endif
}

INLINE void add_repeats(uint32_t z, uint32_t x, uint32_t y, uint8_t repeats, uint32_t size)
{
	if (size == 2)
		vadd((__ubuf__ half *)(uintptr_t)z, (__ubuf__ half *)(uintptr_t)x, (__ubuf__ half *)(uintptr_t)y,
		     repeats, 1, 1, 1, 8, 8, 8);
	else
		vadd((__ubuf__ float *)(uintptr_t)z, (__ubuf__ float *)(uintptr_t)x, (__ubuf__ float *)(uintptr_t)y,
		     repeats, 1, 1, 1, 8, 8, 8);
}

/* A tile is at most 112 repeats, so one instruction adds its whole repeats and one, masked, the rest. */
INLINE void add_tile(uint32_t z, uint32_t x, uint32_t y, uint32_t bytes, uint32_t size)
{
	uint32_t whole = bytes / REPEAT, rest = bytes % REPEAT, done = whole * REPEAT;

	if (whole)
		add_repeats(z, x, y, (uint8_t)whole, size);
	if (rest) {
		mask_lanes(rest / size);
		add_repeats(z + done, x + done, y + done, 1, size);
		mask_lanes(REPEAT / size);
	}
}

INLINE void add_tiles(__gm__ uint8_t *x, __gm__ uint8_t *y, __gm__ uint8_t *z,
		      const struct work *w, uint32_t size)
{
	/* both stages start free: MTE2 may fill x and y, the vector unit may write z */
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_MTE3, PIPE_V, s);
	}
	mask_lanes(REPEAT / size);
	for (uint32_t i = 0; i < w->tiles; i++) {
		uint32_t s = i % STAGES;
		uint32_t ub_x = UB_X + s * UB_STAGE_XY, ub_y = UB_Y + s * UB_STAGE_XY, ub_z = UB_Z + s * UB_STAGE;
		struct tile t = tile_of(w, i);

		wait_flag(PIPE_V, PIPE_MTE2, s);
		copy_in(ub_x, x + t.start, t.bytes, size);
		copy_in(ub_y, y + t.start, t.bytes, size);
		set_flag(PIPE_MTE2, PIPE_V, s);

		wait_flag(PIPE_MTE2, PIPE_V, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
		add_tile(ub_z, ub_x, ub_y, t.bytes, size);
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_V, PIPE_MTE3, s);

		wait_flag(PIPE_V, PIPE_MTE3, s);
		/* the backed-off tile writes bytes of the tile before it again: MTE3 keeps no order by itself */
		if (w->back_off && i == w->tiles - 1)
			pipe_barrier(PIPE_MTE3);
		copy_out(z + t.start, ub_z, t.bytes, size);
		set_flag(PIPE_MTE3, PIPE_V, s);
	}
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_V, PIPE_MTE2, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
	}
}

/* A vector of less than 32 bytes on the 910: no copy is that small, the scalar unit adds it. */
INLINE void add_scalar(__gm__ uint8_t *x, __gm__ uint8_t *y, __gm__ uint8_t *z, uint32_t n, uint32_t size)
{
	for (uint32_t i = 0; i < n; i++) {
		if (size == 2)
			((__gm__ half *)z)[i] = ((__gm__ half *)x)[i] + ((__gm__ half *)y)[i];
		else
			((__gm__ float *)z)[i] = ((__gm__ float *)x)[i] + ((__gm__ float *)y)[i];
	}
	dcci(z, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

INLINE void add(__gm__ void *x, __gm__ void *y, __gm__ void *z,
		__gm__ const struct add_tiling *tiling, uint32_t size)
{
	struct work w = work_of_block(tiling, size);

	if (w.back_off && w.total < BLOCK)
		add_scalar(x, y, z, tiling->n, size);
	else if (w.tiles)
		add_tiles(x, y, z, &w, size);
}

__global__ __aicore__ void add_f16(__gm__ void *x, __gm__ void *y, __gm__ void *z, __gm__ struct add_tiling *tiling)
{
	add(x, y, z, tiling, sizeof(half));
}

__global__ __aicore__ void add_f32(__gm__ void *x, __gm__ void *y, __gm__ void *z, __gm__ struct add_tiling *tiling)
{
	add(x, y, z, tiling, sizeof(float));
}
