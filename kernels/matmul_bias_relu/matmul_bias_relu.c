/*
 * matmul_bias_relu.c - C[M,N] = max(A[M,K] * B[K,N] + bias[N], 0) on the fused core of the 910: fp16 operands, fp32
 * bias and result. Any M, N, K >= 1.
 *
 *   GM -MTE2-> UB (rows) -MTE3-> L1 (NZ) -MTE1-> L0A, L0B -M-> L0C -V-> UB (+ bias, relu) -MTE3-> GM
 *
 * This chip copies whole 32-byte units only (16 elements of A and B, 8 of C), from and to any GM address. What that
 * means for matrices whose rows are no multiple of a unit is told at load_rows, tile_cut and store_chunk.
 */
#include "../tile.h"

struct matmul_bias_relu_tiling {
	uint32_t m, n, k;
	uint32_t base_m, base_n, base_k, step_k; /* multiples of 16; step_k of base_k; base_m, base_n >= 32 */
};

enum { UNIT = 32, UNIT_HALF = 16, UNIT_FLOAT = 8, FRACTAL = 256 /* elements */, STAGES = 2, GAP_MAX = 65535 };

/* Bytes. A and B share a stage of UB and of L1; half of L0A, L0B, L0C each. */
enum { IN_STAGE = 0x10000, L0_STAGE = 0x8000, L0C_STAGE = 0x20000 };

/* UB: two input stages, accumulators of a chunk in NZ, two stages of finished rows, bias of two tiles, zeros. */
enum {
	UB_IN = 0, UB_ACC = 0x20000, UB_OUT = 0x28000, OUT_STAGE = 0x8000, UB_BIAS = 0x38000, BIAS_STAGE = 0x400,
	UB_ZERO = 0x38800, BASE_N_MAX = 240
};

/* Event ids 0 and 1 are the stages of a buffer; bias has its own two. */
enum { EVENT_BIAS = 2 };

struct matmul {
	__gm__ half *a, *b;
	__gm__ float *bias, *c;
	uint32_t m, n, k, base_m, base_n, base_k, step_k;
	bool narrow;             /* a row of C is less than one strip */
	uint32_t tiles_m, tiles_n, tiles;
	uint32_t in_b;           /* where B starts in a stage of UB or L1, bytes */
	uint32_t chunk_rows;     /* rows of C that one stage of UB_OUT holds */
};

/* One L1 step of one tile of C. */
struct step {
	uint32_t tile, ordinal;              /* number of the tile, and how many this block did before it */
	uint32_t row, col, rows, cols;       /* of C */
	uint32_t strips;                     /* of 16 columns */
	bool ragged;                         /* the last strip is backed off: the last 16 columns of the matrix */
	uint32_t k0, depth;                  /* along K */
};

INLINE __ubuf__ half *ub_half(uint32_t at) { return (__ubuf__ half *)(uintptr_t)at; }
INLINE __ubuf__ float *ub_float(uint32_t at) { return (__ubuf__ float *)(uintptr_t)at; }
INLINE __cbuf__ half *l1_half(uint32_t at) { return (__cbuf__ half *)(uintptr_t)at; }

INLINE struct matmul matmul_of(__gm__ const struct matmul_bias_relu_tiling *t)
{
	struct matmul mm = {
		.m = t->m, .n = t->n, .k = t->k, .base_m = t->base_m, .base_n = t->base_n, .base_k = t->base_k,
		.step_k = t->step_k, .narrow = t->n < 16,
	};
	uint32_t width = min_u32(mm.base_n, round_up(mm.n, 16));

	require(mm.base_m >= 32 && mm.base_n >= 32 && mm.base_k && mm.step_k && mm.base_n <= BASE_N_MAX);
	require((mm.base_m | mm.base_n | mm.base_k) % 16 == 0 && mm.step_k % mm.base_k == 0);
	require(mm.base_m * mm.base_k * sizeof(half) <= L0_STAGE && mm.base_n * mm.base_k * sizeof(half) <= L0_STAGE);
	require(mm.base_m * mm.base_n * sizeof(float) <= L0C_STAGE && mm.base_m <= 256);
	require((mm.base_m + mm.base_n) * mm.step_k * sizeof(half) <= IN_STAGE);
	mm.tiles_m = ceil_div(mm.m, mm.base_m);
	mm.tiles_n = ceil_div(mm.n, mm.base_n);
	mm.tiles = mm.tiles_m * mm.tiles_n;
	mm.in_b = mm.base_m * mm.step_k * (uint32_t)sizeof(half);
	mm.chunk_rows = OUT_STAGE / ((width / UNIT_FLOAT + 1) * UNIT) / 16 * 16;
	return mm;
}

/*
 * First row (column) of tile i. A last tile of less than 16 rows (columns) takes 16 from its neighbour, so that every
 * backed-off write stays inside the tile of the block that makes it.
 */
INLINE uint32_t tile_cut(uint32_t i, uint32_t tiles, uint32_t base, uint32_t total)
{
	if (i >= tiles)
		return total;
	return i > 0 && i == tiles - 1 && total - i * base < 16 ? i * base - 16 : i * base;
}

INLINE struct step step_at(const struct matmul *mm, uint32_t tile, uint32_t ordinal)
{
	struct step s = { .tile = tile, .ordinal = ordinal };
	uint32_t i = tile / mm->tiles_n, j = tile % mm->tiles_n;

	s.row = tile_cut(i, mm->tiles_m, mm->base_m, mm->m);
	s.rows = tile_cut(i + 1, mm->tiles_m, mm->base_m, mm->m) - s.row;
	s.col = tile_cut(j, mm->tiles_n, mm->base_n, mm->n);
	s.cols = tile_cut(j + 1, mm->tiles_n, mm->base_n, mm->n) - s.col;
	s.strips = ceil_div(s.cols, 16);
	s.ragged = s.cols % 16 && !mm->narrow;
	s.depth = min_u32(mm->step_k, mm->k);
	return s;
}

/* The step behind s in this block's order; its tile is past the end when there is none. */
INLINE struct step step_next(const struct matmul *mm, const struct step *s)
{
	struct step next = *s;

	next.k0 = s->k0 + s->depth;
	if (next.k0 >= mm->k)
		return step_at(mm, s->tile + (uint32_t)get_block_num(), s->ordinal + 1);
	next.depth = min_u32(mm->step_k, mm->k - next.k0);
	return next;
}

/*
 * Rows of a matrix whose pitch is no multiple of a unit cannot be bursts of one copy: gaps are counted in units. But
 * every 2nd, 4th .. row can: 1 << result rows are whole units long.
 */
INLINE uint32_t row_shift(uint32_t pitch, uint32_t unit)
{
	uint32_t shift = 0;

	while ((pitch << shift) % unit)
		shift++;
	return shift;
}

/* Rows of `units` units from GM to UB, where they stand row_units apart. */
INLINE void copy_rows_in(uint32_t ub, __gm__ half *gm, uint32_t rows, uint32_t units, uint32_t pitch,
			 uint32_t row_units)
{
	uint32_t shift = row_shift(pitch, UNIT_HALF), period = 1u << shift;
	uint64_t src_gap = ((uint64_t)pitch << shift) / UNIT_HALF - units;
	uint32_t dst_gap = (row_units << shift) - units;

	if (src_gap > GAP_MAX) { /* no field for it: every row by itself */
		for (uint32_t r = 0; r < rows; r++)
			copy_gm_to_ubuf(ub_half(ub + r * row_units * UNIT), gm + (uint64_t)r * pitch, 0, 1,
					(uint16_t)units, 0, 0);
		return;
	}
	for (uint32_t p = 0; p < min_u32(period, rows); p++, ub += row_units * UNIT, gm += pitch)
		copy_gm_to_ubuf(ub_half(ub), gm, 0, (uint16_t)((rows - p + period - 1) >> shift), (uint16_t)units,
				(uint16_t)src_gap, (uint16_t)dst_gap);
}

/* Rows of `units` units from UB, row_units apart, to GM. */
INLINE void copy_rows_out(__gm__ float *gm, uint32_t ub, uint32_t rows, uint32_t units, uint32_t pitch,
			  uint32_t row_units)
{
	uint32_t shift = row_shift(pitch, UNIT_FLOAT), period = 1u << shift;
	uint64_t dst_gap = ((uint64_t)pitch << shift) / UNIT_FLOAT - units;
	uint32_t src_gap = (row_units << shift) - units;

	if (dst_gap > GAP_MAX) {
		for (uint32_t r = 0; r < rows; r++)
			copy_ubuf_to_gm(gm + (uint64_t)r * pitch, ub_float(ub + r * row_units * UNIT), 0, 1,
					(uint16_t)units, 0, 0);
		return;
	}
	for (uint32_t p = 0; p < min_u32(period, rows); p++, ub += row_units * UNIT, gm += pitch)
		copy_ubuf_to_gm(gm, ub_float(ub), 0, (uint16_t)((rows - p + period - 1) >> shift), (uint16_t)units,
				(uint16_t)src_gap, (uint16_t)dst_gap);
}

/* The last `cols` elements of `rows` rows by the scalar unit, once MTE3 has let go of the stage. */
INLINE void load_ends(uint32_t ub, __gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch,
		      uint32_t row_units)
{
	set_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
	wait_flag(PIPE_MTE3, PIPE_S, EVENT_ID0);
	for (uint32_t r = 0; r < rows; r++)
		for (uint32_t c = 0; c < cols; c++)
			ub_half(ub + r * row_units * UNIT)[c] = gm[(uint64_t)r * pitch + c];
	set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
	wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);
}

/*
 * rows x cols elements to UB. A row that ends inside a unit is read to the unit's end, into the row behind it: such
 * elements lie beyond the k of mad or in columns that are not stored. Only where that would pass the end of the matrix
 * (`left` elements from gm) does the scalar unit bring the last elements: one row, or a few when rows are short.
 */
INLINE void load_rows(uint32_t ub, __gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch,
		      uint32_t row_units, uint64_t left)
{
	uint32_t units = ceil_div(cols, UNIT_HALF), whole = cols / UNIT_HALF, in_units = whole * UNIT_HALF;
	uint32_t safe = rows, tail_ub;

	while (units > whole && safe > 0 && (uint64_t)(safe - 1) * pitch + units * UNIT_HALF > left)
		safe--;
	copy_rows_in(ub, gm, safe, units, pitch, row_units);
	if (safe == rows)
		return;
	tail_ub = ub + safe * row_units * UNIT;
	gm += (uint64_t)safe * pitch;
	if (whole)
		copy_rows_in(tail_ub, gm, rows - safe, whole, pitch, row_units);
	load_ends(tail_ub + whole * UNIT, gm + in_units, rows - safe, cols - in_units, pitch, row_units);
}

INLINE void load_bias(const struct matmul *mm, const struct step *s)
{
	uint32_t stage = s->ordinal % STAGES, ub = UB_BIAS + stage * BIAS_STAGE, whole = s->strips - s->ragged;

	wait_flag(PIPE_V, PIPE_MTE2, EVENT_BIAS + stage);
	copy_gm_to_ubuf(ub_float(ub), mm->bias + s->col, 0, 1, (uint16_t)(whole * 2), 0, 0);
	if (s->ragged)
		copy_gm_to_ubuf(ub_float(ub) + whole * 16, mm->bias + mm->n - 16, 0, 1, 2, 0, 0);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_BIAS + stage);
}

/*
 * `rows` rows of `strips` units in UB to NZ in L1, strips of strip_rows rows: bursts of one unit. As in load_l0 the
 * loop moves addresses and leaves the operand word as it is: the least work for the scalar unit.
 */
INLINE void rows_to_nz(uint32_t l1, uint32_t ub, uint32_t rows, uint32_t strips, uint32_t strip_rows)
{
	__cbuf__ half *dst = l1_half(l1);
	__ubuf__ half *src = ub_half(ub);

	for (uint32_t i = strips; i > 0; i--, dst += strip_rows * UNIT_HALF, src += UNIT_HALF)
		copy_ubuf_to_cbuf(dst, src, 0, (uint16_t)rows, 1, (uint16_t)(strips - 1), 0);
}

/* A and B of a step from GM to UB, where rows stand as in GM, and on to L1. */
INLINE void load_step(const struct matmul *mm, const struct step *s, uint32_t stage)
{
	uint32_t ub_a = UB_IN + stage * IN_STAGE, ub_b = ub_a + mm->in_b;
	uint32_t l1_a = stage * IN_STAGE, l1_b = l1_a + mm->in_b;
	uint32_t k1 = ceil_div(s->depth, 16), whole = s->strips - s->ragged;
	uint64_t at_a = (uint64_t)s->row * mm->k + s->k0, at_b = (uint64_t)s->k0 * mm->n;

	if (s->k0 == 0 && !mm->narrow)
		load_bias(mm, s);
	wait_flag(PIPE_MTE3, PIPE_MTE2, stage);
	load_rows(ub_a, mm->a + at_a, s->rows, s->depth, mm->k, k1, (uint64_t)mm->m * mm->k - at_a);
	load_rows(ub_b, mm->b + at_b + s->col, s->depth, min_u32(whole * 16, s->cols), mm->n, s->strips,
		  (uint64_t)mm->k * mm->n - at_b - s->col);
	if (s->ragged)
		copy_rows_in(ub_b + whole * UNIT, mm->b + at_b + mm->n - 16, s->depth, 1, mm->n, s->strips);
	set_flag(PIPE_MTE2, PIPE_MTE3, stage);

	wait_flag(PIPE_MTE2, PIPE_MTE3, stage);
	wait_flag(PIPE_MTE1, PIPE_MTE3, stage);
	rows_to_nz(l1_a, ub_a, s->rows, k1, round_up(s->rows, 16));
	rows_to_nz(l1_b, ub_b, s->depth, s->strips, k1 * 16);
	set_flag(PIPE_MTE3, PIPE_MTE2, stage);
	set_flag(PIPE_MTE3, PIPE_MTE1, stage);
}

/*
 * NZ [k1][m1] to ZZ [m1][k1] in L0A; NZ [n1][k1] of B to ZN [k1][n1] in L0B, every fractal transposed.
 */
INLINE void load_l0(uint32_t l0, uint32_t l1_a, uint32_t l1_b, uint32_t m1, uint32_t n1, uint32_t all_k1,
		    uint32_t first_k1, uint32_t k1)
{
	__ca__ half *l0a = (__ca__ half *)(uintptr_t)l0;
	__cb__ half *l0b = (__cb__ half *)(uintptr_t)l0;
	__cbuf__ half *a = l1_half(l1_a) + first_k1 * m1 * FRACTAL, *b = l1_half(l1_b) + first_k1 * FRACTAL;

	for (uint32_t i = m1; i > 0; i--, l0a += k1 * FRACTAL, a += FRACTAL)
		load_cbuf_to_ca(l0a, a, 0, (uint8_t)k1, (uint16_t)m1, 0, false, inc);
	for (uint32_t i = k1; i > 0; i--, l0b += n1 * FRACTAL, b += FRACTAL)
		load_cbuf_to_cb(l0b, b, 0, (uint8_t)n1, (uint16_t)all_k1, 0, true, inc);
}

INLINE void multiply_step(const struct matmul *mm, const struct step *s, uint32_t stage, uint32_t *l0_steps)
{
	uint32_t l1_a = stage * IN_STAGE, m1 = ceil_div(s->rows, 16), l0c = s->ordinal % STAGES * L0C_STAGE;
	/* m = 1 would mean a matrix-vector product with another layout of A; the extra rows are not stored */
	uint16_t m = (uint16_t)(s->rows == 1 ? 16 : s->rows), n = (uint16_t)(s->strips * 16);

	wait_flag(PIPE_MTE3, PIPE_MTE1, stage);
	if (s->k0 == 0)
		wait_flag(PIPE_V, PIPE_M, s->ordinal % STAGES);
	for (uint32_t k = 0; k < s->depth; k += mm->base_k) {
		uint32_t depth = min_u32(mm->base_k, s->depth - k);
		uint32_t l0_stage = (*l0_steps)++ % STAGES, l0 = l0_stage * L0_STAGE;

		wait_flag(PIPE_M, PIPE_MTE1, l0_stage);
		load_l0(l0, l1_a, l1_a + mm->in_b, m1, s->strips, ceil_div(s->depth, 16), k / 16, ceil_div(depth, 16));
		set_flag(PIPE_MTE1, PIPE_M, l0_stage);

		wait_flag(PIPE_MTE1, PIPE_M, l0_stage);
		mad((__cc__ float *)(uintptr_t)l0c, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, m,
		    (uint16_t)depth, n, s->k0 + k == 0);
		set_flag(PIPE_M, PIPE_MTE1, l0_stage);
		/* below ten fractals the cube does not order the next accumulation behind this one by itself */
		if (m1 * s->strips < 10)
			pipe_barrier(PIPE_M);
	}
	set_flag(PIPE_MTE1, PIPE_MTE3, stage);
}

/*
 * Accumulators of `rows` rows (NZ in UB) + bias, relu, as rows in `out`. A repeat takes eight columns of eight rows:
 * one block of each row, with the same block of bias for all. The row pitch is odd in blocks, so that the eight blocks
 * of a repeat fall into eight bank groups.
 */
INLINE void finish_chunk(uint32_t out, uint32_t bias, uint32_t rows, uint32_t strips, uint8_t pitch)
{
	uint8_t repeats = (uint8_t)ceil_div(rows, 8);
	uint32_t strip = round_up(rows, 16) * 2 * UNIT_FLOAT, halves = strips * 2;
	__ubuf__ float *dst = ub_float(out), *acc = ub_float(UB_ACC), *add = ub_float(bias);

	for (uint32_t i = strips; i > 0; i--, acc += strip)
		for (uint32_t h = 0; h < 2; h++, dst += UNIT_FLOAT, add += UNIT_FLOAT)
			vadd(dst, acc + h * UNIT_FLOAT, add, repeats, pitch, 2, 0, 8 * pitch, 16, 0);
	pipe_barrier(PIPE_V);
	dst = ub_float(out);
	for (uint32_t i = halves; i > 0; i--, dst += UNIT_FLOAT)
		vmax(dst, dst, ub_float(UB_ZERO), repeats, pitch, pitch, 0, 8 * pitch, 8 * pitch, 0);
}

/*
 * Whole strips leave as they are. When N is no multiple of 16, the last strip holds the last 16 columns: its last one
 * or two units end with the row and write some columns of the strip before it once more, with the same values.
 */
INLINE void store_chunk(const struct matmul *mm, const struct step *s, uint32_t row, uint32_t rows, uint32_t out,
			uint32_t pitch)
{
	__gm__ float *c = mm->c + (uint64_t)row * mm->n;
	uint32_t tail = mm->n % 16 <= 8 ? 1 : 2;

	copy_rows_out(c + s->col, out, rows, (s->strips - s->ragged) * 2, mm->n, pitch);
	if (!s->ragged)
		return;
	pipe_barrier(PIPE_MTE3);
	copy_rows_out(c + mm->n - tail * UNIT_FLOAT, out + (s->strips * 2 - tail) * UNIT, rows, tail, mm->n, pitch);
}

/*
 * Rows shorter than a strip: the tile is one piece of C. The scalar unit packs its rows; the last unit is packed once
 * more so that it ends with the piece. Less than a unit is the whole of C: the scalar unit writes it to GM itself.
 */
INLINE void store_narrow(const struct matmul *mm, const struct step *s, uint32_t out, uint32_t pitch, uint32_t stage)
{
	__gm__ float *c = mm->c + (uint64_t)s->row * mm->n;
	__ubuf__ float *packed = ub_float(out);
	uint32_t n = s->rows * mm->n, units = n / UNIT_FLOAT, last = round_up(n, UNIT_FLOAT);

	set_flag(PIPE_V, PIPE_S, EVENT_ID0);
	wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
	for (uint32_t r = 0; r < s->rows; r++)
		for (uint32_t i = 0; i < mm->n; i++)
			packed[r * mm->n + i] = packed[r * pitch * UNIT_FLOAT + i];
	for (uint32_t i = 0; i < UNIT_FLOAT && units; i++)
		packed[last + i] = packed[n - UNIT_FLOAT + i];
	for (uint32_t i = 0; i < n && !units; i++)
		c[i] = packed[i];
	if (!units)
		dcci(c, ENTIRE_DATA_CACHE, CACHELINE_OUT);
	set_flag(PIPE_S, PIPE_MTE3, stage); /* MTE3 may be a tile behind */
	wait_flag(PIPE_S, PIPE_MTE3, stage);
	if (units)
		copy_ubuf_to_gm(c, packed, 0, 1, (uint16_t)units, 0, 0);
	if (units && n % UNIT_FLOAT) {
		pipe_barrier(PIPE_MTE3);
		copy_ubuf_to_gm(c + n - UNIT_FLOAT, packed + last, 0, 1, 1, 0, 0);
	}
}

/* A tile of C from L0C to GM, in chunks of rows. *chunks counts the block's chunks: the stage of UB_OUT alternates. */
INLINE void finish_tile(const struct matmul *mm, const struct step *s, uint32_t *chunks)
{
	uint32_t stage = s->ordinal % STAGES, l0c = stage * L0C_STAGE, bias = UB_BIAS + stage * BIAS_STAGE;
	uint32_t m1 = ceil_div(s->rows, 16), pitch = s->strips * 2 + 1;

	set_flag(PIPE_M, PIPE_V, stage);
	wait_flag(PIPE_M, PIPE_V, stage);
	if (!mm->narrow)
		wait_flag(PIPE_MTE2, PIPE_V, EVENT_BIAS + stage);
	for (uint32_t row = 0; row < s->rows; row += mm->chunk_rows) {
		uint32_t rows = min_u32(mm->chunk_rows, s->rows - row), fractals = ceil_div(rows, 16);
		uint32_t out_stage = (*chunks)++ % STAGES, out = UB_OUT + out_stage * OUT_STAGE;

		wait_flag(PIPE_MTE3, PIPE_V, out_stage);
		copy_matrix_cc_to_ubuf(ub_float(UB_ACC), (__cc__ float *)(uintptr_t)l0c + row / 16 * FRACTAL, 0,
				       (uint16_t)s->strips, (uint16_t)fractals, (uint16_t)(m1 - fractals), 0,
				       CRMODE_NONE);
		pipe_barrier(PIPE_V);
		finish_chunk(out, bias, rows, s->strips, (uint8_t)pitch);
		set_flag(PIPE_V, PIPE_MTE3, out_stage);

		wait_flag(PIPE_V, PIPE_MTE3, out_stage);
		if (mm->narrow)
			store_narrow(mm, s, out, pitch, out_stage);
		else
			store_chunk(mm, s, s->row + row, rows, out, pitch);
		set_flag(PIPE_MTE3, PIPE_V, out_stage);
	}
	set_flag(PIPE_V, PIPE_M, stage);
	if (!mm->narrow)
		set_flag(PIPE_V, PIPE_MTE2, EVENT_BIAS + stage);
}

INLINE void stages_free(bool bias)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_MTE3, PIPE_MTE2, s);
		set_flag(PIPE_MTE1, PIPE_MTE3, s);
		set_flag(PIPE_M, PIPE_MTE1, s);
		set_flag(PIPE_V, PIPE_M, s);
		set_flag(PIPE_MTE3, PIPE_V, s);
		if (bias)
			set_flag(PIPE_V, PIPE_MTE2, EVENT_BIAS + s);
	}
}

INLINE void stages_drain(bool bias)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_MTE3, PIPE_MTE2, s);
		wait_flag(PIPE_MTE1, PIPE_MTE3, s);
		wait_flag(PIPE_M, PIPE_MTE1, s);
		wait_flag(PIPE_V, PIPE_M, s);
		wait_flag(PIPE_MTE3, PIPE_V, s);
		if (bias)
			wait_flag(PIPE_V, PIPE_MTE2, EVENT_BIAS + s);
	}
}

/* Constants of the epilogue in UB: zeros, and for rows shorter than a strip the whole bias, by the scalar unit. */
INLINE void set_constants(const struct matmul *mm)
{
	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	vector_dup(ub_float(UB_ZERO), 0.0f, 1, 1, 1, 8, 0);
	if (!mm->narrow)
		return;
	for (uint32_t s = 0; s < STAGES; s++)
		for (uint32_t i = 0; i < 16; i++)
			ub_float(UB_BIAS + s * BIAS_STAGE)[i] = i < mm->n ? mm->bias[i] : 0.0f;
	set_flag(PIPE_S, PIPE_V, EVENT_ID0);
	wait_flag(PIPE_S, PIPE_V, EVENT_ID0);
}

__global__ __aicore__ void matmul_bias_relu(__gm__ half *a, __gm__ half *b, __gm__ float *bias, __gm__ float *c,
					    __gm__ struct matmul_bias_relu_tiling *tiling)
{
	struct matmul mm = matmul_of(tiling);
	struct step next, step;
	uint32_t l0_steps = 0, chunks = 0;

	mm.a = a, mm.b = b, mm.bias = bias, mm.c = c;
	next = step = step_at(&mm, (uint32_t)get_block_idx(), 0);
	if (next.tile >= mm.tiles)
		return;
	set_constants(&mm);
	stages_free(!mm.narrow);
	for (uint32_t i = 0; i == 0 || step.tile < mm.tiles; i++) {
		if (next.tile < mm.tiles)
			load_step(&mm, &next, i % STAGES);
		if (i > 0)
			multiply_step(&mm, &step, (i - 1) % STAGES, &l0_steps);
		if (i > 0 && next.tile != step.tile)
			finish_tile(&mm, &step, &chunks);
		step = next;
		next = step_next(&mm, &step);
	}
	stages_drain(!mm.narrow);
}
