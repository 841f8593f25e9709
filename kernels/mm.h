/*
 * mm.h - the matrix product of kernels/matmul for more element types and more kinds of work: C = A * B (+ bias),
 * tiles from a function that says what tile t is. fp16, bf16, s8 and fp32 (or HF32) operands; B as [K,N] or [N,K];
 * bias through the bias table; store, add atomically, quantise or activate in the fixpipe. Sparse s8: B as fractals
 * of two stored rows of each four, with their indices (kernels/matmul_sparse). Cube cores of the 910B.
 *
 *   GM --nd2nz--> L1 (NZ, 2 stages) --load2d--> L0A (ZZ), L0B (ZN) (2 stages each) --mad--> L0C --fixpipe--> GM
 *
 * The pipeline is that of kernels/matmul/matmul.c, where it is explained.
 */
#ifndef MM_H
#define MM_H

#include "tile.h"

enum mm_type { MM_F16, MM_BF16, MM_S8, MM_F32, MM_S8_SPARSE };
enum mm_out { MM_OUT_F32, MM_OUT_F16, MM_OUT_BF16, MM_OUT_S32, MM_OUT_S8 };
enum mm_relu { MM_RELU_NONE, MM_RELU, MM_RELU_LEAKY };

enum { FRACTAL_BYTES = 512, STAGES = 2 };

/* Bytes. L1 in two stages, and biases behind them; halves of L0A and L0B; L0C in as many slots as fit; the bias table. */
enum {
	L1_STAGE = 0x3f000, L1_BIAS = 2 * L1_STAGE, L1_BIAS_SLOT = 0x1000, L0_STAGE = 0x8000, L0C_SIZE = 0x20000,
		L0C_SLOTS = 8,
	BT_SLOT = 512
};
enum { ND2NZ_PITCH_MAX = 65535 };

/* What an operator is, all known when it is compiled. */
struct mm_kind {
	enum mm_type type;
	enum mm_out out;
	enum mm_relu relu;
	bool bias;   /* 32-bit, one per column */
	bool atomic; /* results are added to GM */
};

struct mm_tiling {
	uint32_t trans_b;                /* 0: B is [K,N]; 1: B is [N,K] */
	uint32_t base_m, base_n, base_k; /* multiples of 16 (base_k: of 32 bytes too) */
	uint32_t step_n, step_k;         /* multiples of base_n, base_k */
};

/* A tile of one product: where its matrices start, their sizes, and what of them the tile covers. */
struct mm_tile {
	__gm__ const uint8_t *a, *b, *bias, *index; /* index: of sparse weights */
	__gm__ uint8_t *c;
	uint32_t m, n, k;          /* of the whole product: k is also the pitch of A */
	uint32_t row, col;         /* of C */
	uint32_t k_first, k_end;   /* along K */
};

typedef struct mm_tile mm_tile_of(const void *context, uint32_t tile);

struct mm {
	struct mm_kind kind;
	uint32_t base_m, base_n, base_k, step_n, step_k;
	bool trans_b;
	uint32_t tiles, l1_b, l0c_slots, l0c_slot;
	mm_tile_of *tile_of;
	const void *context;
};

INLINE uint32_t mm_size(enum mm_type t) { return t == MM_S8 || t == MM_S8_SPARSE ? 1 : t == MM_F32 ? 4 : 2; }
INLINE uint32_t mm_k0(enum mm_type t) { return 32 / mm_size(t); }

INLINE struct mm mm_of(struct mm_kind kind, const struct mm_tiling *t, uint32_t tiles, mm_tile_of *tile_of,
		       const void *context)
{
	uint32_t size = mm_size(kind.type), deep = kind.type == MM_S8_SPARSE ? 64 : kind.type == MM_S8 ? 32 : 16;
	struct mm mm = { .kind = kind, .base_m = t->base_m, .base_n = t->base_n, .base_k = t->base_k, .step_n = t->step_n,
			 .step_k = t->step_k, .trans_b = t->trans_b != 0, .tiles = tiles, .tile_of = tile_of,
			 .context = context, .l0c_slot = t->base_m * t->base_n * 4 };

	require(mm.base_m && mm.base_n && mm.base_k && mm.step_n && mm.step_k);
	require((mm.base_m | mm.base_n) % 16 == 0 && mm.base_k % deep == 0);
	require(kind.type != MM_S8 || mm.trans_b || mm.base_n % 32 == 0);
	require(mm.step_n % mm.base_n == 0 && mm.step_k % mm.base_k == 0);
	require(mm.base_m * mm.base_k * size <= L0_STAGE && mm.base_n * mm.base_k * size <= L0_STAGE);
	require((mm.base_m + mm.step_n) * mm.step_k * size <= L1_STAGE);
	require(!kind.bias || (mm.base_n * 4 <= BT_SLOT && mm.step_n * 4 <= L1_BIAS_SLOT));
	mm.l0c_slots = min_u32(L0C_SIZE / mm.l0c_slot, L0C_SLOTS);
	require(mm.step_n / mm.base_n <= mm.l0c_slots);
	mm.l1_b = mm.base_m * mm.step_k * size;
	return mm;
}

struct mm_place {
	uint32_t tile, ordinal, k0;
	struct mm_tile t;
};

struct mm_step {
	struct mm_tile t;
	uint32_t rows, cols, k0, depth, ordinal;
};

INLINE struct mm_place mm_first(const struct mm *mm)
{
	struct mm_place p = { .tile = (uint32_t)get_block_idx() };

	if (p.tile < mm->tiles) {
		p.t = mm->tile_of(mm->context, p.tile);
		p.k0 = p.t.k_first;
	}
	return p;
}

INLINE struct mm_place mm_next(const struct mm *mm, struct mm_place p)
{
	p.k0 += mm->step_k;
	if (p.k0 >= p.t.k_end) {
		p.tile += (uint32_t)get_block_num();
		p.ordinal++;
		if (p.tile < mm->tiles) {
			p.t = mm->tile_of(mm->context, p.tile);
			p.k0 = p.t.k_first;
		}
	}
	return p;
}

INLINE struct mm_step mm_step_at(const struct mm *mm, const struct mm_place *p)
{
	return (struct mm_step){ .t = p->t, .rows = min_u32(mm->base_m, p->t.m - p->t.row),
				 .cols = min_u32(mm->step_n, p->t.n - p->t.col), .k0 = p->k0,
				 .depth = min_u32(mm->step_k, p->t.k_end - p->k0), .ordinal = p->ordinal };
}

/* rows x cols elements to NZ in L1, strips of 32 bytes and `strip` rows. */
INLINE void mm_nd2nz(enum mm_type type, uint32_t l1, __gm__ const uint8_t *gm, uint32_t rows, uint32_t cols, uint32_t pitch,
		     uint32_t strip)
{
	if (mm_size(type) == 1)
		copy_gm_to_cbuf_multi_nd2nz_b8((__cbuf__ int8_t *)(uintptr_t)l1, (__gm__ int8_t *)gm, 0, 1, rows, cols, 0,
					       pitch, strip, 1, 0);
	else if (type == MM_F32)
		copy_gm_to_cbuf_multi_nd2nz_b32s((__cbuf__ float *)(uintptr_t)l1, (__gm__ float *)gm, 0, 1, rows, cols, 0,
						 pitch, strip, 1, 0);
	else
		copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)l1, (__gm__ half *)gm, 0, 1, rows, cols, 0,
						pitch, strip, 1, 0);
}

INLINE void mm_load_nz(enum mm_type type, uint32_t l1, __gm__ const uint8_t *gm, uint32_t rows, uint32_t cols,
		       uint32_t pitch, uint32_t strip)
{
	uint32_t size = mm_size(type);

	if (pitch <= ND2NZ_PITCH_MAX) {
		mm_nd2nz(type, l1, gm, rows, cols, pitch, strip);
		return;
	}
	for (uint32_t r = 0; r < rows; r++)
		mm_nd2nz(type, l1 + r * 32, gm + (uint64_t)r * pitch * size, 1, cols, 0, strip);
}

/*
 * B [K,N]: for fp32 each 16 rows are an NZ of their own, [band][n1][16][8], so that the two fractals of a 16 x 16
 * square are neighbours, as the transposing load wants them; for s8 strips are whole squares of 32 rows high.
 */
INLINE void mm_load_b_rows(enum mm_type type, uint32_t l1, __gm__ const uint8_t *gm, uint32_t depth, uint32_t cols,
			   uint32_t pitch)
{
	uint32_t band_bytes = round_up(cols, 16) * 64;

	if (type != MM_F32) {
		mm_load_nz(type, l1, gm, depth, cols, pitch, round_up(depth, type == MM_S8 ? 32 : 16));
		return;
	}
	for (uint32_t k = 0; k < depth; k += 16, l1 += band_bytes, gm += (uint64_t)16 * pitch * 4)
		mm_load_nz(type, l1, gm, min_u32(16, depth - k), cols, pitch, 16);
}

/* Bytes from the stored weights of an L1 step to their indices. */
INLINE uint32_t mm_sparse_bytes(const struct mm *mm) { return mm->step_n * mm->step_k / 2; }

/* Sparse B is [k/64][n/16] of fractals in GM, 512 bytes of weights, 128 of indices each; so it is in L1. */
INLINE void mm_load_sparse(const struct mm *mm, const struct mm_step *s, uint32_t l1)
{
	uint32_t all_n1 = ceil_div(s->t.n, 16), n1 = ceil_div(s->cols, 16), rows = ceil_div(s->depth, 64);
	uint64_t first = (uint64_t)(s->k0 / 64) * all_n1 + s->t.col / 16;

	copy_gm_to_cbuf((__cbuf__ void *)(uintptr_t)l1, (__gm__ void *)(s->t.b + first * 512), 0, (uint16_t)rows,
			(uint16_t)(n1 * 16),
			(uint16_t)((all_n1 - n1) * 16), 0, PAD_NONE);
	copy_gm_to_cbuf((__cbuf__ void *)(uintptr_t)(l1 + mm_sparse_bytes(mm)), (__gm__ void *)(s->t.index + first * 128), 0,
			(uint16_t)rows,
			(uint16_t)(n1 * 4), (uint16_t)((all_n1 - n1) * 4), 0, PAD_NONE);
}

INLINE void mm_load_step(const struct mm *mm, const struct mm_step *s, uint32_t stage)
{
	const struct mm_tile *t = &s->t;
	enum mm_type type = mm->kind.type;
	uint32_t l1 = stage * L1_STAGE, size = mm_size(type);

	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	mm_load_nz(type, l1, t->a + ((uint64_t)t->row * t->k + s->k0) * size, s->rows, s->depth, t->k, round_up(s->rows, 16));
	if (type == MM_S8_SPARSE)
		mm_load_sparse(mm, s, l1 + mm->l1_b);
	else if (mm->trans_b)
		mm_load_nz(type, l1 + mm->l1_b, t->b + ((uint64_t)t->col * t->k + s->k0) * size, s->cols, s->depth, t->k,
			   round_up(s->cols, 16));
	else
		mm_load_b_rows(type, l1 + mm->l1_b, t->b + ((uint64_t)s->k0 * t->n + t->col) * size, s->depth, s->cols, t->n);
	if (mm->kind.bias && s->k0 == t->k_first) /* as a matrix of one row: any number of bytes */
		copy_gm_to_cbuf_multi_nd2nz_b32s((__cbuf__ float *)(uintptr_t)(L1_BIAS + s->ordinal % STAGES * L1_BIAS_SLOT),
						 (__gm__ float *)t->bias + t->col, 0, 1, 1, s->cols, 0, 0, 1, 1, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

/* Fractals from L1 to L0A: `repeat` of them, `stride` apart in L1, `gap` between them in L0A. */
INLINE void mm_fractals_a(enum mm_type type, uint32_t l0, uint32_t l1, uint32_t repeat, uint32_t stride, uint32_t gap)
{
	if (type == MM_F32)
		load_cbuf_to_ca((__ca__ float *)(uintptr_t)l0, (__cbuf__ float *)(uintptr_t)l1, 0, repeat, stride, gap, 0,
				false,
				inc);
	else
		load_cbuf_to_ca((__ca__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1, 0, repeat, stride, gap, 0,
				false,
				inc);
}

INLINE void mm_fractals_b(enum mm_type type, uint32_t l0, uint32_t l1, uint32_t repeat, uint32_t stride, bool transpose)
{
	if (type == MM_F32)
		load_cbuf_to_cb((__cb__ float *)(uintptr_t)l0, (__cbuf__ float *)(uintptr_t)l1, 0, repeat, stride, 0, 0,
				false,
				inc);
	else
		load_cbuf_to_cb((__cb__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1, 0, repeat, stride, 0, 0,
				transpose,
				inc);
}

/* B of an L1 step, columns from first_n on, rows from k on, to ZN in L0B. */
INLINE void mm_load_b(const struct mm *mm, const struct mm_step *s, uint32_t l0, uint32_t l1, uint32_t first_n, uint32_t cols,
		      uint32_t k, uint32_t depth)
{
	enum mm_type type = mm->kind.type;
	uint32_t n1 = ceil_div(cols, 16), all_n1 = ceil_div(s->cols, 16), k0 = mm_k0(type);

	if (type == MM_S8_SPARSE) {
		uint64_t src = l1 | (uint64_t)(l1 + mm_sparse_bytes(mm)) << 32;

		for (uint32_t i = 0; i < ceil_div(depth, 64); i++, l0 += n1 * FRACTAL_BYTES)
			load_cbuf_to_cb_sp((__cb__ int8_t *)(uintptr_t)l0, (__cbuf__ int8_t *)src,
					   (uint16_t)((k / 64 + i) * all_n1 + first_n / 16), (uint8_t)n1);
	} else if (mm->trans_b) { /* NZ of [N,K] is [k1][n1] of just these fractals */
		uint32_t from = l1 + (k / k0 * all_n1 + first_n / 16) * FRACTAL_BYTES;

		for (uint32_t i = ceil_div(depth, k0); i > 0; i--, l0 += n1 * FRACTAL_BYTES, from += all_n1 * FRACTAL_BYTES)
			mm_fractals_b(type, l0, from, n1, 1, false);
	} else if (type == MM_F32) { /* bands of 16 rows, squares of 16 x 16 along N */
		uint32_t from = l1 + (k / 16 * all_n1 + first_n / 16) * 2 * FRACTAL_BYTES;

		for (uint32_t i = ceil_div(depth, 16); i > 0;
		     i--, l0 += 2 * n1 * FRACTAL_BYTES, from += all_n1 * 2 * FRACTAL_BYTES)
			load_cbuf_to_cb_transpose((__cb__ float *)(uintptr_t)l0, (__cbuf__ float *)(uintptr_t)from, 0, n1,
						  1, 0,
						  inc, n1 - 1);
	} else if (type == MM_S8) { /* strips of 32 columns: squares of 32 x 32, strips all_k1 squares apart */
		uint32_t all_k1 = ceil_div(s->depth, 32), from = l1 + (first_n / 32 * all_k1 + k / 32) * 2 * FRACTAL_BYTES;
		uint32_t squares = ceil_div(cols, 32);

		for (uint32_t i = ceil_div(depth, 32); i > 0;
		     i--, l0 += round_up(n1, 2) * FRACTAL_BYTES, from += 2 * FRACTAL_BYTES)
			load_cbuf_to_cb_transpose((__cb__ int8_t *)(uintptr_t)l0, (__cbuf__ int8_t *)(uintptr_t)from, 0,
						  squares,
						  all_k1, 1, inc, 0);
	} else { /* NZ of [K,N] is [n1][k1] of fractals with k down: transposed on the way */
		uint32_t all_k1 = ceil_div(s->depth, 16), from = l1 + (first_n / 16 * all_k1 + k / 16) * FRACTAL_BYTES;

		for (uint32_t i = ceil_div(depth, 16); i > 0; i--, l0 += n1 * FRACTAL_BYTES, from += FRACTAL_BYTES)
			mm_fractals_b(type, l0, from, n1, all_k1, true);
	}
}

/* n as mad has to know it: s8 squares leave an even number of fractals in a row of L0B. */
INLINE uint32_t mm_cols(const struct mm *mm, uint32_t cols)
{
	return mm->kind.type == MM_S8 && !mm->trans_b ? round_up(cols, 32) : cols;
}

/* bt: 0 or, when has_bias, where the bias starts in the bias table. */
INLINE void mm_mad(enum mm_type type, uint32_t l0c, uint32_t l0, uint32_t bt, uint32_t m, uint32_t k, uint32_t n,
		   bool has_bias, bool zero)
{
	uint64_t dst = (uint64_t)bt << 32 | l0c;

	if (type == MM_F16)
		mad((__cc__ float *)dst, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, m, k, n, 0, false,
		    has_bias,
		    zero);
	else if (type == MM_BF16)
		mad((__cc__ float *)dst, (__ca__ bfloat16_t *)(uintptr_t)l0, (__cb__ bfloat16_t *)(uintptr_t)l0, m, k, n, 0,
		    false, has_bias, zero);
	else if (type == MM_S8_SPARSE)
		mad_sp((__cc__ int32_t *)dst, (__ca__ int8_t *)(uintptr_t)l0, (__cb__ int8_t *)(uintptr_t)l0, m, k, n, 0,
		       has_bias, zero);
	else if (type == MM_F32)
		mad((__cc__ float *)dst, (__ca__ float *)(uintptr_t)l0, (__cb__ float *)(uintptr_t)l0, m, k, n, 0, false,
		    has_bias, zero);
	else
		mad((__cc__ int32_t *)dst, (__ca__ int8_t *)(uintptr_t)l0, (__cb__ int8_t *)(uintptr_t)l0, m, k, n, 0, false,
		    has_bias, zero);
}

struct mm_part {
	uint32_t col, cols, slot, l0c, number; /* number: parts of this block so far */
};

INLINE struct mm_part mm_part_at(const struct mm *mm, const struct mm_step *s, uint32_t i)
{
	struct mm_part p = { .col = i * mm->base_n };

	p.cols = min_u32(mm->base_n, s->cols - p.col);
	p.number = s->ordinal * (mm->step_n / mm->base_n) + i;
	p.slot = p.number % mm->l0c_slots;
	p.l0c = p.slot * mm->l0c_slot;
	return p;
}

INLINE void mm_multiply_part(const struct mm *mm, const struct mm_step *s, const struct mm_part *p, uint32_t l1,
			     uint32_t *l0_steps)
{
	enum mm_type type = mm->kind.type;
	uint32_t m1 = ceil_div(s->rows, 16), k0 = mm_k0(type), bt = p->number % STAGES * BT_SLOT;
	uint32_t m = s->rows == 1 ? 16 : s->rows, n = mm_cols(mm, p->cols);
	bool first = s->k0 == s->t.k_first;

	if (mm->kind.bias && first) {
		wait_flag(PIPE_M, PIPE_MTE1, 2 + p->number % STAGES);
		copy_cbuf_to_bt(bt, (__cbuf__ void *)(uintptr_t)(L1_BIAS + s->ordinal % STAGES * L1_BIAS_SLOT + p->col * 4),
				0, 1,
				ceil_div(p->cols, 16), 0, 0);
	}
	for (uint32_t k = 0; k < s->depth; k += mm->base_k) {
		uint32_t depth = min_u32(mm->base_k, s->depth - k), k1 = ceil_div(depth, k0);
		uint32_t stage = (*l0_steps)++ % STAGES, l0 = stage * L0_STAGE;
		uint32_t dst = l0, src = l1 + k / k0 * m1 * FRACTAL_BYTES;

		wait_flag(PIPE_M, PIPE_MTE1, stage);
		for (uint32_t i = k1; i > 0; i--, dst += FRACTAL_BYTES, src += m1 * FRACTAL_BYTES)
			mm_fractals_a(type, dst, src, m1, 1, k1 - 1);
		mm_load_b(mm, s, l0, l1 + mm->l1_b, p->col, p->cols, k, depth);
		set_flag(PIPE_MTE1, PIPE_M, stage);

		wait_flag(PIPE_MTE1, PIPE_M, stage);
		mm_mad(type, p->l0c, l0, mm->kind.bias && first && k == 0 ? bt : 0, m, depth, n, mm->kind.bias && first &&
		       k == 0,
		       !mm->kind.bias && first && k == 0);
		set_flag(PIPE_M, PIPE_MTE1, stage);
		if (mm->kind.bias && first && k == 0)
			set_flag(PIPE_M, PIPE_MTE1, 2 + p->number % STAGES);
		if (m1 * ceil_div(n, 16) < 10)
			pipe_barrier(PIPE_M);
	}
}

#define MM_STORE(type, acc, quant)                                                                                     \
	copy_matrix_cc_to_gm((__gm__ type *)s->t.c + at, (__cc__ acc *)(uintptr_t)p->l0c, 0, (uint16_t)p->cols,        \
			     (uint16_t)s->rows, s->t.n, (uint16_t)round_up(s->rows, 16), 0, quant, mm->kind.relu, false, true)

INLINE void mm_store_part(const struct mm *mm, const struct mm_step *s, const struct mm_part *p)
{
	uint64_t at = (uint64_t)s->t.row * s->t.n + s->t.col + p->col;

	switch (mm->kind.out) {
	case MM_OUT_F32: MM_STORE(float, float, NoQuant); break;
	case MM_OUT_F16: MM_STORE(half, float, F322F16); break;
	case MM_OUT_BF16: MM_STORE(bfloat16_t, float, F322BF16); break;
	case MM_OUT_S32: MM_STORE(int32_t, int32_t, NoQuant); break;
	case MM_OUT_S8: MM_STORE(int8_t, int32_t, REQ8); break;
	}
}

INLINE void mm_multiply_step(const struct mm *mm, const struct mm_step *s, uint32_t stage, uint32_t *l0_steps)
{
	uint32_t parts = ceil_div(s->cols, mm->base_n);

	wait_flag(PIPE_MTE2, PIPE_MTE1, stage);
	for (uint32_t i = 0; i < parts; i++) {
		struct mm_part p = mm_part_at(mm, s, i);

		if (s->k0 == s->t.k_first)
			wait_flag(PIPE_FIX, PIPE_M, p.slot);
		mm_multiply_part(mm, s, &p, stage * L1_STAGE, l0_steps);
		if (s->k0 + s->depth < s->t.k_end)
			continue;
		set_flag(PIPE_M, PIPE_FIX, p.slot);
		wait_flag(PIPE_M, PIPE_FIX, p.slot);
		mm_store_part(mm, s, &p);
		set_flag(PIPE_FIX, PIPE_M, p.slot);
	}
	set_flag(PIPE_MTE1, PIPE_MTE2, stage);
}

INLINE void mm_run(const struct mm *mm)
{
	struct mm_place next = mm_first(mm), at = next;
	uint32_t l0_steps = 0;

	if (next.tile >= mm->tiles)
		return;
	set_nd_para(1);
	if (mm->kind.atomic) {
		set_atomic_f32();
		set_atomic_add();
	}
	if (mm->kind.bias) { /* the bias table is filled 64 bytes at a time: what lies behind the last bias is defined */
		create_cbuf_matrix((__cbuf__ uint32_t *)(uintptr_t)L1_BIAS, 1 | STAGES * L1_BIAS_SLOT / 32 << 16,
				   (uint32_t)0);
		pipe_barrier(PIPE_MTE2);
	}
	for (uint32_t i = 0; i < STAGES; i++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, i);
		set_flag(PIPE_M, PIPE_MTE1, i);
		if (mm->kind.bias)
			set_flag(PIPE_M, PIPE_MTE1, 2 + i);
	}
	for (uint32_t i = 0; i < mm->l0c_slots; i++)
		set_flag(PIPE_FIX, PIPE_M, i);
	for (uint32_t i = 0; i == 0 || at.tile < mm->tiles; i++) {
		if (next.tile < mm->tiles) {
			struct mm_step s = mm_step_at(mm, &next);

			mm_load_step(mm, &s, i % STAGES);
		}
		if (i > 0) {
			struct mm_step s = mm_step_at(mm, &at);

			mm_multiply_step(mm, &s, (i - 1) % STAGES, &l0_steps);
		}
		at = next;
		if (next.tile < mm->tiles)
			next = mm_next(mm, next);
	}
	for (uint32_t i = 0; i < STAGES; i++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, i);
		wait_flag(PIPE_M, PIPE_MTE1, i);
		if (mm->kind.bias)
			wait_flag(PIPE_M, PIPE_MTE1, 2 + i);
	}
	for (uint32_t i = 0; i < mm->l0c_slots; i++)
		wait_flag(PIPE_FIX, PIPE_M, i);
	if (mm->kind.atomic)
		set_atomic_none();
}

#endif
