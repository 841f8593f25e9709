/*
 * softmax.c - y = softmax of each row of x[rows, cols], fp32 (softmax_f32) or fp16 computed in fp32 (softmax_f16), on
 * the vector cores of the 910B. Any rows, cols >= 1; whole rows are split over the blocks.
 *
 * Short rows: several rows make a tile; one instruction handles 64 columns of all its rows, a repeat per row.
 * Long rows: a row is taken in pieces. Each of the 64 lanes keeps the maximum and the sum of exponentials of the
 * elements it has seen (the online scheme, lane by lane), so that no reduction and no scalar work interrupts the
 * pieces. A row of one piece stays in UB and is only scaled at the end; a longer one is read a second time.
 */
#include "../tile.h"

struct softmax_tiling {
	uint32_t rows, cols;
	uint32_t tile; /* elements in a tile: a multiple of 64, SHORT_COLS .. TILE_MAX */
};

enum { LANES = 64, STAGES = 2, REPEAT_MAX = 255, TILE_MAX = 7168, SHORT_COLS = 512, FOLD_ROWS = 100 };

/* UB, bytes: two stages of input and of output, one tile in fp32, and what rows are reduced to. */
enum {
	UB_IN = 0, UB_OUT = 0xE000, UB_STAGE = 0x7000, UB_WORK = 0x1C000,
	UB_FOLD = 0x23000,   /* short rows: 64 lanes of FOLD_ROWS rows */
	UB_STAT = 0x29400,   /* one value per row */
	UB_BROAD = 0x29800,  /* the same, a block of 32 bytes per row */
	UB_MAX = 0x2B800, UB_SUM = 0x2B900, UB_NEW = 0x2BA00, UB_FACTOR = 0x2BB00 /* long rows: 64 lanes each */
};

INLINE __ubuf__ float *ub_float(uint32_t at) { return (__ubuf__ float *)(uintptr_t)at; }
INLINE __ubuf__ half *ub_half(uint32_t at) { return (__ubuf__ half *)(uintptr_t)at; }
INLINE __ubuf__ uint32_t *ub_word(uint32_t at) { return (__ubuf__ uint32_t *)(uintptr_t)at; }

struct softmax {
	__gm__ uint8_t *x, *y;
	uint32_t first, rows; /* of this block */
	uint32_t cols, tile;
	bool half_io;
	uint32_t pitch;       /* short: elements from row to row in UB */
	uint32_t tile_rows;   /* short: rows of a tile */
	uint32_t pieces;      /* long: of a row */
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

	require(s.tile % LANES == 0 && s.tile >= SHORT_COLS && s.tile <= TILE_MAX);
	if (s.cols <= SHORT_COLS) {
		s.pitch = round_up(s.cols, half_io ? 16 : 8);
		s.tile_rows = min_u32(s.tile / s.pitch, s.cols <= LANES ? REPEAT_MAX : FOLD_ROWS);
		s.loads = ceil_div(s.rows, s.tile_rows);
	} else {
		s.pieces = ceil_div(s.cols, s.tile);
		s.loads = s.rows * s.pieces * (s.pieces > 1 ? 2 : 1);
	}
	return s;
}

/* Short: tile i. Long: the pieces of a row in order, and all of them again when there are several. */
INLINE struct load load_at(const struct softmax *s, uint32_t i)
{
	struct load l = { .bursts = 1 };

	if (s->pieces == 0) {
		uint32_t row = i * s->tile_rows;

		l.element = (uint64_t)(s->first + row) * s->cols;
		l.bursts = min_u32(s->tile_rows, s->rows - row);
		l.len = s->cols;
	} else {
		uint32_t row = i / (s->pieces > 1 ? s->pieces * 2 : 1), col = i % s->pieces * s->tile;

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

/* ---- short rows ---- */

/* Maximum (or sum) of each row at `from`: fold its columns onto 64 lanes, then reduce them; to UB_STAT, row by row. */
INLINE void reduce_rows(const struct softmax *s, uint32_t from, uint8_t rows, bool sum)
{
	uint8_t pitch = (uint8_t)(s->pitch / 8), from_pitch = pitch;
	__ubuf__ float *fold = ub_float(UB_FOLD);
	uint32_t src = from;

	if (s->cols > LANES) {
		vcopy(ub_word(UB_FOLD), ub_word(from), rows, 1, 1, 8, pitch);
		pipe_barrier(PIPE_V);
		for (uint32_t col = LANES; col < s->cols; col += LANES) {
			mask_lanes(min_u32(LANES, s->cols - col));
			if (sum)
				vadd(fold, fold, ub_float(from) + col, rows, 1, 1, 1, 8, 8, pitch);
			else
				vmax(fold, fold, ub_float(from) + col, rows, 1, 1, 1, 8, 8, pitch);
			pipe_barrier(PIPE_V);
		}
		src = UB_FOLD;
		from_pitch = 8;
	}
	mask_lanes(min_u32(LANES, s->cols));
	if (sum)
		vcadd(ub_float(UB_STAT), ub_float(src), rows, 1, 1, from_pitch, false);
	else
		vcmax(ub_float(UB_STAT), ub_float(src), rows, 1, 1, from_pitch, ONLY_VALUE);
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
	/* every row's value to a block of its own: as second source with block stride 0 it meets all columns */
	vbrcb(ub_word(UB_BROAD), ub_word(UB_STAT), 1, 8, (uint8_t)ceil_div(rows, 8));
	pipe_barrier(PIPE_V);
}

INLINE void short_tile(const struct softmax *s, uint32_t stage, uint32_t rows)
{
	uint32_t elements = rows * s->pitch, in = take_input(s, stage, elements), out = UB_OUT + stage * UB_STAGE;
	uint8_t n = (uint8_t)rows, pitch = (uint8_t)(s->pitch / 8);

	reduce_rows(s, in, n, false);
	for (uint32_t col = 0; col < s->pitch; col += LANES) {
		mask_lanes(min_u32(LANES, s->pitch - col));
		vsub(ub_float(UB_WORK) + col, ub_float(in) + col, ub_float(UB_BROAD), n, 1, 1, 0, pitch, pitch, 1);
	}
	if (!s->half_io)
		set_flag(PIPE_V, PIPE_MTE2, stage);
	pipe_barrier(PIPE_V);
	exp_work(elements);
	reduce_rows(s, UB_WORK, n, true);

	wait_flag(PIPE_MTE3, PIPE_V, stage);
	for (uint32_t col = 0; col < s->pitch; col += LANES) {
		uint32_t dst = s->half_io ? UB_WORK : out;

		mask_lanes(min_u32(LANES, s->pitch - col));
		vdiv(ub_float(dst) + col, ub_float(UB_WORK) + col, ub_float(UB_BROAD), n, 1, 1, 0, pitch, pitch, 1);
	}
	mask_lanes(LANES);
	if (s->half_io)
		work_to_half(out, elements);
}

INLINE void short_rows(const struct softmax *s)
{
	/* vbrcb reads eight values at a time: those behind the last row shall at least be defined */
	vector_dup(ub_float(UB_STAT), 0.0f, 4, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	load(s, 0);
	for (uint32_t i = 0; i < s->loads; i++) {
		struct load l = load_at(s, i);

		if (i + 1 < s->loads)
			load(s, i + 1);
		short_tile(s, i % STAGES, l.bursts);
		store(s, &l, i % STAGES);
	}
}

/* ---- long rows ---- */

/*
 * A piece as instructions take it: whole repeats, then the rest as one masked repeat. part_first and part_next set the
 * mask; a part without repeats is the end, where all lanes are on again.
 */
struct part {
	uint32_t at;   /* bytes into the piece */
	uint32_t rest; /* elements left for the masked repeat */
	uint8_t repeats;
};

INLINE struct part part_next(struct part p)
{
	struct part next = { .at = p.at + p.repeats * LANES * (uint32_t)sizeof(float), .repeats = p.rest > 0 };

	mask_lanes(p.rest ? p.rest : LANES);
	return next;
}

INLINE struct part part_first(uint32_t len)
{
	struct part p = { .rest = len % LANES, .repeats = (uint8_t)(len / LANES) };

	return p.repeats ? p : part_next(p);
}

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
		vmax(ub_float(UB_NEW), ub_float(in + p.at), ub_float(UB_NEW), p.repeats, 1, 1, 1, 0, 8, 0);
		pipe_barrier(PIPE_V);
	}
	vsub(ub_float(UB_FACTOR), ub_float(UB_MAX), ub_float(UB_NEW), 1, 1, 1, 1, 8, 8, 8);
	pipe_barrier(PIPE_V);
	vexp(ub_float(UB_FACTOR), ub_float(UB_FACTOR), 1, 1, 1, 8, 8);
	vcopy(ub_word(UB_MAX), ub_word(UB_NEW), 1, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	vmul(ub_float(UB_SUM), ub_float(UB_SUM), ub_float(UB_FACTOR), 1, 1, 1, 1, 8, 8, 8);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vsub(ub_float(UB_WORK + p.at), ub_float(in + p.at), ub_float(UB_MAX), p.repeats, 1, 1, 1, 8, 8, 0);
		pipe_barrier(PIPE_V);
	}
	if (!s->half_io)
		set_flag(PIPE_V, PIPE_MTE2, stage);
	exp_work(len);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vadd(ub_float(UB_SUM), ub_float(UB_WORK + p.at), ub_float(UB_SUM), p.repeats, 1, 1, 1, 0, 8, 0);
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

/* A row of one piece: its exponentials are still in UB_WORK, relative to their lane's maximum. */
INLINE void scale_resident(const struct softmax *s, uint32_t stage, uint32_t len)
{
	uint32_t out = UB_OUT + stage * UB_STAGE, dst = s->half_io ? UB_WORK : out;

	vbrcb(ub_word(UB_BROAD), ub_word(UB_STAT) + 8, 1, 8, 1);
	pipe_barrier(PIPE_V);
	vdiv(ub_float(UB_FACTOR), ub_float(UB_FACTOR), ub_float(UB_BROAD), 1, 1, 1, 0, 8, 8, 0);
	wait_flag(PIPE_MTE3, PIPE_V, stage);
	pipe_barrier(PIPE_V);
	for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
		vmul(ub_float(dst + p.at), ub_float(UB_WORK + p.at), ub_float(UB_FACTOR), p.repeats, 1, 1, 1, 8, 8, 0);
		pipe_barrier(PIPE_V);
	}
	if (s->half_io)
		work_to_half(out, len);
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

INLINE void resident_rows(const struct softmax *s)
{
	load(s, 0);
	for (uint32_t i = 0; i < s->loads; i++) {
		struct load l = load_at(s, i);

		if (i + 1 < s->loads)
			load(s, i + 1);
		start_row();
		online_piece(s, i % STAGES, l.len);
		reduce_lanes();
		scale_resident(s, i % STAGES, l.len);
		store(s, &l, i % STAGES);
	}
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
		short_rows(s);
	else if (s->pieces == 1)
		resident_rows(s);
	else
		long_rows(s);
	for (uint32_t stage = 0; stage < STAGES; stage++) {
		wait_flag(PIPE_V, PIPE_MTE2, stage);
		wait_flag(PIPE_MTE3, PIPE_V, stage);
	}
}

__global__ __aicore__ void softmax_f32(__gm__ float *x, __gm__ float *y, __gm__ struct softmax_tiling *tiling)
{
	struct softmax s = softmax_of(tiling, x, y, false);

	softmax(&s);
}

__global__ __aicore__ void softmax_f16(__gm__ half *x, __gm__ half *y, __gm__ struct softmax_tiling *tiling)
{
	struct softmax s = softmax_of(tiling, x, y, true);

	softmax(&s);
}
