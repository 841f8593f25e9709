/*
 * softmax.c - y = softmax of each row of x[rows, cols], fp32 (softmax_f32) or fp16 computed in fp32 (softmax_f16), on
 * the vector cores of the 910B and (softmax_fused.h) the fused cores of the 910 and 310P. Any rows, cols >= 1; whole rows
 * are split over the blocks.
 *
 * Whole rows: as many rows as fit make a tile. Where an instruction has to be told once per row or once per 64 columns,
 * it goes along the longer side: 64 columns of all rows, a repeat per row, or one row, a repeat per 64 columns.
 * Pieces of rows longer than a tile: each of the 64 lanes keeps the maximum and the sum of exponentials of the elements
 * it has seen (the online scheme, lane by lane), so that no reduction and no scalar work interrupts the pieces. The row
 * is read a second time to be scaled.
 */
#include "../tile.h"

struct softmax_tiling {
	uint32_t rows, cols;
	uint32_t tile; /* elements in a tile: a multiple of 64, at most TILE_MAX */
};

#if __NPU_ARCH__ == 2201

enum { LANES = 64, STAGES = 2, REPEAT_MAX = 255, TILE_MAX = 7168, FOLD_ROWS = 100 };

/* UB, bytes: two stages of input and of output, one tile in fp32, and what rows are reduced to. */
enum {
	UB_IN = 0, UB_OUT = 0xE000, UB_STAGE = 0x7000, UB_WORK = 0x1C000,
	UB_FOLD = 0x23000,   /* whole rows: 64 lanes of FOLD_ROWS rows */
	UB_STAT = 0x29400,   /* one value per row */
	UB_BROAD = 0x29800,  /* the same, a block of 32 bytes per row */
	UB_MAX = 0x2B800, UB_SUM = 0x2B900, UB_NEW = 0x2BA00, UB_FACTOR = 0x2BB00 /* pieces: 64 lanes each */
};

INLINE __ubuf__ float *ub_float(uint32_t at) { return (__ubuf__ float *)(uintptr_t)at; }
INLINE __ubuf__ half *ub_half(uint32_t at) { return (__ubuf__ half *)(uintptr_t)at; }
INLINE __ubuf__ uint32_t *ub_word(uint32_t at) { return (__ubuf__ uint32_t *)(uintptr_t)at; }

struct softmax {
	__gm__ uint8_t *x, *y;
	uint32_t first, rows; /* of this block */
	uint32_t cols, tile;
	bool half_io;
	uint32_t pitch;       /* whole rows: elements from row to row in UB */
	uint32_t tile_rows;   /* whole rows: of a tile */
	uint32_t pieces;      /* of a row; 0: whole rows */
	uint32_t loads;       /* tiles or pieces that this block loads */
};

/* One load: `bursts` pieces of `len` elements, contiguous in GM; `element` is the first. */
struct load {
	uint64_t element;
	uint32_t bursts, len;
};

INLINE struct softmax softmax_of(__gm__ const struct softmax_tiling *t, __gm__ void *x, __gm__ void *y,
				 bool half_io)
{
	struct span own = span_of_block(t->rows);
	struct softmax s = { .x = x, .y = y, .first = own.first, .rows = own.count, .cols = t->cols, .tile = t->tile,
			     .half_io = half_io };

	require(s.tile % LANES == 0 && s.tile > 0 && s.tile <= TILE_MAX);
	if (s.cols <= s.tile) {
		s.pitch = round_up(s.cols, half_io ? 16 : 8);
		s.tile_rows = min_u32(s.tile / s.pitch, s.cols <= LANES ? REPEAT_MAX : FOLD_ROWS);
		s.loads = ceil_div(s.rows, s.tile_rows);
	} else {
		s.pieces = ceil_div(s.cols, s.tile);
		s.loads = s.rows * s.pieces * 2;
	}
	return s;
}

/* Tile i of whole rows; or the pieces of a row in order, and all of them again. */
INLINE struct load load_at(const struct softmax *s, uint32_t i)
{
	struct load l = { .bursts = 1 };

	if (s->pieces == 0) {
		uint32_t row = i * s->tile_rows;

		l.element = (uint64_t)(s->first + row) * s->cols;
		l.bursts = min_u32(s->tile_rows, s->rows - row);
		l.len = s->cols;
	} else {
		uint32_t row = i / (s->pieces * 2), col = i % s->pieces * s->tile;

		l.element = (uint64_t)(s->first + row) * s->cols + col;
		l.len = min_u32(s->tile, s->cols - col);
	}
	return l;
}

INLINE void load(const struct softmax *s, uint32_t i)
{
	uint32_t stage = i % STAGES, ub = UB_IN + stage * UB_STAGE;
	struct load l = load_at(s, i);

	wait_flag(PIPE_V, PIPE_MTE2, stage);
	if (s->half_io)
		copy_gm_to_ubuf_align_b16(ub_half(ub), s->x + l.element * 2, 0, (uint16_t)l.bursts, l.len * 2, 0, 0, 0,
					  0);
	else
		copy_gm_to_ubuf_align_b32(ub_float(ub), s->x + l.element * 4, 0, (uint16_t)l.bursts, l.len * 4, 0, 0, 0,
					  0);
	set_flag(PIPE_MTE2, PIPE_V, stage);
}

INLINE void store(const struct softmax *s, const struct load *l, uint32_t stage)
{
	uint32_t ub = UB_OUT + stage * UB_STAGE;

	set_flag(PIPE_V, PIPE_MTE3, stage);
	wait_flag(PIPE_V, PIPE_MTE3, stage);
	if (s->half_io)
		copy_ubuf_to_gm_align_b16(s->y + l->element * 2, ub_half(ub), 0, (uint16_t)l->bursts, l->len * 2, 0, 0,
					  0, 0);
	else
		copy_ubuf_to_gm_align_b32(s->y + l->element * 4, ub_float(ub), 0, (uint16_t)l->bursts, l->len * 4, 0, 0,
					  0, 0);
	set_flag(PIPE_MTE3, PIPE_V, stage);
}

/* Counter mode: the next instructions take n consecutive elements, whatever their repeat says. Ends with all_lanes. */
INLINE void count_lanes(uint32_t n)
{
	set_mask_count();
	set_vector_mask(0, n);
}

INLINE void all_lanes(void)
{
	set_mask_norm();
	mask_lanes(LANES);
}

/* Wait for the input, bring it to fp32. Returns where it stands; fp16 leaves the input stage free at once. */
INLINE uint32_t take_input(const struct softmax *s, uint32_t stage, uint32_t elements)
{
	uint32_t in = UB_IN + stage * UB_STAGE;

	wait_flag(PIPE_MTE2, PIPE_V, stage);
	/* the tile before may still be reading UB_WORK */
	pipe_barrier(PIPE_V);
	if (!s->half_io)
		return in;
	count_lanes(elements);
	vconv_f162f32(ub_float(UB_WORK), ub_half(in), 1, 1, 1, 8, 4);
	all_lanes();
	set_flag(PIPE_V, PIPE_MTE2, stage);
	pipe_barrier(PIPE_V);
	return UB_WORK;
}

INLINE void exp_work(uint32_t elements)
{
	count_lanes(elements);
	vexp(ub_float(UB_WORK), ub_float(UB_WORK), 1, 1, 1, 8, 8);
	all_lanes();
	pipe_barrier(PIPE_V);
}

INLINE void work_to_half(uint32_t out, uint32_t elements)
{
	pipe_barrier(PIPE_V);
	count_lanes(elements);
	vconv_f322f16r(ub_half(out), ub_float(UB_WORK), 1, 1, 1, 4, 8);
	all_lanes();
}

/*
 * A run of elements as instructions take it: whole repeats, then the rest as one masked repeat. part_first and
 * part_next set the mask; a part without repeats is the end, where all lanes are on again.
 */
struct part {
	uint32_t at;   /* elements into the run */
	uint32_t rest; /* elements left for the masked repeat */
	uint8_t repeats;
};

INLINE struct part part_next(struct part p)
{
	struct part next = { .at = p.at + p.repeats * LANES, .repeats = p.rest > 0 };

	mask_lanes(p.rest ? p.rest : LANES);
	return next;
}

INLINE struct part part_first(uint32_t len)
{
	struct part p = { .rest = len % LANES, .repeats = (uint8_t)(len / LANES) };

	return p.repeats ? p : part_next(p);
}

/* ---- whole rows ---- */

/* Fewer rows than strips of 64 columns: a row per instruction. Otherwise rows are short enough for repeat strides. */
INLINE bool by_row(uint32_t cols, uint32_t rows) { return rows < ceil_div(cols, LANES); }

/* Fold the columns of each row at `from` onto 64 lanes in UB_FOLD, by sum or maximum. */
INLINE void fold_rows(const struct softmax *s, uint32_t from, uint32_t rows, bool sum)
{
	uint8_t n = (uint8_t)rows, pitch = (uint8_t)(s->pitch / 8);

	vcopy(ub_word(UB_FOLD), ub_word(from), n, 1, 1, 8, (uint16_t)(s->pitch / 8));
	pipe_barrier(PIPE_V);
	if (by_row(s->cols, rows)) {
		for (struct part p = part_first(s->cols - LANES); p.repeats; p = part_next(p)) {
			__ubuf__ float *fold = ub_float(UB_FOLD), *src = ub_float(from) + LANES + p.at;

			for (uint32_t i = rows; i > 0; i--, fold += LANES, src += s->pitch) {
				if (sum)
					vadd(fold, src, fold, p.repeats, 1, 1, 1, 0, 8, 0);
				else
					vmax(fold, src, fold, p.repeats, 1, 1, 1, 0, 8, 0);
			}
			pipe_barrier(PIPE_V);
		}
		return;
	}
	for (uint32_t col = LANES; col < s->cols; col += LANES) {
		__ubuf__ float *fold = ub_float(UB_FOLD), *src = ub_float(from) + col;

		mask_lanes(min_u32(LANES, s->cols - col));
		if (sum)
			vadd(fold, src, fold, n, 1, 1, 1, 8, pitch, 8);
		else
			vmax(fold, src, fold, n, 1, 1, 1, 8, pitch, 8);
		pipe_barrier(PIPE_V);
	}
	mask_lanes(LANES);
}

/* Maximum (or sum) of each row at `from`, to UB_STAT value by value and to UB_BROAD a block each. */
INLINE void reduce_rows(const struct softmax *s, uint32_t from, uint32_t rows, bool sum)
{
	bool folded = s->cols > LANES;
	uint32_t src = folded ? UB_FOLD : from;
	uint16_t pitch = (uint16_t)(folded ? LANES / 8 : s->pitch / 8);

	if (folded)
		fold_rows(s, from, rows, sum);
	mask_lanes(min_u32(LANES, s->cols));
	if (sum)
		vcadd(ub_float(UB_STAT), ub_float(src), (uint8_t)rows, 1, 1, pitch, false);
	else
		vcmax(ub_float(UB_STAT), ub_float(src), (uint8_t)rows, 1, 1, pitch, ONLY_VALUE);
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
	vbrcb(ub_word(UB_BROAD), ub_word(UB_STAT), 1, 8, (uint8_t)ceil_div(rows, 8));
	pipe_barrier(PIPE_V);
}

/* Each row's value from UB_BROAD against all its columns, pads included: dst = src - value, or src / value. */
INLINE void apply_rows(const struct softmax *s, uint32_t dst, uint32_t src, uint32_t rows, bool divide)
{
	uint8_t n = (uint8_t)rows, pitch = (uint8_t)(s->pitch / 8);

	if (by_row(s->cols, rows)) {
		for (struct part p = part_first(s->pitch); p.repeats; p = part_next(p)) {
			__ubuf__ float *to = ub_float(dst) + p.at, *of = ub_float(src) + p.at;
			__ubuf__ float *value = ub_float(UB_BROAD);

			for (uint32_t i = rows; i > 0; i--, to += s->pitch, of += s->pitch, value += 8) {
				if (divide)
					vdiv(to, of, value, p.repeats, 1, 1, 0, 8, 8, 0);
				else
					vsub(to, of, value, p.repeats, 1, 1, 0, 8, 8, 0);
			}
		}
		return;
	}
	for (uint32_t col = 0; col < s->pitch; col += LANES) {
		__ubuf__ float *to = ub_float(dst) + col, *of = ub_float(src) + col;

		mask_lanes(min_u32(LANES, s->pitch - col));
		if (divide)
			vdiv(to, of, ub_float(UB_BROAD), n, 1, 1, 0, pitch, pitch, 1);
		else
			vsub(to, of, ub_float(UB_BROAD), n, 1, 1, 0, pitch, pitch, 1);
	}
	mask_lanes(LANES);
}

INLINE void softmax_tile(const struct softmax *s, uint32_t stage, uint32_t rows)
{
	uint32_t elements = rows * s->pitch, in = take_input(s, stage, elements), out = UB_OUT + stage * UB_STAGE;

	reduce_rows(s, in, rows, false);
	apply_rows(s, UB_WORK, in, rows, false);
	if (!s->half_io)
		set_flag(PIPE_V, PIPE_MTE2, stage);
	pipe_barrier(PIPE_V);
	exp_work(elements);
	reduce_rows(s, UB_WORK, rows, true);
	wait_flag(PIPE_MTE3, PIPE_V, stage);
	apply_rows(s, s->half_io ? UB_WORK : out, UB_WORK, rows, true);
	if (s->half_io)
		work_to_half(out, elements);
}

INLINE void whole_rows(const struct softmax *s)
{
	/* vbrcb reads eight values at a time: those behind the last row shall at least be defined */
	vector_dup(ub_float(UB_STAT), 0.0f, 4, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	load(s, 0);
	for (uint32_t i = 0; i < s->loads; i++) {
		struct load l = load_at(s, i);

		if (i + 1 < s->loads)
			load(s, i + 1);
		softmax_tile(s, i % STAGES, l.bursts);
		store(s, &l, i % STAGES);
	}
}

/* ---- pieces of rows ---- */

INLINE void start_row(void)
{
	/* the lowest finite value, not -inf: a difference of two is 0, never NaN */
	vector_dup(ub_float(UB_MAX), -3.402823466e+38f, 1, 1, 1, 8, 0);
	vector_dup(ub_float(UB_SUM), 0.0f, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
}

/* Lane by lane: new maximum, sum rescaled to it, and this piece's exponentials, which stay in UB_WORK, added. */
INLINE void online_piece(const struct softmax *s, uint32_t stage, uint32_t len)
{
	uint32_t in = take_input(s, stage, len);

	vcopy(ub_word(UB_NEW), ub_word(UB_MAX), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vmax(ub_float(UB_NEW), ub_float(in) + p.at, ub_float(UB_NEW), p.repeats, 1, 1, 1, 0, 8, 0);
		pipe_barrier(PIPE_V);
	}
	vsub(ub_float(UB_FACTOR), ub_float(UB_MAX), ub_float(UB_NEW), 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
	vexp(ub_float(UB_FACTOR), ub_float(UB_FACTOR), 1, 1, 1, 8, 8);
	vcopy(ub_word(UB_MAX), ub_word(UB_NEW), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	vmul(ub_float(UB_SUM), ub_float(UB_SUM), ub_float(UB_FACTOR), 1, 1, 1, 1, 8, 8, 8);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vsub(ub_float(UB_WORK) + p.at, ub_float(in) + p.at, ub_float(UB_MAX), p.repeats, 1, 1, 1, 8, 8, 0);
		pipe_barrier(PIPE_V);
	}
	if (!s->half_io)
		set_flag(PIPE_V, PIPE_MTE2, stage);
	exp_work(len);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vadd(ub_float(UB_SUM), ub_float(UB_WORK) + p.at, ub_float(UB_SUM), p.repeats, 1, 1, 1, 0, 8, 0);
		pipe_barrier(PIPE_V);
	}
}

/* UB_STAT[0] = maximum of the row, UB_STAT[8] = its sum; UB_FACTOR = what a lane's exponentials lack, exp(own - row) */
INLINE void reduce_lanes(void)
{
	vcmax(ub_float(UB_STAT), ub_float(UB_MAX), 1, 1, 1, 8, ONLY_VALUE);
	pipe_barrier(PIPE_V);
	vbrcb(ub_word(UB_BROAD), ub_word(UB_STAT), 1, 8, 1);
	pipe_barrier(PIPE_V);
	vsub(ub_float(UB_FACTOR), ub_float(UB_MAX), ub_float(UB_BROAD), 1, 1, 1, 0, 8, 8, 0);
	pipe_barrier(PIPE_V);
	vexp(ub_float(UB_FACTOR), ub_float(UB_FACTOR), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	vmul(ub_float(UB_NEW), ub_float(UB_SUM), ub_float(UB_FACTOR), 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
	vcadd(ub_float(UB_STAT) + 8, ub_float(UB_NEW), 1, 1, 1, 8, false);
	pipe_barrier(PIPE_V);
}

/* A piece on its second way: exp(x - maximum) / sum, both known to the scalar unit. */
INLINE void scale_piece(const struct softmax *s, uint32_t stage, uint32_t out_stage, uint32_t len, float max,
			float inverse)
{
	uint32_t in = take_input(s, stage, len), out = UB_OUT + out_stage * UB_STAGE, dst = s->half_io ? UB_WORK : out;

	count_lanes(len);
	vadds(ub_float(UB_WORK), ub_float(in), -max, 1, 1, 1, 8, 8);
	if (!s->half_io)
		set_flag(PIPE_V, PIPE_MTE2, stage);
	pipe_barrier(PIPE_V);
	exp_work(len);
	wait_flag(PIPE_MTE3, PIPE_V, out_stage);
	count_lanes(len);
	vmuls(ub_float(dst), ub_float(UB_WORK), inverse, 1, 1, 1, 8, 8);
	all_lanes();
	if (s->half_io)
		work_to_half(out, len);
}

INLINE void long_rows(const struct softmax *s)
{
	uint32_t outs = 0;
	float max = 0.0f, inverse = 0.0f;

	load(s, 0);
	for (uint32_t i = 0; i < s->loads; i++) {
		uint32_t piece = i % (s->pieces * 2);
		struct load l = load_at(s, i);

		if (i + 1 < s->loads)
			load(s, i + 1);
		if (piece == 0)
			start_row();
		if (piece < s->pieces) {
			online_piece(s, i % STAGES, l.len);
			continue;
		}
		if (piece == s->pieces) {
			reduce_lanes();
			set_flag(PIPE_V, PIPE_S, EVENT_ID0);
			wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
			max = ub_float(UB_STAT)[0];
			inverse = 1.0f / ub_float(UB_STAT)[8];
			/* the next row's reduction writes them again */
			set_flag(PIPE_S, PIPE_V, EVENT_ID0);
			wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
		}
		scale_piece(s, i % STAGES, outs % STAGES, l.len, max, inverse);
		store(s, &l, outs++ % STAGES);
	}
}

INLINE void softmax(const struct softmax *s)
{
	if (s->rows == 0)
		return;
	for (uint32_t stage = 0; stage < STAGES; stage++) {
		set_flag(PIPE_V, PIPE_MTE2, stage);
		set_flag(PIPE_MTE3, PIPE_V, stage);
	}
	all_lanes();
	if (s->pieces == 0)
		whole_rows(s);
	else
		long_rows(s);
	for (uint32_t stage = 0; stage < STAGES; stage++) {
		wait_flag(PIPE_V, PIPE_MTE2, stage);
		wait_flag(PIPE_MTE3, PIPE_V, stage);
	}
}

INLINE void softmax_all(bool half_io, __gm__ void *x, __gm__ void *y, __gm__ const struct softmax_tiling *tiling)
{
	struct softmax s = softmax_of(tiling, x, y, half_io);

	softmax(&s);
}

#else
#include "softmax_fused.h"
#endif

__global__ __aicore__ void softmax_f32(__gm__ float *x, __gm__ float *y, __gm__ struct softmax_tiling *tiling)
{
	softmax_all(false, x, y, tiling);
}

__global__ __aicore__ void softmax_f16(__gm__ half *x, __gm__ half *y, __gm__ struct softmax_tiling *tiling)
{
	softmax_all(true, x, y, tiling);
}
