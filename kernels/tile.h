/*
 * tile.h - small arithmetic that every kernel needs to cut a problem into blocks and tiles.
 */
#ifndef TILE_H
#define TILE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Every function of a kernel is part of its entry. What is more than code size: an intrinsic may touch memory, so after
 * each of them the compiler loads again whatever a pointer reaches; once inlined, locals stay in registers.
 */
#define INLINE static inline __attribute__((always_inline))

INLINE uint32_t min_u32(uint32_t a, uint32_t b) { return a < b ? a : b; }
INLINE uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }
INLINE uint32_t round_up(uint32_t a, uint32_t b) { return ceil_div(a, b) * b; }

/* A tiling that breaks the kernel's own limits ends the run here, with this line in the error. */
INLINE void require(bool holds)
{
	if (!holds)
		trap();
}

/*
 * A shape or tiling that the kernel is not made for ends the run with what its limit is: a sentence, constant, that goes
 * on from "beyond the kernel's limits:".
 */
#define limit(holds, what)                                                                                             \
	do {                                                                                                           \
		if (!(holds))                                                                                          \
			trap((int64_t)(uintptr_t)("beyond the kernel's limits: " what));                              \
	} while (0)

/* The units that this block works on. */
struct span {
	uint32_t first, count;
	bool last; /* no block behind this one has work */
};

/* Split units over the blocks of the launch: shares differ by one at most. Without units block 0 counts as the last. */
INLINE struct span span_of_block(uint32_t units)
{
	uint32_t blocks = (uint32_t)get_block_num(), block = (uint32_t)get_block_idx();
	uint32_t share = units / blocks, more = units % blocks;
	struct span s = { .first = block * share + min_u32(block, more), .count = share + (block < more) };

	s.last = units ? s.count && s.first + s.count == units : block == 0;
	return s;
}

/* Norm-mode mask: the first `lanes` (1..128) of a repeat; 64 are a whole repeat of 32-bit elements. */
INLINE void mask_lanes(uint32_t lanes)
{
	uint64_t all = ~UINT64_C(0);
	uint64_t low = lanes >= 64 ? all : ~(all << lanes);
	uint64_t high = lanes <= 64 ? 0 : lanes >= 128 ? all : ~(all << (lanes - 64));

	set_vector_mask(high, low);
}

#endif
