/*
 * dropout.c - y = keep ? x / (1 - p) : 0 over n fp32 elements on the vector cores of the 910B. Whether element i is
 * kept depends on the seed and i alone: the backward pass is the same kernel on the gradient, and tiles and blocks
 * change nothing. Generator: h = i * 0x9e3779b1 + seed, then the finaliser of MurmurHash3 (fmix32); kept when h >> 8
 * >= p * 2^24.
 */
#include "../vec.h"

struct dropout_tiling {
	uint32_t n, tile; /* elements; tile a multiple of 64 */
	uint32_t seed;
};

struct dropout {
	uint32_t seed, tile;
	float threshold, scale; /* p * 2^24, 1 / (1 - p) */
	uint32_t lane, zero;    /* UB: 0, 1, 2 .. times the multiplier; a block of zeros */
};

enum { MULTIPLIER = (int32_t)0x9e3779b1 };

#define S32_SCALAR(insn, dst, a, s)                                                                                    \
	do {                                                                                                           \
		insn(ub_s32(dst), ub_s32(a), (int32_t)(s), 1, 1, 1, 8, 8);                                             \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

/* h ^= h >> distance. The vector unit has no xor: a ^ b = (a | b) - (a & b). */
INLINE void xor_shift(uint32_t h, uint32_t s, uint32_t w, uint32_t distance, uint32_t n)
{
	vshr(ub_u32(s), ub_u32(h), (int32_t)distance, 1, 1, 1, 8, 8, false);
	pipe_barrier(PIPE_V);
	count_lanes(2 * n);
	vand(ub_u16(w), ub_u16(h), ub_u16(s), 1, 1, 1, 1, 8, 8, 8);
	vor(ub_u16(h), ub_u16(h), ub_u16(s), 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
	count_lanes(n);
	vsub(ub_s32(h), ub_s32(h), ub_s32(w), 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
}

INLINE void dropout_tile(const void *context, const struct stream_tile *t)
{
	const struct dropout *d = context;
	uint32_t h = t->work, s = h + d->tile * 4, w = s + d->tile * 4;

	S32_SCALAR(vadds, h, d->lane, (uint32_t)t->first * (uint32_t)MULTIPLIER + d->seed);
	xor_shift(h, s, w, 16, t->n);
	S32_SCALAR(vmuls, h, h, 0x85ebca6b);
	xor_shift(h, s, w, 13, t->n);
	S32_SCALAR(vmuls, h, h, 0xc2b2ae35);
	xor_shift(h, s, w, 16, t->n);
	vshr(ub_u32(h), ub_u32(h), 8, 1, 1, 1, 8, 8, false);
	pipe_barrier(PIPE_V);
	vconv_s322f32(ub_f32(h), ub_s32(h), 1, 1, 1, 8, 8); /* 24 bits: exact */
	pipe_barrier(PIPE_V);
	vcmpvs_ge(ub_u8(w), ub_f32(h), d->threshold, 1, 1, 1, 8, 8);
	set_cmpmask((__ubuf__ void *)(uintptr_t)d->zero);
	V_SCALAR(vmuls, s, t->in[0], d->scale);
	vsel(ub_f32(t->out[0]), ub_f32(s), ub_f32(w), 1, 1, 1, 1, 8, 8, 8, 1);
	pipe_barrier(PIPE_V);
}

/* 0, 1, 2 .. tile - 1, each times the multiplier: eight by the scalar unit, then doubled. */
INLINE void count_up(uint32_t at, uint32_t tile)
{
	for (uint32_t i = 0; i < 8; i++)
		ub_u32(at)[i] = i * (uint32_t)MULTIPLIER;
	PIPE_AFTER(PIPE_S, PIPE_V);
	for (uint32_t have = 8; have < tile; have *= 2) {
		count_lanes(min_u32(have, tile - have));
		S32_SCALAR(vadds, at + have * 4, at, have * (uint32_t)MULTIPLIER);
	}
	all_lanes();
}

__global__ __aicore__ void dropout(__gm__ float *x, __gm__ float *y, float p, __gm__ struct dropout_tiling *tiling)
{
	struct stream s = { .n_in = 1, .n_out = 1, .in_elem = { E_F32 }, .out_elem = { E_F32 }, .in = { x }, .out = { y },
			    .work = 4 };
	struct dropout d = { .seed = tiling->seed, .tile = tiling->tile, .threshold = p * 16777216.0f,
			     .scale = 1.0f / (1.0f - p) };

	stream_share(&s, tiling->n, tiling->tile);
	d.lane = STAGES * stream_stage_bytes(&s) + 3 * s.tile * 4;
	d.zero = d.lane + s.tile * 4;
	require(d.zero + 32 <= UB_SIZE);
	fill_f32(d.zero, 0.0f, 8);
	count_up(d.lane, s.tile);
	stream(&s, dropout_tile, &d);
}
