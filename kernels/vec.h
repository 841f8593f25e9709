/*
 * vec.h - what the vector kernels share: names for places in UB, vector instructions over n consecutive elements,
 * conversions to fp32 and back, and the pipeline of flat kernels (`stream`): elements in, elements out. The pipeline also
 * runs on the fused cores (910, 310P), which have no bf16, no copies of single bytes and less instructions.
 */
#ifndef VEC_H
#define VEC_H

#include "tile.h"

#if __NPU_ARCH__ == 2201
enum { COPIES_BYTES = 1, UB_SIZE = 0x30000, EVENT_PHASE = EVENT_ID7 };
#else
enum { COPIES_BYTES = 0, UB_SIZE = 0x40000, EVENT_PHASE = EVENT_ID3 }; /* the 910 has four */
#endif
enum { LANES = 64, STAGES = 2, REPEAT_MAX = 255 };
enum elem { E_F32, E_F16, E_BF16, E_S32, E_S16, E_S8, E_U8 };

INLINE uint32_t elem_bytes(enum elem e) { return e == E_F32 || e == E_S32 ? 4 : e == E_S8 || e == E_U8 ? 1 : 2; }

INLINE __ubuf__ float *ub_f32(uint32_t at) { return (__ubuf__ float *)(uintptr_t)at; }
INLINE __ubuf__ half *ub_f16(uint32_t at) { return (__ubuf__ half *)(uintptr_t)at; }
INLINE __ubuf__ bfloat16_t *ub_bf16(uint32_t at) { return (__ubuf__ bfloat16_t *)(uintptr_t)at; }
INLINE __ubuf__ int32_t *ub_s32(uint32_t at) { return (__ubuf__ int32_t *)(uintptr_t)at; }
INLINE __ubuf__ uint32_t *ub_u32(uint32_t at) { return (__ubuf__ uint32_t *)(uintptr_t)at; }
INLINE __ubuf__ int16_t *ub_s16(uint32_t at) { return (__ubuf__ int16_t *)(uintptr_t)at; }
INLINE __ubuf__ uint16_t *ub_u16(uint32_t at) { return (__ubuf__ uint16_t *)(uintptr_t)at; }
INLINE __ubuf__ int8_t *ub_s8(uint32_t at) { return (__ubuf__ int8_t *)(uintptr_t)at; }
INLINE __ubuf__ uint8_t *ub_u8(uint32_t at) { return (__ubuf__ uint8_t *)(uintptr_t)at; }

/* Counter mode: the next instructions take n consecutive elements, whatever their repeat says. */
INLINE void count_lanes(uint32_t n)
{
	set_mask_count();
	set_vector_mask(0, n);
}

/* Back to normal mode, whole repeats of 32-bit elements. */
INLINE void all_lanes(void)
{
	set_mask_norm();
	mask_lanes(LANES);
}

/*
 * Consecutive fp32 elements in counter mode: dst, a, b are places in UB. Each is followed by a barrier, since the next
 * instruction nearly always reads what this one wrote. V_BIN_ALL takes one block of 32 bytes, repeated, as its second
 * operand.
 */
#define V_BIN(insn, dst, a, b)                                                                                         \
	do {                                                                                                           \
		insn(ub_f32(dst), ub_f32(a), ub_f32(b), 1, 1, 1, 1, 8, 8, 8);                                          \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)
#define V_BIN_ALL(insn, dst, a, b)                                                                                     \
	do {                                                                                                           \
		insn(ub_f32(dst), ub_f32(a), ub_f32(b), 1, 1, 1, 0, 8, 8, 0);                                          \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)
#define V_ALL_BIN(insn, dst, a, b)                                                                                     \
	do {                                                                                                           \
		insn(ub_f32(dst), ub_f32(a), ub_f32(b), 1, 1, 0, 1, 8, 0, 8);                                          \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)
#define V_UN(insn, dst, a)                                                                                             \
	do {                                                                                                           \
		insn(ub_f32(dst), ub_f32(a), 1, 1, 1, 8, 8);                                                           \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)
#define V_SCALAR(insn, dst, a, s)                                                                                      \
	do {                                                                                                           \
		insn(ub_f32(dst), ub_f32(a), (float)(s), 1, 1, 1, 8, 8);                                               \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

/* n copies of a value. */
INLINE void fill_f32(uint32_t at, float value, uint32_t n)
{
	count_lanes(n);
	vector_dup(ub_f32(at), value, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	all_lanes();
}

INLINE void move_f32(uint32_t dst, uint32_t src, uint32_t n)
{
	count_lanes(n);
#if __NPU_ARCH__ == 2201
	vcopy(ub_u32(dst), ub_u32(src), 1, 1, 1, 8, 8);
#else
	vmuls(ub_f32(dst), ub_f32(src), 1.0f, 1, 1, 1, 8, 8);
#endif
	pipe_barrier(PIPE_V);
	all_lanes();
}

/*
 * y = x, no less than `least` and no more than `most`, in counter mode with n lanes. The 910 has no instruction that takes the
 * smaller or larger of elements and a number: `block`, 32 bytes of work, takes the constants.
 */
#if __NPU_ARCH__ == 1001

INLINE void set_block(uint32_t block, float value, uint32_t n)
{
	count_lanes(8);
	vector_dup(ub_f32(block), value, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	count_lanes(n);
}

INLINE void clamp(uint32_t y, uint32_t x, float least, float most, uint32_t block, uint32_t n)
{
	set_block(block, most, n);
	V_BIN_ALL(vmin, y, x, block);
	set_block(block, least, n);
	V_BIN_ALL(vmax, y, y, block);
}

#else

INLINE void clamp(uint32_t y, uint32_t x, float least, float most, uint32_t block, uint32_t n)
{
	V_SCALAR(vmins, y, x, most);
	V_SCALAR(vmaxs, y, y, least);
	(void)block, (void)n;
}

#endif

/* n elements to fp32 at dst, or where they are when they are fp32. Needs and leaves counter mode with n lanes. */
INLINE uint32_t to_f32(uint32_t dst, uint32_t src, enum elem e)
{
	if (e == E_F32)
		return src;
#if __NPU_ARCH__ == 2201
	if (e == E_BF16)
		vconv_bf162f32(ub_f32(dst), ub_bf16(src), 1, 1, 1, 8, 4);
	else
#endif
		vconv_f162f32(ub_f32(dst), ub_f16(src), 1, 1, 1, 8, 4);
	pipe_barrier(PIPE_V);
	return dst;
}

/* n fp32 elements to another type, nearest even. */
INLINE void from_f32(uint32_t dst, uint32_t src, enum elem e)
{
#if __NPU_ARCH__ == 2201
	if (e == E_F32)
		vcopy(ub_u32(dst), ub_u32(src), 1, 1, 1, 8, 8);
	else if (e == E_F16)
		vconv_f322f16r(ub_f16(dst), ub_f32(src), 1, 1, 1, 4, 8);
	else
		vconv_f322bf16r(ub_bf16(dst), ub_f32(src), 1, 1, 1, 4, 8);
#else
	if (e == E_F32)
		vmuls(ub_f32(dst), ub_f32(src), 1.0f, 1, 1, 1, 8, 8);
	else
		vconv_f322f16(ub_f16(dst), ub_f32(src), 1, 1, 1, 4, 8);
#endif
	pipe_barrier(PIPE_V);
}

/* Where to compute what ends as type e at `out`: there for fp32, in the work place otherwise. */
INLINE uint32_t f32_place(uint32_t out, uint32_t work, enum elem e) { return e == E_F32 ? out : work; }

#if __NPU_ARCH__ == 2201

/* `bursts` runs of `len` bytes: runs stand `gm_gap` bytes apart in GM, each from a new block of 32 bytes in UB. */
INLINE void load_bytes(uint32_t ub, __gm__ const void *gm, uint32_t bursts, uint32_t len, uint32_t gm_gap,
		       uint32_t ub_gap)
{
	copy_gm_to_ubuf_align_b8((__ubuf__ void *)(uintptr_t)ub, (__gm__ void *)gm, 0, (uint16_t)bursts, len, 0, 0,
				 gm_gap, ub_gap);
}

INLINE void store_bytes(__gm__ void *gm, uint32_t ub, uint32_t bursts, uint32_t len, uint32_t ub_gap, uint32_t gm_gap)
{
	copy_ubuf_to_gm_align_b8(gm, (__ubuf__ void *)(uintptr_t)ub, 0, (uint16_t)bursts, len, 0, 0, ub_gap, gm_gap);
}

#endif

/* The pipe `to` goes on only when `from` has done all before: between phases, where overlap is not worth a stage. */
#define PIPE_AFTER(from, to)                                                                                           \
	do {                                                                                                           \
		set_flag(from, to, EVENT_PHASE);                                                                      \
		wait_flag(from, to, EVENT_PHASE);                                                                        \
	} while (0)

#if __NPU_ARCH__ == 2201

/* All vector cores of the launch have come this far, and what they stored is in GM. Not more blocks than cores. */
INLINE void all_blocks(uint32_t flag)
{
	pipe_barrier(PIPE_ALL);
	ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | flag << 8);
	wait_flag_dev(flag);
}

#endif

/* ---- flat kernels ---- */

enum { STREAM_IN = 4, STREAM_OUT = 3 };

/* Elements [first, first + count) of all operands, `tile` at a time; `work` fp32 tiles are the body's own. */
struct stream {
	uint32_t n_in, n_out, work;
	enum elem in_elem[STREAM_IN], out_elem[STREAM_OUT];
	__gm__ const void *in[STREAM_IN];
	__gm__ void *out[STREAM_OUT];
	uint64_t first;
	uint32_t count, tile;
};

/* What the body of a stream sees of a tile: places in UB, and where its elements stand. */
struct stream_tile {
	uint32_t n;
	uint32_t in[STREAM_IN], out[STREAM_OUT], work;
	uint64_t first;
};

typedef void stream_body(const void *context, const struct stream_tile *t);

INLINE uint32_t stream_stage_bytes(const struct stream *s)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < s->n_in; i++)
		bytes += s->tile * elem_bytes(s->in_elem[i]);
	for (uint32_t i = 0; i < s->n_out; i++)
		bytes += s->tile * elem_bytes(s->out_elem[i]);
	return bytes;
}

/*
 * Where copies are whole units of 32 bytes, tiles are units of 32 elements, which are whole units of any type. The end that
 * fills none is done with the elements before it once more, in a tile of its own (see stream); fewer than 32 elements in all
 * go by the scalar unit.
 */
enum { UNIT = 32 };

INLINE uint32_t stream_whole(const struct stream *s) { return COPIES_BYTES ? s->count : s->count / UNIT * UNIT; }
INLINE bool stream_backs_off(const struct stream *s) { return stream_whole(s) < s->count; }

INLINE uint32_t stream_tiles(const struct stream *s)
{
	return ceil_div(stream_whole(s), s->tile) + stream_backs_off(s);
}

INLINE struct stream_tile stream_tile_at(const struct stream *s, uint32_t i, uint32_t stage_bytes)
{
	struct stream_tile t = { .first = s->first + (uint64_t)i * s->tile };
	uint32_t at = i % STAGES * stage_bytes, whole = stream_whole(s);

	if (COPIES_BYTES || i * s->tile < whole) {
		t.n = min_u32(s->tile, whole - i * s->tile);
	} else {
		t.n = min_u32(UNIT, s->count);
		t.first = s->first + s->count - t.n;
	}
	for (uint32_t k = 0; k < s->n_in; k++) {
		t.in[k] = at;
		at += s->tile * elem_bytes(s->in_elem[k]);
	}
	for (uint32_t k = 0; k < s->n_out; k++) {
		t.out[k] = at;
		at += s->tile * elem_bytes(s->out_elem[k]);
	}
	t.work = STAGES * stage_bytes;
	return t;
}

#if __NPU_ARCH__ == 2201

INLINE void stream_in(uint32_t ub, __gm__ const void *gm, uint32_t n, uint32_t size) { load_bytes(ub, gm, 1, n * size, 0, 0); }
INLINE void stream_out(__gm__ void *gm, uint32_t ub, uint32_t n, uint32_t size) { store_bytes(gm, ub, 1, n * size, 0, 0); }

#else

/* n elements by the scalar unit, from GM to UB or back. */
INLINE void scalar_copy(uint32_t ub, __gm__ uint8_t *gm, uint32_t bytes, bool back)
{
	for (uint32_t i = 0; i < bytes; i++) {
		if (back)
			gm[i] = ub_u8(ub)[i];
		else
			ub_u8(ub)[i] = gm[i];
	}
}

INLINE void stream_in(uint32_t ub, __gm__ const void *gm, uint32_t n, uint32_t size)
{
	if (n >= UNIT) {
		copy_gm_to_ubuf((__ubuf__ void *)(uintptr_t)ub, (__gm__ void *)gm, 0, 1, (uint16_t)(n * size / 32), 0, 0);
		return;
	}
	scalar_copy(ub, (__gm__ uint8_t *)gm, n * size, false);
}

INLINE void stream_out(__gm__ void *gm, uint32_t ub, uint32_t n, uint32_t size)
{
	if (n >= UNIT) {
		copy_ubuf_to_gm(gm, (__ubuf__ void *)(uintptr_t)ub, 0, 1, (uint16_t)(n * size / 32), 0, 0);
		return;
	}
	scalar_copy(ub, gm, n * size, true);
	dcci(gm, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

#endif

INLINE bool stream_by_scalar(const struct stream_tile *t) { return !COPIES_BYTES && t->n < UNIT; }

INLINE void stream_load(const struct stream *s, const struct stream_tile *t, uint32_t stage)
{
	wait_flag(PIPE_V, PIPE_MTE2, stage);
	for (uint32_t k = 0; k < s->n_in; k++) {
		uint32_t size = elem_bytes(s->in_elem[k]);

		stream_in(t->in[k], (__gm__ const uint8_t *)s->in[k] + t->first * size, t->n, size);
	}
	if (stream_by_scalar(t))
		PIPE_AFTER(PIPE_S, PIPE_V);
	set_flag(PIPE_MTE2, PIPE_V, stage);
}

INLINE void stream_store(const struct stream *s, const struct stream_tile *t, uint32_t stage)
{
	set_flag(PIPE_V, PIPE_MTE3, stage);
	wait_flag(PIPE_V, PIPE_MTE3, stage);
	if (stream_by_scalar(t))
		PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t k = 0; k < s->n_out; k++) {
		uint32_t size = elem_bytes(s->out_elem[k]);

		stream_out((__gm__ uint8_t *)s->out[k] + t->first * size, t->out[k], t->n, size);
	}
	set_flag(PIPE_MTE3, PIPE_V, stage);
}

INLINE void stages_free(void)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_V, PIPE_MTE2, s);
		set_flag(PIPE_MTE3, PIPE_V, s);
	}
}

INLINE void stages_drain(void)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_V, PIPE_MTE2, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
	}
}

/*
 * Two stages: MTE2 loads tile i + 1 and MTE3 stores tile i - 1 while the body computes tile i. The body is called in
 * counter mode with n lanes, its inputs loaded and its outputs free, and leaves counter mode as it found it.
 */
INLINE void stream(const struct stream *s, stream_body *body, const void *context)
{
	uint32_t stage_bytes = stream_stage_bytes(s), tiles;

	require(s->tile && s->tile % LANES == 0 && STAGES * stage_bytes + s->work * s->tile * 4 <= UB_SIZE);
	tiles = stream_tiles(s);
	if (!tiles)
		return;
	stages_free();
	for (uint32_t i = 0; i <= tiles; i++) {
		if (i < tiles) {
			struct stream_tile t = stream_tile_at(s, i, stage_bytes);

			stream_load(s, &t, i % STAGES);
		}
		if (i > 0) {
			struct stream_tile t = stream_tile_at(s, i - 1, stage_bytes);
			uint32_t stage = (i - 1) % STAGES;

			wait_flag(PIPE_MTE2, PIPE_V, stage);
			wait_flag(PIPE_MTE3, PIPE_V, stage);
			/* the work places are still read by the tile before */
			pipe_barrier(PIPE_V);
			count_lanes(t.n);
			body(context, &t);
			set_flag(PIPE_V, PIPE_MTE2, stage);
			/* the last tile takes elements of the one before again: as they were, and stored behind it */
			if (stream_backs_off(s) && i == tiles - 1)
				PIPE_AFTER(PIPE_MTE2, PIPE_MTE3);
			if (stream_backs_off(s) && i == tiles)
				pipe_barrier(PIPE_MTE3);
			stream_store(s, &t, stage);
		}
	}
	all_lanes();
	stages_drain();
}

/* The block's share of n elements, in units of 64. */
INLINE void stream_share(struct stream *s, uint32_t n, uint32_t tile)
{
	struct span own = span_of_block(n / LANES);

	s->tile = tile;
	s->first = (uint64_t)own.first * LANES;
	s->count = own.count * LANES + (own.last ? n % LANES : 0);
}

#endif
