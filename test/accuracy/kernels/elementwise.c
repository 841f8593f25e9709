/*
 * elementwise.c - z = x + y, fp16, tile by tile: copies in, `adds` additions, copy out. Buffers of UB are given, one or
 * two sets of them (single or double buffering). adds = 0: a scalar loop over the elements instead of the vector unit.
 * counter: additions by a count of elements, as AscendC::Add(dst, a, b, n) makes them, without barriers between them.
 */
#include <stdbool.h>
#include <stdint.h>

struct elementwise {
	uint32_t total;            /* elements */
	uint32_t tile;             /* elements of a copy */
	uint32_t stages;           /* 1 or 2 */
	uint32_t adds;             /* 0 or 1; 1 or 8 in counter mode, 8 with two stages */
	uint32_t serial;           /* the next tile is loaded when this one is stored, not when it is added */
	uint32_t x[2], y[2], z[2]; /* UB addresses per stage */
	uint32_t prologue;         /* ticks of the system counter that a framework takes before the first load */
	uint32_t counter;          /* 1: counter mode */
};

enum { REPEAT = 128 };

static inline void copy_in(uint32_t ub, __gm__ half *gm, uint32_t n)
{
	copy_gm_to_ubuf_align_b16((__ubuf__ void *)(uintptr_t)ub, gm, 0, 1, n * 2, 0, 0, 0, 0);
}

/* Counter mode for this one instruction; otherwise at most 255 repeats, a remainder as a whole one: cases are cut so. */
static inline void add(uint32_t z, uint32_t x, uint32_t y, uint32_t n, bool counter)
{
	if (counter) {
		set_mask_count();
		set_vector_mask(0, n);
		vadd((__ubuf__ half *)(uintptr_t)z, (__ubuf__ half *)(uintptr_t)x, (__ubuf__ half *)(uintptr_t)y, 1, 1, 1, 1,
		     8, 8, 8);
		set_mask_norm();
		set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
		return;
	}
	vadd((__ubuf__ half *)(uintptr_t)z, (__ubuf__ half *)(uintptr_t)x, (__ubuf__ half *)(uintptr_t)y, (uint8_t)(n / REPEAT),
	     1, 1, 1, 8, 8, 8);
}

static inline void add_scalar(uint32_t z, uint32_t x, uint32_t y, uint32_t n)
{
	volatile __ubuf__ half *pz = (__ubuf__ half *)(uintptr_t)z, *px = (__ubuf__ half *)(uintptr_t)x,
			       *py = (__ubuf__ half *)(uintptr_t)y;
	for (uint32_t i = 0; i < n; i++)
		pz[i] = px[i] + py[i];
}

/* What a block does, in registers. */
struct plan {
	__gm__ half *x, *y, *z;    /* of its first tile */
	uint32_t left, tile;       /* elements of the block, of a tile */
	uint32_t ux[2], uy[2], uz[2];
};

static inline __attribute__((always_inline)) void one_tile(struct plan *p, uint32_t s, uint32_t adds, bool serial,
						       bool counter)
{
	uint32_t n = p->left < p->tile ? p->left : p->tile;

	wait_flag(PIPE_V, PIPE_MTE2, s);
	if (serial)
		wait_flag(PIPE_MTE3, PIPE_MTE2, s);
	copy_in(p->ux[s], p->x, n);
	copy_in(p->uy[s], p->y, n);
	set_flag(PIPE_MTE2, PIPE_V, s);
	wait_flag(PIPE_MTE2, PIPE_V, s);
	wait_flag(PIPE_MTE3, PIPE_V, s);
	if (adds == 0) {
		set_flag(PIPE_V, PIPE_S, s);
		wait_flag(PIPE_V, PIPE_S, s);
		add_scalar(p->uz[s], p->ux[s], p->uy[s], n);
		set_flag(PIPE_S, PIPE_V, s);
		wait_flag(PIPE_S, PIPE_V, s);
	}
	for (uint32_t k = 0; k < adds; k++) {
		add(p->uz[s], p->ux[s], p->uy[s], n, counter);
		if (k + 1 < adds && !counter)
			pipe_barrier(PIPE_V);
	}
	set_flag(PIPE_V, PIPE_MTE2, s);
	set_flag(PIPE_V, PIPE_MTE3, s);
	wait_flag(PIPE_V, PIPE_MTE3, s);
	copy_ubuf_to_gm_align_b16(p->z, (__ubuf__ void *)(uintptr_t)p->uz[s], 0, 1, n * 2, 0, 0, 0, 0);
	set_flag(PIPE_MTE3, PIPE_V, s);
	if (serial)
		set_flag(PIPE_MTE3, PIPE_MTE2, s);
	p->x += n;
	p->y += n;
	p->z += n;
	p->left -= n;
}

/* Stages, additions and order are constants where this is inlined, as they are in the kernels that it stands for. */
static inline __attribute__((always_inline)) void all_tiles(struct plan p, uint32_t stages, uint32_t adds, bool serial,
							bool counter)
{
	for (uint32_t s = 0; s < stages; s++) {
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_MTE3, PIPE_V, s);
		if (serial)
			set_flag(PIPE_MTE3, PIPE_MTE2, s);
	}
	while (p.left > 0) {
		one_tile(&p, 0, adds, serial, counter);
		if (stages == 2 && p.left > 0)
			one_tile(&p, 1, adds, serial, counter);
	}
	for (uint32_t s = 0; s < stages; s++) {
		wait_flag(PIPE_V, PIPE_MTE2, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
		if (serial)
			wait_flag(PIPE_MTE3, PIPE_MTE2, s);
	}
}

__global__ __aicore__ void elementwise(__gm__ half *x, __gm__ half *y, __gm__ half *z, __gm__ const struct elementwise *t)
{
	uint32_t tile = t->tile, total = t->total, tiles = (total + tile - 1) / tile, blocks = (uint32_t)get_block_num(),
		 block = (uint32_t)get_block_idx();
	uint32_t share = tiles / blocks, more = tiles % blocks, first = block * share + (block < more ? block : more);
	uint64_t at = (uint64_t)first * tile, end = at + (uint64_t)(share + (block < more)) * tile;
	struct plan p = { x + at, y + at, z + at, (uint32_t)((end < total ? end : total) - at), tile,
			  { t->x[0], t->x[1] }, { t->y[0], t->y[1] }, { t->z[0], t->z[1] } };

	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	for (int64_t start = get_sys_cnt(); get_sys_cnt() - start < t->prologue;)
		;
	if (t->adds == 0)
		all_tiles(p, 1, 0, false, false);
	else if (t->counter && t->stages == 2)
		all_tiles(p, 2, 8, false, true);
	else if (t->counter && t->adds == 1)
		all_tiles(p, 1, 1, false, true);
	else if (t->counter)
		all_tiles(p, 1, 8, false, true);
	else if (t->stages == 2)
		all_tiles(p, 2, 1, false, false);
	else if (t->serial)
		all_tiles(p, 1, 1, true, false);
	else
		all_tiles(p, 1, 1, false, false);
}
