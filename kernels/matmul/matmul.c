/*
 * matmul.c - C[M,N] = A[M,K] * B, fp16 operands, fp32 (matmul_f32) or fp16 (matmul_f16) result, on the cube cores of
 * the 910B. B is [K,N] or, with trans_b, [N,K]. Any M, N, K >= 1.
 *
 *   GM --nd2nz--> L1 (NZ, ring of stages) --load2d--> L0A (ZZ), L0B (ZN) (2 stages each) --mad--> L0C --fixpipe--> GM
 *
 * C is cut into tiles of step_m x step_n. A block takes tiles in segments: up to `group` neighbours along N. A tile walks
 * along K in L1 steps of step_k. Of each step its parts, base_m x base_n, are multiplied one after the other, in L0 steps
 * of base_k: while the fixpipe stores a finished part, the cube works on the next, also across tiles. The load of the next
 * L1 step, be it of the next tile, is issued before the current one is multiplied, so that MTE2 never waits for the
 * scalar unit.
 *
 * With pass_k the block goes through its segment once per pass_k of K. A of a pass stays in L1 while all tiles of the
 * segment are multiplied with it; results of later passes are added to C by the fixpipe (fp32 only). So a tile may have
 * more rows than L0C alone would make worth while, and the core reads that much less of B.
 */
#include "../tile.h"

struct matmul_tiling {
	uint32_t m, n, k;
	uint32_t trans_b; /* 0: B is [K,N]; 1: B is [N,K] */
	uint32_t base_m, base_n, base_k; /* multiples of 16 */
	uint32_t step_m, step_n, step_k; /* multiples of base_m, base_n, base_k */
	uint32_t pass_k;                 /* 0: one pass, A is loaded for each tile; else a multiple of step_k */
	uint32_t group;                  /* tiles of a segment */
};

enum { FRACTAL = 256 /* fp16 elements */, STAGES = 2 };

/* Inlined, the two halves of a step would have more kept ready than there are registers; what spills misses the cache. */
#define HALF_STEP static __attribute__((noinline)) void

/* Bytes. Halves of L0A and L0B; L0C in as many slots as fit; L1 has STAGES of B, the rest holds A. */
enum { L1_SIZE = 0x80000, L0_STAGE = 0x8000, L0C_SIZE = 0x20000, L0C_SLOTS = 8 /* event ids */ };
/* Stages of A are events 0 .. A_STAGES - 1 between MTE1 and MTE2, those of B follow. */
enum { A_STAGES = 6, EVENT_B = A_STAGES };

/* fields n_value and src_d_value of nd2nz */
enum { ND2NZ_PITCH_MAX = 65535 };

struct matmul {
	__gm__ half *a, *b;
	__gm__ void *c;
	uint32_t m, n, k, base_m, base_n, base_k, step_m, step_n, step_k, pass_k;
	bool trans_b, keep_a;
	uint32_t tiles_m, tiles_n, group; /* of C; tiles of a group along N */
	uint32_t a_stages, a_bytes, b_bytes;
	uint32_t parts_n, l0c_slots, l0c_slot; /* how many, bytes of one */
};

/* Where a block is in its work. */
struct place {
	uint32_t at, end;               /* tiles that are not in a segment yet */
	uint32_t row, col, tile, tiles; /* of the segment: first row, first tile, tile within it; tiles 0: the end */
	uint32_t pass, k0;              /* where along K */
	uint32_t ordinal, b_loads;      /* tiles and L1 steps before it */
	uint32_t a_stage, a_first;      /* stage of this step's A, of the pass's first */
};

/* The L1 step at a place. */
struct step {
	uint32_t row, col, rows, cols; /* of C */
	uint32_t k0, depth;            /* along K */
	uint32_t ordinal, a_stage, b_stage;
	bool load_a, free_a;           /* A was not there before, is not needed again */
	bool first, last, add;         /* of its tile in this pass; to what is in C already */
};

INLINE struct matmul matmul_of(__gm__ const struct matmul_tiling *t, __gm__ half *a, __gm__ half *b,
			       __gm__ void *c)
{
	struct matmul mm = {
		.a = a, .b = b, .c = c, .m = t->m, .n = t->n, .k = t->k, .base_m = t->base_m, .base_n = t->base_n,
		.base_k = t->base_k, .step_m = t->step_m, .step_n = t->step_n, .step_k = t->step_k,
		.pass_k = t->pass_k, .trans_b = t->trans_b != 0, .keep_a = t->pass_k != 0, .group = t->group,
	};

	mm.tiles_m = ceil_div(mm.m, mm.step_m);
	mm.tiles_n = ceil_div(mm.n, mm.step_n);
	return mm;
}

/* Check the tiling and divide the buffers; of blocks that have work alone, the others shall end soon. */
INLINE void plan(struct matmul *mm)
{
	require(mm->base_m && mm->base_n && mm->base_k && mm->step_m && mm->step_n && mm->step_k && mm->group);
	require((mm->base_m | mm->base_n | mm->base_k) % 16 == 0);
	require(mm->step_m % mm->base_m == 0 && mm->step_n % mm->base_n == 0 && mm->step_k % mm->base_k == 0);
	require(mm->base_m * mm->base_k * sizeof(half) <= L0_STAGE && mm->base_n * mm->base_k * sizeof(half) <= L0_STAGE);
	mm->l0c_slot = mm->base_m * mm->base_n * (uint32_t)sizeof(float);
	mm->l0c_slots = min_u32(L0C_SIZE / mm->l0c_slot, L0C_SLOTS);
	mm->parts_n = mm->step_n / mm->base_n;
	require(mm->step_m / mm->base_m * mm->parts_n <= mm->l0c_slots); /* all parts of a tile are in L0C at once */
	if (!mm->keep_a || mm->pass_k > mm->k)
		mm->pass_k = round_up(mm->k, mm->step_k);
	mm->a_bytes = mm->step_m * mm->step_k * (uint32_t)sizeof(half);
	mm->b_bytes = mm->step_n * mm->step_k * (uint32_t)sizeof(half);
	require(STAGES * mm->b_bytes < L1_SIZE && mm->pass_k % mm->step_k == 0);
	mm->a_stages = min_u32((L1_SIZE - STAGES * mm->b_bytes) / mm->a_bytes, A_STAGES);
	if (!mm->keep_a)
		mm->a_stages = min_u32(mm->a_stages, STAGES);
	require(mm->a_stages >= (mm->keep_a ? mm->pass_k / mm->step_k : STAGES));
}

/*
 * Tiles in the order of the work: along N within a group, down the rows, group by group. A block has a run of them, cut into
 * segments where the row or the group ends.
 */
INLINE void segment_next(const struct matmul *mm, struct place *p)
{
	uint32_t first_n = p->at / (mm->tiles_m * mm->group) * mm->group, width = min_u32(mm->group, mm->tiles_n - first_n);
	uint32_t at = p->at - first_n * mm->tiles_m;

	p->row = at / width * mm->step_m;
	p->col = first_n + at % width;
	p->tiles = min_u32(width - at % width, p->end - p->at);
	p->at += p->tiles;
}

INLINE uint32_t stage_after(uint32_t stage, uint32_t stages) { return stage + 1 < stages ? stage + 1 : 0; }

/* The next L1 step: along K, then the segment's tiles, then its passes, then the next segment. */
INLINE void place_next(const struct matmul *mm, struct place *p)
{
	p->b_loads++;
	p->a_stage = stage_after(p->a_stage, mm->a_stages);
	p->k0 += mm->step_k;
	if (p->k0 < mm->k && p->k0 < p->pass + mm->pass_k)
		return;
	p->ordinal++;
	if (++p->tile < p->tiles) {
		p->k0 = p->pass;
		if (mm->keep_a)
			p->a_stage = p->a_first;
		return;
	}
	p->a_first = p->a_stage;
	p->tile = 0;
	p->pass += mm->pass_k;
	if (p->pass >= mm->k) {
		p->pass = 0;
		segment_next(mm, p);
	}
	p->k0 = p->pass;
}

INLINE struct step step_at(const struct matmul *mm, const struct place *p)
{
	struct step s = { .row = p->row, .k0 = p->k0, .ordinal = p->ordinal, .a_stage = p->a_stage,
			  .b_stage = p->b_loads % STAGES, .first = p->k0 == p->pass, .add = p->pass > 0 };
	uint32_t end = min_u32(p->pass + mm->pass_k, mm->k);

	s.col = (p->col + p->tile) * mm->step_n;
	s.rows = min_u32(mm->step_m, mm->m - s.row);
	s.cols = min_u32(mm->step_n, mm->n - s.col);
	s.depth = min_u32(mm->step_k, end - s.k0);
	s.last = s.k0 + s.depth == end;
	s.load_a = !mm->keep_a || p->tile == 0;
	s.free_a = !mm->keep_a || p->tile + 1 == p->tiles;
	return s;
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

INLINE uint32_t l1_a(const struct matmul *mm, uint32_t stage) { return STAGES * mm->b_bytes + stage * mm->a_bytes; }

HALF_STEP load_step(const struct matmul *mm, const struct step *s)
{
	uint32_t b = EVENT_B + s->b_stage, l1_b = s->b_stage * mm->b_bytes;

	if (s->load_a) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, s->a_stage);
		load_nz(l1_a(mm, s->a_stage), mm->a + (uint64_t)s->row * mm->k + s->k0, s->rows, s->depth, mm->k);
		set_flag(PIPE_MTE2, PIPE_MTE1, s->a_stage);
	}
	wait_flag(PIPE_MTE1, PIPE_MTE2, b);
	if (mm->trans_b)
		load_nz(l1_b, mm->b + (uint64_t)s->col * mm->k + s->k0, s->cols, s->depth, mm->k);
	else
		load_nz(l1_b, mm->b + (uint64_t)s->k0 * mm->n + s->col, s->depth, s->cols, mm->n);
	set_flag(PIPE_MTE2, PIPE_MTE1, b);
}

/*
 * k1 strips of A, m1 fractals from first_m1 on of NZ [k1][all_m1] in L1, to ZZ [m1][k1] in L0A: a strip per instruction,
 * its fractals spread k1 apart.
 * Here and in load_b the loops move addresses and leave the operand word as it is: the least work for the scalar unit.
 */
INLINE void load_a(uint32_t l0a, uint32_t l1, uint32_t first_m1, uint32_t m1, uint32_t all_m1, uint32_t first_k1,
		   uint32_t k1)
{
	__ca__ half *dst = (__ca__ half *)(uintptr_t)l0a;
	__cbuf__ half *src = (__cbuf__ half *)(uintptr_t)l1 + (first_k1 * all_m1 + first_m1) * FRACTAL;

	for (uint32_t i = k1; i > 0; i--, dst += FRACTAL, src += all_m1 * FRACTAL)
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

/* Part of a tile that an L1 step is multiplied for, and where it gathers. */
struct part {
	uint32_t row, col, rows, cols; /* within the tile */
	uint32_t slot, l0c;            /* event id, address */
};

INLINE struct part part_at(const struct matmul *mm, const struct step *s, uint32_t slot, uint32_t row, uint32_t col)
{
	struct part p = { .row = row, .col = col, .slot = slot, .l0c = slot * mm->l0c_slot };

	p.rows = min_u32(mm->base_m, s->rows - row);
	p.cols = min_u32(mm->base_n, s->cols - col);
	return p;
}

/* Multiply an L1 step for one part. *l0_steps counts the block's L0 steps: L0A and L0B change stage with each. */
INLINE void multiply_part(const struct matmul *mm, const struct step *s, const struct part *p, uint32_t *l0_steps)
{
	uint32_t m1 = ceil_div(p->rows, 16), n1 = ceil_div(p->cols, 16);
	/* m = 1 would mean a matrix-vector product with another layout of A; the extra rows are not stored */
	uint16_t m = (uint16_t)(p->rows == 1 ? 16 : p->rows);

	for (uint32_t k = 0; k < s->depth; k += mm->base_k) {
		uint32_t depth = min_u32(mm->base_k, s->depth - k), k1 = ceil_div(depth, 16);
		uint32_t stage = (*l0_steps)++ % STAGES, l0 = stage * L0_STAGE;

		wait_flag(PIPE_M, PIPE_MTE1, stage);
		load_a(l0, l1_a(mm, s->a_stage), p->row / 16, m1, ceil_div(s->rows, 16), k / 16, k1);
		load_b(l0, s->b_stage * mm->b_bytes, mm->trans_b, p->col / 16, n1, ceil_div(s->cols, 16), k / 16, k1,
		       ceil_div(s->depth, 16));
		set_flag(PIPE_MTE1, PIPE_M, stage);

		wait_flag(PIPE_MTE1, PIPE_M, stage);
		mad((__cc__ float *)(uintptr_t)p->l0c, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, m,
		    (uint16_t)depth, (uint16_t)p->cols, 0, false, false, s->first && k == 0);
		set_flag(PIPE_M, PIPE_MTE1, stage);
		/* below ten fractals the cube does not order the next accumulation behind this one by itself */
		if (m1 * n1 < 10)
			pipe_barrier(PIPE_M);
	}
}

INLINE void store_part(const struct matmul *mm, const struct step *s, const struct part *p, bool half_out)
{
	__cc__ float *src = (__cc__ float *)(uintptr_t)p->l0c;
	uint64_t at = (uint64_t)(s->row + p->row) * mm->n + s->col + p->col;
	uint16_t rows = (uint16_t)p->rows, cols = (uint16_t)p->cols, strip = (uint16_t)round_up(p->rows, 16);

	if (half_out) {
		copy_matrix_cc_to_gm((__gm__ half *)mm->c + at, src, 0, cols, rows, mm->n, strip, 0, F322F16, 0, false,
				     true);
		return;
	}
	if (s->add) {
		set_atomic_f32();
		set_atomic_add();
	}
	copy_matrix_cc_to_gm((__gm__ float *)mm->c + at, src, 0, cols, rows, mm->n, strip, 0, NoQuant, 0, false, true);
	if (s->add)
		set_atomic_none();
}

/* All parts of an L1 step; a part takes its slot of L0C at the tile's first step and leaves it at the last. */
HALF_STEP multiply_step(const struct matmul *mm, const struct step *s, uint32_t *l0_steps, bool half_out)
{
	uint32_t slot = s->ordinal * (mm->step_m / mm->base_m * mm->parts_n) % mm->l0c_slots;

	if (s->load_a)
		wait_flag(PIPE_MTE2, PIPE_MTE1, s->a_stage);
	wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_B + s->b_stage);
	for (uint32_t row = 0; row < s->rows; row += mm->base_m)
		for (uint32_t col = 0; col < s->cols; col += mm->base_n) {
			struct part p = part_at(mm, s, slot, row, col);

			slot = stage_after(slot, mm->l0c_slots);
			if (s->first)
				wait_flag(PIPE_FIX, PIPE_M, p.slot);
			multiply_part(mm, s, &p, l0_steps);
			if (!s->last)
				continue;
			set_flag(PIPE_M, PIPE_FIX, p.slot);
			wait_flag(PIPE_M, PIPE_FIX, p.slot);
			store_part(mm, s, &p, half_out);
			set_flag(PIPE_FIX, PIPE_M, p.slot);
		}
	if (s->free_a)
		set_flag(PIPE_MTE1, PIPE_MTE2, s->a_stage);
	set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_B + s->b_stage);
}

INLINE void stages_free(const struct matmul *mm)
{
	for (uint32_t s = 0; s < mm->a_stages; s++)
		set_flag(PIPE_MTE1, PIPE_MTE2, s);
	for (uint32_t s = 0; s < STAGES; s++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, EVENT_B + s);
		set_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < mm->l0c_slots; s++)
		set_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void stages_drain(const struct matmul *mm)
{
	for (uint32_t s = 0; s < mm->a_stages; s++)
		wait_flag(PIPE_MTE1, PIPE_MTE2, s);
	for (uint32_t s = 0; s < STAGES; s++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, EVENT_B + s);
		wait_flag(PIPE_M, PIPE_MTE1, s);
	}
	for (uint32_t s = 0; s < mm->l0c_slots; s++)
		wait_flag(PIPE_FIX, PIPE_M, s);
}

INLINE void matmul(struct matmul *mm, bool half_out)
{
	struct span span = span_of_block(mm->tiles_m * mm->tiles_n);
	struct place place = { .at = span.first, .end = span.first + span.count };
	struct step step[2]; /* being multiplied, being loaded */
	uint32_t l0_steps = 0;

	if (span.count == 0)
		return;
	plan(mm);
	require(!half_out || mm->pass_k >= mm->k); /* sums of passes would be rounded to fp16 */
	segment_next(mm, &place);
	set_nd_para(1); /* one matrix per store */
	stages_free(mm);
	for (uint32_t i = 0, loads = 1; i <= loads; i++) {
		if (place.tiles > 0) {
			step[i % 2] = step_at(mm, &place);
			load_step(mm, &step[i % 2]);
			place_next(mm, &place);
			loads += place.tiles > 0;
		}
		if (i > 0)
			multiply_step(mm, &step[(i - 1) % 2], &l0_steps, half_out);
	}
	stages_drain(mm);
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
