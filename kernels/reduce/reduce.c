/*
 * reduce.c - sum, mean, maximum or minimum along one axis of a tensor, seen as [outer, axis, inner], to [outer, inner];
 * fp32, or fp16 computed in fp32, on the vector cores of the 910B and the fused cores of the 910 and
 * 310P.
 *
 * inner = 1: whole rows in tiles, a value per row; rows longer than a tile go by in pieces, 64 lanes each keeping its
 * own result. inner > 1: strips of up to a tile of columns, rows along the axis added to an accumulator as wide.
 */
#include "../rows.h"

struct reduce_tiling {
	uint32_t outer, axis, inner;
	uint32_t tile; /* elements: a multiple of 64, at most TILE_MAX */
};

enum { TILE_MAX = 8192, UB_ROWS = 2 * TILE_MAX * 4 * 2, UB_ACC = UB_ROWS + ROWS_BYTES, UB_OUT = UB_ACC + TILE_MAX / 4 * 4 };
/* inner > 1: strips of at most a quarter of a tile, four rows at least at a time */
enum { STRIP_MAX = TILE_MAX / 4 };
enum kind { KIND_SUM, KIND_MAX, KIND_MIN, KIND_MEAN };

struct reduce {
	__gm__ uint8_t *x, *y;
	enum kind kind;
	enum fold_op op;
	enum elem elem;
	uint32_t outer, axis, inner, tile, size;
};

/* ---- what differs between chips ---- */

#if __NPU_ARCH__ == 2201

INLINE void results_out(const struct reduce *r, uint64_t first, uint32_t n)
{
	store_bytes(r->y + first * r->size, UB_OUT, 1, n * r->size, 0, 0);
}

INLINE void results_end(const struct reduce *r) { (void)r; }

/* One value of the 64 lanes at `acc`. */
INLINE void fold_lanes(const struct reduce *r, uint32_t stat, uint32_t acc)
{
	if (r->op == FOLD_SUM)
		vcadd(ub_f32(stat), ub_f32(acc), 1, 1, 1, 8, false);
	else if (r->op == FOLD_MAX)
		vcmax(ub_f32(stat), ub_f32(acc), 1, 1, 1, 8, ONLY_VALUE);
	else
		vcmin(ub_f32(stat), ub_f32(acc), 1, 1, 1, 8, ONLY_VALUE);
	pipe_barrier(PIPE_V);
}

#else

/*
 * Results that a copy may be too large for go by the scalar unit: one per row, or strips of less than 32 columns. A line of
 * its cache has one writer (see share_unit).
 */
INLINE bool by_scalar(const struct reduce *r) { return r->inner < 32; }

INLINE void results_out(const struct reduce *r, uint64_t first, uint32_t n)
{
	__gm__ uint8_t *to = r->y + first * r->size;

	if (!by_scalar(r)) {
		rows_out(to, UB_OUT, 1, n * r->size, 0, 0, r->size, 0, 0);
		return;
	}
	PIPE_AFTER(PIPE_V, PIPE_S);
	for (uint32_t i = 0; i < n; i++) {
		if (r->size == 4)
			((__gm__ uint32_t *)to)[i] = ub_u32(UB_OUT)[i];
		else
			((__gm__ uint16_t *)to)[i] = ub_u16(UB_OUT)[i];
	}
	/* the next results go there */
	PIPE_AFTER(PIPE_S, PIPE_V);
}

INLINE void results_end(const struct reduce *r)
{
	if (by_scalar(r))
		dcci(r->y, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

INLINE void fold_lanes(const struct reduce *r, uint32_t stat, uint32_t acc)
{
	struct rows g = { .cols = LANES, .pitch = LANES, .fold = UB_ROWS + 512, .stat = stat, .broad = UB_ROWS + 1024 };

	rows_stat(&g, acc, 1, r->op);
}

#endif

#if __NPU_ARCH__ == 2201

/* The block's share of r->outer times `per_outer` pieces of work. */
INLINE struct span share(const struct reduce *r, uint32_t per_outer) { return span_of_block(r->outer * per_outer); }

#else

/* As many of the outer axis at a time as keep blocks from writing where another does: lines of 64 bytes. */
INLINE uint32_t share_unit(const struct reduce *r)
{
	uint32_t unit = 1;

	while (r->outer > 1 && unit * r->inner * r->size % 64)
		unit *= 2;
	return unit;
}

INLINE struct span share(const struct reduce *r, uint32_t per_outer)
{
	uint32_t unit = share_unit(r), all = r->outer * per_outer;
	struct span own;

	if (unit > 1)
		unit *= per_outer;
	own = span_of_block(all / unit);
	own.first *= unit;
	own.count = own.count * unit + (own.last ? all % unit : 0);
	return own;
}

#endif

/* ---- the same for all ---- */

/* n results at `at` (fp32) to y[first ..]. */
INLINE void put_results(const struct reduce *r, uint32_t at, uint64_t first, uint32_t n)
{
	wait_flag(PIPE_MTE3, PIPE_V, 0);
	count_lanes(n);
	if (r->kind == KIND_MEAN)
		V_SCALAR(vmuls, at, at, 1.0f / (float)r->axis);
	from_f32(UB_OUT, at, r->elem);
	all_lanes();
	set_flag(PIPE_V, PIPE_MTE3, 0);
	wait_flag(PIPE_V, PIPE_MTE3, 0);
	results_out(r, first, n);
	set_flag(PIPE_MTE3, PIPE_V, 0);
}

/* `rows` runs of `len` elements, `pitch` apart in GM, to stage; in UB each run starts `ub_pitch` elements after the last. */
INLINE void load_runs(const struct reduce *r, uint64_t element, uint32_t rows, uint32_t len, uint32_t pitch,
		      uint32_t ub_pitch, uint32_t stage)
{
	uint32_t at = stage * TILE_MAX * 4;

	wait_flag(PIPE_V, PIPE_MTE2, stage);
#if __NPU_ARCH__ == 2201
	load_bytes(at, r->x + element * r->size, rows, len * r->size, (pitch - len) * r->size,
		   ub_pitch * r->size / 32 - ceil_div(len * r->size, 32));
#else
	rows_in(at, r->x + element * r->size, rows, len * r->size, (uint64_t)pitch * r->size, ub_pitch * r->size,
		((uint64_t)r->outer * r->axis * r->inner - element) * r->size, r->size);
#endif
	set_flag(PIPE_MTE2, PIPE_V, stage);
}

/* The loaded n elements of a stage as fp32; waits for the load. */
INLINE uint32_t take(const struct reduce *r, uint32_t n, uint32_t stage)
{
	uint32_t at = stage * TILE_MAX * 4, to;

	wait_flag(PIPE_MTE2, PIPE_V, stage);
	pipe_barrier(PIPE_V);
	count_lanes(n);
	to = to_f32(STAGES * TILE_MAX * 4, at, r->elem);
	all_lanes();
	return to;
}

/* ---- inner = 1, rows that fit ---- */

INLINE void whole_rows(const struct reduce *r)
{
	struct span own = share(r, 1);
	uint32_t pitch = round_up(r->axis, 16);
	struct rows g = rows_at(r->axis, pitch, UB_ROWS);
	uint32_t tile_rows = min_u32(r->tile / pitch, rows_most(r->axis));
	uint32_t tiles = ceil_div(own.count, tile_rows);

	for (uint32_t i = 0; i <= tiles; i++) {
		if (i < tiles)
			load_runs(r, (uint64_t)(own.first + i * tile_rows) * r->axis,
				  min_u32(tile_rows, own.count - i * tile_rows), r->axis, r->axis, pitch, i % STAGES);
		if (i > 0) {
			uint32_t first = (i - 1) * tile_rows, rows = min_u32(tile_rows, own.count - first);
			uint32_t at = take(r, rows * pitch, (i - 1) % STAGES);

			rows_stat(&g, at, rows, r->op);
			set_flag(PIPE_V, PIPE_MTE2, (i - 1) % STAGES);
			put_results(r, g.stat, own.first + first, rows);
		}
	}
}

/* ---- inner = 1, rows in pieces ---- */

INLINE void long_rows(const struct reduce *r)
{
	struct span own = share(r, 1);
	uint32_t pieces = ceil_div(r->axis, r->tile), loads = own.count * pieces;
	uint32_t acc = UB_ACC, stat = UB_ROWS;

	for (uint32_t i = 0; i <= loads; i++) {
		if (i < loads) {
			uint32_t col = i % pieces * r->tile, len = min_u32(r->tile, r->axis - col);

			load_runs(r, (uint64_t)(own.first + i / pieces) * r->axis + col, 1, len, len, round_up(len, 32),
				  i % STAGES);
		}
		if (i == 0)
			continue;
		uint32_t row = own.first + (i - 1) / pieces, piece = (i - 1) % pieces;
		uint32_t len = min_u32(r->tile, r->axis - piece * r->tile), at = take(r, len, (i - 1) % STAGES);

		if (piece == 0)
			fill_f32(acc, fold_least(r->op), LANES);
		for (struct part p = part_first(len); p.repeats; p = part_next(p)) {
			fold_insn(r->op, acc, at + p.at * 4, p.repeats, 0, 8);
			pipe_barrier(PIPE_V);
		}
		set_flag(PIPE_V, PIPE_MTE2, (i - 1) % STAGES);
		if (piece + 1 < pieces)
			continue;
		fold_lanes(r, stat, acc);
		put_results(r, stat, row, 1);
	}
}

/* ---- inner > 1 ---- */

struct strip {
	uint32_t outer, col, len, pitch, rows; /* pitch in UB; rows of a load */
};

/*
 * Columns of a strip, and how many strips a row has: on the fused cores the last one may be up to 15 columns longer rather
 * than shorter than a copy.
 */
INLINE uint32_t strip_width(const struct reduce *r)
{
	uint32_t most = min_u32(STRIP_MAX, r->tile);

	return min_u32(round_up(r->inner, 16), COPIES_BYTES ? most : (most - 16) / 16 * 16);
}

INLINE uint32_t strip_count(const struct reduce *r, uint32_t width)
{
	uint32_t count = ceil_div(r->inner, width), rest = r->inner % width;

	return count - (!COPIES_BYTES && count > 1 && rest && rest < 16);
}

INLINE struct strip strip_at(const struct reduce *r, uint32_t i, uint32_t strips, uint32_t width)
{
	struct strip s = { .outer = i / strips, .col = i % strips * width };

	s.len = COPIES_BYTES ? min_u32(width, r->inner - s.col)
		: i % strips + 1 < strips ? width : r->inner - s.col;
	s.pitch = round_up(s.len, 16);
	s.rows = min_u32(r->tile / s.pitch, REPEAT_MAX);
	return s;
}

INLINE void strip_load(const struct reduce *r, struct strip s, uint32_t step, uint32_t stage)
{
	uint32_t row = step * s.rows;

	load_runs(r, ((uint64_t)s.outer * r->axis + row) * r->inner + s.col, min_u32(s.rows, r->axis - row), s.len,
		  r->inner, s.pitch, stage);
}

INLINE void strips(const struct reduce *r)
{
	uint32_t width = strip_width(r), per_outer = strip_count(r, width);
	struct span own = share(r, per_outer);
	uint32_t stage = 0;

	for (uint32_t i = 0; i < own.count; i++) {
		struct strip s = strip_at(r, own.first + i, per_outer, width);
		struct rows g = { .cols = s.len, .pitch = s.pitch };
		uint32_t steps = ceil_div(r->axis, s.rows);

		fill_f32(UB_ACC, fold_least(r->op), s.pitch);
		strip_load(r, s, 0, stage % STAGES);
		for (uint32_t step = 0; step < steps; step++, stage++) {
			uint32_t rows = min_u32(s.rows, r->axis - step * s.rows), at;

			if (step + 1 < steps)
				strip_load(r, s, step + 1, (stage + 1) % STAGES);
			at = take(r, rows * s.pitch, stage % STAGES);
			rows_gather(&g, UB_ACC, at, rows, r->op);
			set_flag(PIPE_V, PIPE_MTE2, stage % STAGES);
		}
		put_results(r, UB_ACC, (uint64_t)s.outer * r->inner + s.col, s.len);
	}
}

INLINE void reduce(enum kind kind, enum elem elem, __gm__ void *x, __gm__ void *y,
		   __gm__ const struct reduce_tiling *tiling)
{
	struct reduce r = { .x = x, .y = y, .kind = kind, .elem = elem, .outer = tiling->outer, .axis = tiling->axis,
			    .inner = tiling->inner, .tile = tiling->tile, .size = elem_bytes(elem) };

	r.op = kind == KIND_MAX ? FOLD_MAX : kind == KIND_MIN ? FOLD_MIN : FOLD_SUM;
	require(r.tile && r.tile % LANES == 0 && r.tile <= TILE_MAX);
	limit(r.axis && r.inner, "axis and inner are at least 1");
	all_lanes();
	/* rows in UB are padded to 32 bytes at least; pads that no copy writes are defined once */
	fill_f32(0, 0.0f, STAGES * TILE_MAX);
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	stages_free();
	if (r.inner > 1)
		strips(&r);
	else if (round_up(r.axis, 16) <= r.tile)
		whole_rows(&r);
	else
		long_rows(&r);
	stages_drain();
	results_end(&r);
}

#define ENTRIES(name, kind)                                                                                            \
	__global__ __aicore__ void name##_f32(__gm__ float *x, __gm__ float *y, __gm__ struct reduce_tiling *tiling)   \
	{                                                                                                              \
		reduce(kind, E_F32, x, y, tiling);                                                                     \
	}                                                                                                              \
	__global__ __aicore__ void name##_f16(__gm__ half *x, __gm__ half *y, __gm__ struct reduce_tiling *tiling)     \
	{                                                                                                              \
		reduce(kind, E_F16, x, y, tiling);                                                                     \
	}

ENTRIES(reduce_sum, KIND_SUM)
ENTRIES(reduce_max, KIND_MAX)
ENTRIES(reduce_min, KIND_MIN)
ENTRIES(reduce_mean, KIND_MEAN)
