/*
 * rows.h - kernels over the rows of matrices [rows, cols] on the vector cores of the 910B and the fused cores of the 910 and
 * 310P: tiles of whole rows through two stages of UB (`row_stream`), one value per row (sum, maximum, minimum), that value
 * against all columns of its row, a vector against all rows, and the sum of rows. fp32.
 */
#ifndef ROWS_H
#define ROWS_H

#include "row_copy.h"

enum { FOLD_ROWS = 100 };
enum fold_op { FOLD_SUM, FOLD_MAX, FOLD_MIN };

/* A tile's geometry and the places that reductions use. */
struct rows {
	uint32_t cols, pitch; /* elements; pitch a multiple of 8 */
	uint32_t fold;        /* UB: 64 lanes of FOLD_ROWS rows */
	uint32_t stat;        /* UB: one value per row, 256 of them */
	uint32_t broad;       /* UB: the same, a block of 32 bytes per row */
};
enum { ROWS_STAT_BYTES = 1024, ROWS_BROAD_BYTES = 8192, ROWS_BYTES = FOLD_ROWS * LANES * 4 + 1024 + 8192 };

/* ROWS_BYTES at `at`. */
INLINE struct rows rows_at(uint32_t cols, uint32_t pitch, uint32_t at)
{
	struct rows r = { .cols = cols, .pitch = pitch, .fold = at, .stat = at + FOLD_ROWS * LANES * 4 };

	r.broad = r.stat + ROWS_STAT_BYTES;
	/* vbrcb reads eight values at a time: those behind the last row shall be defined */
	fill_f32(r.stat, 0.0f, 256);
	return r;
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

/* Fewer rows than strips of 64 columns: a row per instruction. Otherwise rows are short enough for repeat strides. */
INLINE bool by_row(uint32_t cols, uint32_t rows) { return rows < ceil_div(cols, LANES) || cols > LANES * 31; }

/* Rows that a reduction takes at a time; a maximum of the fused cores folds short rows too. */
INLINE uint32_t rows_most(uint32_t cols) { return cols <= LANES && COPIES_BYTES ? REPEAT_MAX : FOLD_ROWS; }

/* What a fold starts from. The fused cores saturate: nothing is beyond their largest number. */
INLINE float fold_least(enum fold_op op)
{
	float most = COPIES_BYTES ? __builtin_inff() : 3.402823466e+38f;

	return op == FOLD_SUM ? 0.0f : op == FOLD_MAX ? -most : most;
}

INLINE void fold_insn(enum fold_op op, uint32_t to, uint32_t src, uint8_t repeats, uint8_t to_rep, uint8_t src_rep)
{
	if (op == FOLD_SUM)
		vadd(ub_f32(to), ub_f32(src), ub_f32(to), repeats, 1, 1, 1, to_rep, src_rep, to_rep);
	else if (op == FOLD_MAX)
		vmax(ub_f32(to), ub_f32(src), ub_f32(to), repeats, 1, 1, 1, to_rep, src_rep, to_rep);
	else
		vmin(ub_f32(to), ub_f32(src), ub_f32(to), repeats, 1, 1, 1, to_rep, src_rep, to_rep);
}

/* The first 64 columns of each row. */
INLINE void fold_start(uint32_t fold, uint32_t from, uint32_t rows, uint16_t pitch)
{
#if __NPU_ARCH__ == 2201
	vcopy(ub_u32(fold), ub_u32(from), (uint8_t)rows, 1, 1, 8, pitch);
#else
	vmuls(ub_f32(fold), ub_f32(from), 1.0f, (uint8_t)rows, 1, 1, 8, pitch);
#endif
}

/* Fold the columns of each row at `from` onto 64 lanes. */
INLINE void fold_rows(const struct rows *r, uint32_t from, uint32_t rows, enum fold_op op)
{
	uint8_t pitch = (uint8_t)(r->pitch / 8);

	fold_start(r->fold, from, rows, (uint16_t)(r->pitch / 8));
	pipe_barrier(PIPE_V);
	if (by_row(r->cols, rows)) {
		for (struct part p = part_first(r->cols - LANES); p.repeats; p = part_next(p)) {
			uint32_t fold = r->fold, src = from + (LANES + p.at) * 4;

			for (uint32_t i = rows; i > 0; i--, fold += LANES * 4, src += r->pitch * 4)
				fold_insn(op, fold, src, p.repeats, 0, 8);
			pipe_barrier(PIPE_V);
		}
		return;
	}
	for (uint32_t col = LANES; col < r->cols; col += LANES) {
		mask_lanes(min_u32(LANES, r->cols - col));
		fold_insn(op, r->fold, from + col * 4, (uint8_t)rows, 8, pitch);
		pipe_barrier(PIPE_V);
	}
	mask_lanes(LANES);
}

#if __NPU_ARCH__ == 2201

/* One value per row at `from` to `stat`: the reduction alone, without its blocks. Normal mode, all lanes. */
INLINE void rows_stat(const struct rows *r, uint32_t from, uint32_t rows, enum fold_op op)
{
	bool folded = r->cols > LANES;
	uint32_t src = folded ? r->fold : from;
	uint16_t pitch = (uint16_t)(folded ? LANES / 8 : r->pitch / 8);

	if (folded)
		fold_rows(r, from, rows, op);
	mask_lanes(min_u32(LANES, r->cols));
	if (op == FOLD_SUM)
		vcadd(ub_f32(r->stat), ub_f32(src), (uint8_t)rows, 1, 1, pitch, false);
	else if (op == FOLD_MAX)
		vcmax(ub_f32(r->stat), ub_f32(src), (uint8_t)rows, 1, 1, pitch, ONLY_VALUE);
	else
		vcmin(ub_f32(r->stat), ub_f32(src), (uint8_t)rows, 1, 1, pitch, ONLY_VALUE);
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
}

/* The values at `stat` to a block each at `broad`. */
INLINE void rows_spread(const struct rows *r, uint32_t stat, uint32_t broad, uint32_t rows)
{
	vbrcb(ub_u32(broad), ub_u32(stat), 1, 8, (uint8_t)ceil_div(rows, 8));
	pipe_barrier(PIPE_V);
	(void)r;
}

#else

/* Of each block of 8 elements one value. */
INLINE void group_insn(enum fold_op op, uint32_t to, uint32_t src, uint8_t repeats)
{
	if (op == FOLD_MAX)
		vcgmax(ub_f32(to), ub_f32(src), repeats, 1, 1, 8);
	else
		vcgmin(ub_f32(to), ub_f32(src), repeats, 1, 1, 8);
}

/* Maximum or minimum: the 910 has it per block of 8 elements only, so that two of them make one of 64 lanes. */
INLINE void rows_extreme(const struct rows *r, uint32_t from, uint32_t rows, enum fold_op op)
{
	uint32_t blocks = r->broad;

	if (r->cols > LANES) {
		fold_rows(r, from, rows, op);
	} else {
		vector_dup(ub_f32(r->fold), fold_least(op), (uint8_t)rows, 1, 1, 8, 0);
		pipe_barrier(PIPE_V);
		mask_lanes(r->cols);
		fold_insn(op, r->fold, from, (uint8_t)rows, 8, (uint8_t)(r->pitch / 8));
		mask_lanes(LANES);
		pipe_barrier(PIPE_V);
	}
	group_insn(op, blocks, r->fold, (uint8_t)rows);
	pipe_barrier(PIPE_V);
	if (rows / 8)
		group_insn(op, r->stat, blocks, (uint8_t)(rows / 8));
	if (rows % 8) {
		mask_lanes(rows % 8 * 8);
		group_insn(op, r->stat + rows / 8 * 32, blocks + rows / 8 * 256, 1);
		mask_lanes(LANES);
	}
	pipe_barrier(PIPE_V);
}

/* One value per row at `from` to `stat`: the reduction alone, without its blocks. Normal mode, all lanes. */
INLINE void rows_stat(const struct rows *r, uint32_t from, uint32_t rows, enum fold_op op)
{
	bool folded = r->cols > LANES;

	if (op != FOLD_SUM) {
		rows_extreme(r, from, rows, op);
		return;
	}
	if (folded)
		fold_rows(r, from, rows, op);
	mask_lanes(min_u32(LANES, r->cols));
	vcadd(ub_f32(r->stat), ub_f32(folded ? r->fold : from), (uint8_t)rows, 1, 1,
	      (uint16_t)(folded ? LANES / 8 : r->pitch / 8));
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
}

/* The values at `stat` to a block each at `broad`: through the scalar unit. */
INLINE void rows_spread(const struct rows *r, uint32_t stat, uint32_t broad, uint32_t rows)
{
	PIPE_AFTER(PIPE_V, PIPE_S);
	mask_lanes(8);
	for (uint32_t i = 0; i < rows; i++)
		vector_dup(ub_f32(broad) + i * 8, ub_f32(stat)[i], 1, 1, 1, 8, 0);
	mask_lanes(LANES);
	PIPE_AFTER(PIPE_S, PIPE_V);
	pipe_barrier(PIPE_V);
	(void)r;
}

#endif

INLINE void rows_reduce(const struct rows *r, uint32_t from, uint32_t rows, enum fold_op op)
{
	rows_stat(r, from, rows, op);
	rows_spread(r, r->stat, r->broad, rows);
}

/*
 * insn on all elements: dst = src insn block, where row i takes block i at `blocks` (block_step 8 elements), or dst =
 * src insn vector, where every row takes the same vector of `pitch` elements.
 */
#define ROWS_WITH_BLOCKS(insn, r, dst, src, blocks, n_rows)                                                            \
	do {                                                                                                           \
		uint32_t n_ = (n_rows), to_ = (dst), of_ = (src), with_ = (blocks), pitch_ = (r)->pitch;               \
		if (by_row(pitch_, n_)) {                                                                              \
			for (struct part p_ = part_first(pitch_); p_.repeats; p_ = part_next(p_))                      \
				for (uint32_t i_ = 0; i_ < n_; i_++)                                                   \
					insn(ub_f32(to_) + i_ * pitch_ + p_.at, ub_f32(of_) + i_ * pitch_ + p_.at,     \
					     ub_f32(with_) + i_ * 8, p_.repeats, 1, 1, 0, 8, 8, 0);                    \
		} else {                                                                                               \
			for (uint32_t c_ = 0; c_ < pitch_; c_ += LANES) {                                              \
				mask_lanes(min_u32(LANES, pitch_ - c_));                                               \
				insn(ub_f32(to_) + c_, ub_f32(of_) + c_, ub_f32(with_), (uint8_t)n_, 1, 1, 0,          \
				     (uint8_t)(pitch_ / 8), (uint8_t)(pitch_ / 8), 1);                                 \
			}                                                                                              \
			mask_lanes(LANES);                                                                             \
		}                                                                                                      \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

#define ROWS_WITH_VECTOR(insn, r, dst, src, vector, n_rows)                                                            \
	do {                                                                                                           \
		uint32_t n_ = (n_rows), to_ = (dst), of_ = (src), with_ = (vector), pitch_ = (r)->pitch;               \
		if (by_row(pitch_, n_)) {                                                                              \
			for (struct part p_ = part_first(pitch_); p_.repeats; p_ = part_next(p_))                      \
				for (uint32_t i_ = 0; i_ < n_; i_++)                                                   \
					insn(ub_f32(to_) + i_ * pitch_ + p_.at, ub_f32(of_) + i_ * pitch_ + p_.at,     \
					     ub_f32(with_) + p_.at, p_.repeats, 1, 1, 1, 8, 8, 8);                     \
		} else {                                                                                               \
			for (uint32_t c_ = 0; c_ < pitch_; c_ += LANES) {                                              \
				mask_lanes(min_u32(LANES, pitch_ - c_));                                               \
				insn(ub_f32(to_) + c_, ub_f32(of_) + c_, ub_f32(with_) + c_, (uint8_t)n_, 1, 1, 1,     \
				     (uint8_t)(pitch_ / 8), (uint8_t)(pitch_ / 8), 0);                                 \
			}                                                                                              \
			mask_lanes(LANES);                                                                             \
		}                                                                                                      \
		pipe_barrier(PIPE_V);                                                                                  \
	} while (0)

/* acc[0 .. pitch) = acc op each row at `from`, row after row. */
INLINE void rows_gather(const struct rows *r, uint32_t acc, uint32_t from, uint32_t rows, enum fold_op op)
{
	if (by_row(r->pitch, rows)) {
		for (uint32_t i = 0; i < rows; i++) {
			for (struct part p = part_first(r->pitch); p.repeats; p = part_next(p))
				fold_insn(op, acc + p.at * 4, from + (i * r->pitch + p.at) * 4, p.repeats, 8, 8);
			pipe_barrier(PIPE_V);
		}
		return;
	}
	for (uint32_t col = 0; col < r->pitch; col += LANES) {
		mask_lanes(min_u32(LANES, r->pitch - col));
		fold_insn(op, acc + col * 4, from + col * 4, (uint8_t)rows, 0, (uint8_t)(r->pitch / 8));
	}
	mask_lanes(LANES);
	pipe_barrier(PIPE_V);
}

/* ---- tiles of rows ---- */

struct row_stream {
	uint32_t n_in, n_out, work;  /* work: fp32 tiles of the body's own */
	enum elem in_elem[STREAM_IN], out_elem[STREAM_OUT];
	__gm__ const void *in[STREAM_IN];
	__gm__ void *out[STREAM_OUT];
	uint32_t cols, tile;         /* tile: elements */
	uint32_t first, count;       /* rows of this block */
	uint32_t pitch, tile_rows, tiles;
	uint64_t rows;               /* of the matrix; the 910B has no need of it */
};

struct row_tile {
	uint32_t rows, first;        /* first: row of the matrix */
	uint32_t in[STREAM_IN], out[STREAM_OUT], work;
};

typedef void row_body(const void *context, const struct row_tile *t);

INLINE uint32_t row_stage_bytes(const struct row_stream *s)
{
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < s->n_in; i++)
		bytes += s->tile * elem_bytes(s->in_elem[i]);
	for (uint32_t i = 0; i < s->n_out; i++)
		bytes += s->tile * elem_bytes(s->out_elem[i]);
	return bytes;
}

/* First byte of UB behind the stages and work tiles. */
INLINE uint32_t row_stream_end(const struct row_stream *s)
{
	return STAGES * row_stage_bytes(s) + s->work * s->tile * 4;
}

/*
 * The block's share of rows, the pitch of rows in UB and the rows of a tile. A row has to fit. Where copies are whole units,
 * a share of rows starts at one (and at a multiple of `unit` rows); a tile of short rows has 32 bytes at least, so that the
 * last one may be as much longer.
 */
INLINE void row_share_of(struct row_stream *s, uint32_t rows, uint32_t cols, uint32_t tile, uint32_t unit)
{
	uint32_t bytes = cols * elem_bytes(s->out_elem[0]);
	struct span own = span_of_block(rows / unit);

	if (!COPIES_BYTES)
		s->rows = rows;
	s->first = own.first * unit;
	s->count = own.count * unit + (own.last ? rows % unit : 0);
	s->cols = cols;
	s->tile = tile;
	s->pitch = round_up(cols, 16); /* whole blocks of 2-byte elements too */
	require(tile && tile % LANES == 0);
	limit(s->pitch <= tile, "a row, rounded up to 16 elements, fits into a tile (`tile` elements)");
	s->tile_rows = min_u32(tile / s->pitch, rows_most(cols));
	if (!COPIES_BYTES && bytes < 32) {
		uint32_t least = rows_unit(bytes);

		limit(s->tile_rows >= 2 * least, "on the fused cores rows of less than 32 bytes need a `tile` of 512 elements");
		s->tile_rows = (s->tile_rows - least) / least * least;
		s->tiles = s->count / s->tile_rows + (s->count % s->tile_rows >= least);
		s->tiles += !s->tiles && s->count;
		return;
	}
	s->tiles = ceil_div(s->count, s->tile_rows);
}

INLINE void row_share(struct row_stream *s, uint32_t rows, uint32_t cols, uint32_t tile)
{
	row_share_of(s, rows, cols, tile, rows_unit(cols * elem_bytes(s->out_elem[0])));
}

INLINE uint32_t row_gap(const struct row_stream *s, uint32_t size)
{
	return s->pitch * size / 32 - ceil_div(s->cols * size, 32);
}

INLINE struct row_tile row_tile_at(const struct row_stream *s, uint32_t i, uint32_t stage_bytes)
{
	struct row_tile t = { .first = s->first + i * s->tile_rows };
	uint32_t at = i % STAGES * stage_bytes;

	t.rows = COPIES_BYTES ? min_u32(s->tile_rows, s->count - i * s->tile_rows)
		 : i + 1 < s->tiles ? s->tile_rows : s->count - i * s->tile_rows;
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

INLINE void row_load(const struct row_stream *s, const struct row_tile *t, uint32_t stage)
{
	wait_flag(PIPE_V, PIPE_MTE2, stage);
	for (uint32_t k = 0; k < s->n_in; k++) {
		uint32_t size = elem_bytes(s->in_elem[k]);
		__gm__ const uint8_t *gm = (__gm__ const uint8_t *)s->in[k] + (uint64_t)t->first * s->cols * size;

		/* the elements that fill the last block of a row are copies of the row's first: defined, unused */
#if __NPU_ARCH__ == 2201
		if (size == 4)
			copy_gm_to_ubuf_align_b32(ub_f32(t->in[k]), (__gm__ void *)gm, 0, (uint16_t)t->rows,
						  s->cols * size, 0, 0, 0, row_gap(s, size));
		else
			copy_gm_to_ubuf_align_b16(ub_f16(t->in[k]), (__gm__ void *)gm, 0, (uint16_t)t->rows,
						  s->cols * size, 0, 0, 0, row_gap(s, size));
#else
		rows_in(t->in[k], gm, t->rows, s->cols * size, s->cols * size, s->pitch * size,
			(s->rows - t->first) * s->cols * size, size);
#endif
	}
	set_flag(PIPE_MTE2, PIPE_V, stage);
}

INLINE void row_store(const struct row_stream *s, const struct row_tile *t, uint32_t stage)
{
	set_flag(PIPE_V, PIPE_MTE3, stage);
	wait_flag(PIPE_V, PIPE_MTE3, stage);
	for (uint32_t k = 0; k < s->n_out; k++) {
		uint32_t size = elem_bytes(s->out_elem[k]);

		__gm__ uint8_t *gm = (__gm__ uint8_t *)s->out[k] + (uint64_t)t->first * s->cols * size;

#if __NPU_ARCH__ == 2201
		store_bytes(gm, t->out[k], t->rows, s->cols * size, row_gap(s, size), 0);
#else
		rows_out(gm, t->out[k], t->rows, s->cols * size, s->cols * size, s->pitch * size, size, stage, k);
#endif
	}
	set_flag(PIPE_MTE3, PIPE_V, stage);
}

/* The body is called in normal mode with all lanes on, and leaves it so. */
INLINE void row_stream(const struct row_stream *s, row_body *body, const void *context)
{
	uint32_t stage_bytes = row_stage_bytes(s), tiles = s->tiles;

	if (!tiles)
		return;
	/* blocks of a row that no copy writes: defined once */
	if (s->pitch > round_up(s->cols, 8))
		fill_f32(0, 0.0f, STAGES * stage_bytes / 4);
	PIPE_AFTER(PIPE_V, PIPE_MTE2);
	stages_free();
	for (uint32_t i = 0; i <= tiles; i++) {
		if (i < tiles) {
			struct row_tile t = row_tile_at(s, i, stage_bytes);

			row_load(s, &t, i % STAGES);
		}
		if (i > 0) {
			struct row_tile t = row_tile_at(s, i - 1, stage_bytes);
			uint32_t stage = (i - 1) % STAGES;

			wait_flag(PIPE_MTE2, PIPE_V, stage);
			wait_flag(PIPE_MTE3, PIPE_V, stage);
			pipe_barrier(PIPE_V);
			body(context, &t);
			set_flag(PIPE_V, PIPE_MTE2, stage);
			row_store(s, &t, stage);
		}
	}
	stages_drain();
}

/* rows x pitch elements of a tile to fp32 at dst, or where they are. */
INLINE uint32_t tile_f32(const struct row_stream *s, uint32_t dst, uint32_t src, uint32_t rows, enum elem e)
{
	if (e == E_F32)
		return src;
	count_lanes(rows * s->pitch);
	to_f32(dst, src, e);
	all_lanes();
	return dst;
}

INLINE void tile_from_f32(const struct row_stream *s, uint32_t dst, uint32_t src, uint32_t rows, enum elem e)
{
	if (e == E_F32 && dst == src)
		return;
	count_lanes(rows * s->pitch);
	from_f32(dst, src, e);
	all_lanes();
}

/* A vector of n elements of GM, type e, to fp32 at `at` (n rounded up to 16 elements of room), through `work`. */
INLINE void load_vector(uint32_t at, __gm__ const void *gm, uint32_t n, enum elem e, uint32_t work)
{
	uint32_t to = e == E_F32 ? at : work;

	PIPE_AFTER(PIPE_V, PIPE_MTE2);
#if __NPU_ARCH__ == 2201
	if (e == E_F32)
		copy_gm_to_ubuf_align_b32(ub_f32(to), (__gm__ void *)gm, 0, 1, n * 4, 0, 0, 0, 0);
	else
		copy_gm_to_ubuf_align_b16(ub_f16(to), (__gm__ void *)gm, 0, 1, n * 2, 0, 0, 0, 0);
#else
	rows_in(to, gm, 1, n * elem_bytes(e), 0, 0, n * elem_bytes(e), elem_bytes(e));
#endif
	PIPE_AFTER(PIPE_MTE2, PIPE_V);
	if (e != E_F32) {
		count_lanes(n);
		to_f32(at, work, e);
		all_lanes();
	}
}

#endif
