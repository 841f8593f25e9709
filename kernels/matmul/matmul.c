/*
 * matmul.c - C[M,N] = A[M,K] * B, fp16 operands, fp32 (matmul_f32) or fp16 (matmul_f16) result, on the cube cores of
 * the 910B. B is [K,N] or, with trans_b, [N,K]. Any M, N, K >= 1.
 *
 *   GM --nd2nz--> L1 (NZ, 2 stages) --load2d--> L0A (ZZ), L0B (ZN) (2 stages each) --mad--> L0C --fixpipe--> GM
 *
 * C is cut into tiles of base_m x step_n, dealt out to the blocks in turn. A tile walks along K in L1 steps of step_k.
 * Of each step its parts, base_n columns wide, are multiplied one after the other, in L0 steps of base_k: while the
 * fixpipe stores a finished part, the cube works on the next, also across tiles. The load of the next L1 step, be it of
 * the next tile, is issued before the current one is multiplied, so that MTE2 never waits for the scalar unit.
 */
#include "../tile.h"

struct matmul_tiling {
	uint32_t m, n, k;
	uint32_t trans_b; /* 0: B is [K,N]; 1: B is [N,K] */
	uint32_t base_m, base_n, base_k; /* multiples of 16 */
	uint32_t step_n, step_k;         /* multiples of base_n, base_k */
};

enum { FRACTAL = 256 /* fp16 elements */, STAGES = 2 };

/* Bytes. The whole L1 of the 910B (512 KB) in two stages; halves of L0A and L0B; L0C in as many slots as fit. */
enum { L1_STAGE = 0x40000, L0_STAGE = 0x8000, L0C_SIZE = 0x20000, L0C_SLOTS = 8 /* event ids */ };

/* fields n_value and src_d_value of nd2nz */
enum { ND2NZ_PITCH_MAX = 65535 };

struct matmul {
	__gm__ half *a, *b;
	__gm__ void *c;
	uint32_t m, n, k, base_m, base_n, base_k, step_n, step_k;
	bool trans_b;
	uint32_t tiles_n, tiles; /* of C */
	uint32_t l1_b;           /* where B starts in an L1 stage, bytes */
	uint32_t l0c_slots, l0c_slot; /* how many, bytes of one */
};

/* A block's place in its work. */
struct place {
	uint32_t tile, ordinal; /* number of the tile of C, and how many this block did before it */
	uint32_t k0;            /* where along K */
};

/* The L1 step at a place. */
struct step {
	uint32_t row, col, rows, cols; /* of C */
	uint32_t k0, depth;            /* along K */
	uint32_t ordinal;
};

INLINE struct matmul matmul_of(__gm__ const struct matmul_tiling *t, __gm__ half *a, __gm__ half *b,
			       __gm__ void *c)
{
	struct matmul mm = {
		.a = a, .b = b, .c = c, .m = t->m, .n = t->n, .k = t->k, .base_m = t->base_m, .base_n = t->base_n,
		.base_k = t->base_k, .step_n = t->step_n, .step_k = t->step_k, .trans_b = t->trans_b != 0,
		.l0c_slot = t->base_m * t->base_n * (uint32_t)sizeof(float),
	};

	require(mm.base_m && mm.base_n && mm.base_k && mm.step_n && mm.step_k);
	require((mm.base_m | mm.base_n | mm.base_k) % 16 == 0);
	require(mm.step_n % mm.base_n == 0 && mm.step_k % mm.base_k == 0);
	require(mm.base_m * mm.base_k * sizeof(half) <= L0_STAGE && mm.base_n * mm.base_k * sizeof(half) <= L0_STAGE);
	require((mm.base_m + mm.step_n) * mm.step_k * sizeof(half) <= L1_STAGE);
	mm.l0c_slots = min_u32(L0C_SIZE / mm.l0c_slot, L0C_SLOTS);
	require(mm.step_n / mm.base_n <= mm.l0c_slots); /* all parts of a tile are in L0C at once */
	mm.tiles_n = ceil_div(mm.n, mm.step_n);
	mm.tiles = ceil_div(mm.m, mm.base_m) * mm.tiles_n;
	mm.l1_b = mm.base_m * mm.step_k * (uint32_t)sizeof(half);
	return mm;
}

INLINE struct step step_at(const struct matmul *mm, struct place at)
{
	struct step s = { .k0 = at.k0, .ordinal = at.ordinal };

	s.row = at.tile / mm->tiles_n * mm->base_m;
	s.col = at.tile % mm->tiles_n * mm->step_n;
	s.rows = min_u32(mm->base_m, mm->m - s.row);
	s.cols = min_u32(mm->step_n, mm->n - s.col);
	s.depth = min_u32(mm->step_k, mm->k - s.k0);
	return s;
}

/* The place of the next L1 step; its tile is past the end when there is none. */
INLINE struct place place_next(const struct matmul *mm, struct place at)
{
	at.k0 += mm->step_k;
	if (at.k0 >= mm->k) {
		at.tile += (uint32_t)get_block_num();
		at.ordinal++;
		at.k0 = 0;
	}
	return at;
}

/*
 * rows x cols elements of a GM matrix to NZ in L1: strips of 16 columns, each of `rows` rounded up to 16 rows of 32
 * bytes. The last strip's missing columns become zero; missing rows stay as they are, they only reach values of C that
 * are never stored. A pitch beyond the instruction's field goes row by row.
 */
INLINE void load_nz(uint32_t l1, __gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch)
{
	__cbuf__ half *dst = (__cbuf__ half *)(uintptr_t)l1;
	uint16_t strip = (uint16_t)round_up(rows, 16);

	if (pitch <= ND2NZ_PITCH_MAX) {
		copy_gm_to_cbuf_multi_nd2nz_b16(dst, gm, 0, 1, rows, cols, 0, pitch, strip, 1, 0);
		return;
	}
	for (uint32_t r = 0; r < rows; r++)
		copy_gm_to_cbuf_multi_nd2nz_b16(dst + r * 16, gm + (uint64_t)r * pitch, 0, 1, 1, cols, 0, 0, strip, 1,
						0);
}

INLINE void load_step(const struct matmul *mm, struct step s, uint32_t stage)
{
	uint32_t l1 = stage * L1_STAGE;

	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	load_nz(l1, mm->a + (uint64_t)s.row * mm->k + s.k0, s.rows, s.depth, mm->k);
	if (mm->trans_b)
		load_nz(l1 + mm->l1_b, mm->b + (uint64_t)s.col * mm->k + s.k0, s.cols, s.depth, mm->k);
	else
		load_nz(l1 + mm->l1_b, mm->b + (uint64_t)s.k0 * mm->n + s.col, s.depth, s.cols, mm->n);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

/*
 * k1 strips of A, NZ [k1][m1] in L1, to ZZ [m1][k1] in L0A: a strip per instruction, its fractals spread k1 apart.
 * Here and in load_b the loops move addresses and leave the operand word as it is: the least work for the scalar unit.
 */
INLINE void load_a(uint32_t l0a, uint32_t l1, uint32_t m1, uint32_t first_k1, uint32_t k1)
{
	__ca__ half *dst = (__ca__ half *)(uintptr_t)l0a;
	__cbuf__ half *src = (__cbuf__ half *)(uintptr_t)l1 + first_k1 * m1 * FRACTAL;

	for (uint32_t i = k1; i > 0; i--, dst += FRACTAL, src += m1 * FRACTAL)
		load_cbuf_to_ca(dst, src, 0, (uint8_t)m1, 1, (uint16_t)(k1 - 1), 0, false, inc);
}

/*
 * n1 strips of B, from first_n1 on, to ZN [k1][n1] in L0B, whose fractals hold n down and k across. NZ of [N,K] is
 * [k1][n1] of just these fractals; NZ of [K,N] is [n1][k1] of fractals with k down, each of them transposed on the way.
 */
INLINE void load_b(uint32_t l0b, uint32_t l1, bool trans_b, uint32_t first_n1, uint32_t n1, uint32_t all_n1,
		   uint32_t first_k1, uint32_t k1, uint32_t all_k1)
{
	__cb__ half *dst = (__cb__ half *)(uintptr_t)l0b;
	__cbuf__ half *src = (__cbuf__ half *)(uintptr_t)l1;

	if (trans_b) {
		src += (first_k1 * all_n1 + first_n1) * FRACTAL;
		for (uint32_t i = k1; i > 0; i--, dst += n1 * FRACTAL, src += all_n1 * FRACTAL)
			load_cbuf_to_cb(dst, src, 0, (uint8_t)n1, 1, 0, 0, false, inc);
	} else {
		src += (first_n1 * all_k1 + first_k1) * FRACTAL;
		for (uint32_t i = k1; i > 0; i--, dst += n1 * FRACTAL, src += FRACTAL)
			load_cbuf_to_cb(dst, src, 0, (uint8_t)n1, (uint16_t)all_k1, 0, 0, true, inc);
	}
}

/* Columns [col, col + cols) of a tile that an L1 step is multiplied for, and where they gather. */
struct part {
	uint32_t col, cols;
	uint32_t slot, l0c; /* event id, address */
};

INLINE struct part part_at(const struct matmul *mm, const struct step *s, uint32_t i)
{
	struct part p = { .col = i * mm->base_n };

	p.cols = min_u32(mm->base_n, s->cols - p.col);
	p.slot = (s->ordinal * (mm->step_n / mm->base_n) + i) % mm->l0c_slots;
	p.l0c = p.slot * mm->l0c_slot;
	return p;
}

/* Multiply an L1 step for one part. *l0_steps counts the block's L0 steps: L0A and L0B change stage with each. */
INLINE void multiply_part(const struct matmul *mm, const struct step *s, const struct part *p, uint32_t l1,
			  uint32_t *l0_steps)
{
	uint32_t m1 = ceil_div(s->rows, 16), n1 = ceil_div(p->cols, 16);
	/* m = 1 would mean a matrix-vector product with another layout of A; the extra rows are not stored */
	uint16_t m = (uint16_t)(s->rows == 1 ? 16 : s->rows);

	for (uint32_t k = 0; k < s->depth; k += mm->base_k) {
		uint32_t depth = min_u32(mm->base_k, s->depth - k), k1 = ceil_div(depth, 16);
		uint32_t stage = (*l0_steps)++ % STAGES, l0 = stage * L0_STAGE;

		wait_flag(PIPE_M, PIPE_MTE1, stage);
		load_a(l0, l1, m1, k / 16, k1);
		load_b(l0, l1 + mm->l1_b, mm->trans_b, p->col / 16, n1, ceil_div(s->cols, 16), k / 16, k1,
		       ceil_div(s->depth, 16));
		set_flag(PIPE_MTE1, PIPE_M, stage);

		wait_flag(PIPE_MTE1, PIPE_M, stage);
		mad((__cc__ float *)(uintptr_t)p->l0c, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, m,
		    (uint16_t)depth, (uint16_t)p->cols, 0, false, false, s->k0 + k == 0);
		set_flag(PIPE_M, PIPE_MTE1, stage);
		/* below ten fractals the cube does not order the next accumulation behind this one by itself */
		if (m1 * n1 < 10)
			pipe_barrier(PIPE_M);
	}
}

INLINE void store_part(const struct matmul *mm, const struct step *s, const struct part *p, bool half_out)
{
	__cc__ float *src = (__cc__ float *)(uintptr_t)p->l0c;
	uint64_t at = (uint64_t)s->row * mm->n + s->col + p->col;
	uint16_t rows = (uint16_t)s->rows, cols = (uint16_t)p->cols, strip = (uint16_t)round_up(s->rows, 16);

	if (half_out)
		copy_matrix_cc_to_gm((__gm__ half *)mm->c + at, src, 0, cols, rows, mm->n, strip, 0, F322F16, 0, false,
				     true);
	else
		copy_matrix_cc_to_gm((__gm__ float *)mm->c + at, src, 0, cols, rows, mm->n, strip, 0, NoQuant, 0, false,
				     true);
}

/* All parts of an L1 step; a part takes its slot of L0C at the tile's first step and leaves it at the last. */
INLINE void multiply_step(const struct matmul *mm, struct step s, uint32_t stage, uint32_t *l0_steps, bool half_out)
{
	uint32_t parts = ceil_div(s.cols, mm->base_n);

	wait_flag(PIPE_MTE2, PIPE_MTE1, stage);
	for (uint32_t i = 0; i < parts; i++) {
		struct part p = part_at(mm, &s, i);

		if (s.k0 == 0)
			wait_flag(PIPE_FIX, PIPE_M, p.slot);
		multiply_part(mm, &s, &p, stage * L1_STAGE, l0_steps);
		if (s.k0 + s.depth < mm->k)
			continue;
		set_flag(PIPE_M, PIPE_FIX, p.slot);
		wait_flag(PIPE_M, PIPE_FIX, p.slot);
		store_part(mm, &s, &p, half_out);
		set_flag(PIPE_FIX, PIPE_M, p.slot);
	}
	set_flag(PIPE_MTE1, PIPE_MTE2, stage);
}

INLINE void stages_free(uint32_t l0c_slots)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, s);
		set_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < l0c_slots; s++)
		set_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void stages_drain(uint32_t l0c_slots)
{
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, s);
		wait_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < l0c_slots; s++)
		wait_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void matmul(const struct matmul *mm, bool half_out)
{
	struct place next = { .tile = (uint32_t)get_block_idx() }, at = next;
	uint32_t l0_steps = 0;

	if (next.tile >= mm->tiles)
		return;
	set_nd_para(1); /* one matrix per store */
	stages_free(mm->l0c_slots);
	for (uint32_t i = 0; i == 0 || at.tile < mm->tiles; i++) {
		if (next.tile < mm->tiles)
			load_step(mm, step_at(mm, next), i % STAGES);
		if (i > 0)
			multiply_step(mm, step_at(mm, at), (i - 1) % STAGES, &l0_steps, half_out);
		at = next;
		next = place_next(mm, at);
	}
	stages_drain(mm->l0c_slots);
}

__global__ __aicore__ void matmul_f32(__gm__ half *a, __gm__ half *b, __gm__ float *c,
				      __gm__ struct matmul_tiling *tiling)
{
	struct matmul mm = matmul_of(tiling, a, b, c);

	matmul(&mm, false);
}

__global__ __aicore__ void matmul_f16(__gm__ half *a, __gm__ half *b, __gm__ half *c,
				      __gm__ struct matmul_tiling *tiling)
{
	struct matmul mm = matmul_of(tiling, a, b, c);

	matmul(&mm, true);
}
