/*
 * gemm.c - C = A * B, fp16 to fp16 or fp32, cut the way the vendor's Matmul tilings are: tasks of single_m x single_n
 * dealt out to the blocks along M first, tiles of base_m x base_n, K in steps of base_k; L1 holds step_ka (step_kb) of
 * these steps of A (B) in one or two stages. L0 is double buffered, loaded by one load3d for A and one instruction for B.
 * unit_flag: fixpipe follows the last mad by unit flags.
 */
#include <stdbool.h>
#include <stdint.h>

/* gemm_constant.c has all of it inlined into constants */
#ifndef GEMM_INLINE
#define GEMM_INLINE inline
#endif

struct gemm {
	uint32_t m, n, k, trans_b, out_f32;
	uint32_t single_m, single_n, base_m, base_n, base_k;
	uint32_t step_ka, step_kb, stages_a, stages_b;
	uint32_t unit_flag, n_first;     /* n_first: tiles of a task walk along N first */
	uint32_t prologue;               /* ticks of the system counter from the start that a library takes to its first load */
	uint32_t m_round;                /* tasks along M that the blocks take before the next along M; 0 = all */
	uint32_t late;                   /* two stages: the first chunks of a tile are loaded when it begins, not a tile ahead */
	uint32_t turn_k;                 /* block i begins K at its i-th chunk and goes round; K a multiple of the chunks */
	uint32_t parts_k;                /* neighbouring blocks take these parts of K and add into C; 1 = all of K */
};

enum { L0_STAGE = 0x8000 };

struct state {
	__gm__ half *a, *b;
	__gm__ void *c;
	struct gemm t;
	uint32_t l1_a, l1_b, bytes_a, bytes_b; /* bytes of a stage */
	uint32_t loads_a, loads_b;             /* chunks loaded so far */
	uint32_t used_a, used_b, l0;           /* chunks and L0 steps used so far */
	uint32_t tiles_m, tiles_n;             /* of the task */
	uint32_t row0, col0;                   /* of the task */
	uint32_t pitch_k, k_begin;             /* K of the matrices in GM, where in the block's part it begins */
};

struct tile { uint32_t row, col, rows, cols; };

static GEMM_INLINE uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }
static GEMM_INLINE uint32_t ceil_div(uint32_t a, uint32_t b) { return (a + b - 1) / b; }

static GEMM_INLINE struct tile tile_of(const struct state *s, uint32_t i, uint32_t end_m, uint32_t end_n)
{
	uint32_t im = s->t.n_first ? i / s->tiles_n : i % s->tiles_m, in = s->t.n_first ? i % s->tiles_n : i / s->tiles_m;
	struct tile t = { .row = s->row0 + im * s->t.base_m, .col = s->col0 + in * s->t.base_n };
	t.rows = least(s->t.base_m, end_m - t.row);
	t.cols = least(s->t.base_n, end_n - t.col);
	return t;
}

static GEMM_INLINE void nd2nz(uint32_t l1, __gm__ half *gm, uint32_t rows, uint32_t cols, uint32_t pitch)
{
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)l1, gm, 0, 1, (uint16_t)rows, (uint16_t)cols, 0,
					(uint16_t)pitch, (uint16_t)(ceil_div(rows, 16) * 16), 1, 0);
}

static GEMM_INLINE uint32_t k_in_gm(const struct state *s, uint32_t k)
{
	uint32_t at = k + s->k_begin;
	return at < s->t.k ? at : at - s->t.k;
}

/* Event ids: A's stages 0 and 1, B's 2 and 3. */
static GEMM_INLINE void load_a(struct state *s, const struct tile *t, uint32_t k)
{
	uint32_t stage = s->t.stages_a == 2 ? s->loads_a & 1 : 0, depth = least(s->t.step_ka * s->t.base_k, s->t.k - k);
	s->loads_a++;
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	nd2nz(s->l1_a + stage * s->bytes_a, s->a + (uint64_t)t->row * s->pitch_k + k_in_gm(s, k), t->rows, depth,
	      s->pitch_k);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

static GEMM_INLINE void load_b(struct state *s, const struct tile *t, uint32_t k)
{
	uint32_t stage = s->t.stages_b == 2 ? s->loads_b & 1 : 0, depth = least(s->t.step_kb * s->t.base_k, s->t.k - k);
	s->loads_b++;
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage + 2);
	if (s->t.trans_b)
		nd2nz(s->l1_b + stage * s->bytes_b, s->b + (uint64_t)t->col * s->pitch_k + k_in_gm(s, k), t->cols,
		      depth, s->pitch_k);
	else
		nd2nz(s->l1_b + stage * s->bytes_b, s->b + (uint64_t)k_in_gm(s, k) * s->t.n + t->col, depth, t->cols,
		      s->t.n);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage + 2);
}

/* When the chunk at k comes to its turn: it is loaded (one stage), or the one behind it, of this tile or of the next. A
 * chunk that was kept is not loaded again. */
static GEMM_INLINE void fetch_a(struct state *s, const struct tile *t, const struct tile *next, uint32_t k, bool ahead,
				bool kept)
{
	uint32_t to = s->t.stages_a == 2 ? k + s->t.step_ka * s->t.base_k : k;
	bool over = to >= s->t.k;
	if (over ? ahead : !kept)
		load_a(s, over ? next : t, over ? 0 : to);
}

static GEMM_INLINE void fetch_b(struct state *s, const struct tile *t, const struct tile *next, uint32_t k, bool ahead,
				bool kept)
{
	uint32_t to = s->t.stages_b == 2 ? k + s->t.step_kb * s->t.base_k : k;
	bool over = to >= s->t.k;
	if (over ? ahead : !kept)
		load_b(s, over ? next : t, over ? 0 : to);
}

static GEMM_INLINE void l0_step(struct state *s, const struct tile *t, uint32_t l1_a, uint32_t l1_b, uint32_t ka, uint32_t kb,
			   uint32_t depth_b, uint32_t depth, bool first, bool last)
{
	uint32_t stage = s->l0++ & 1, l0 = stage * L0_STAGE, m1 = ceil_div(t->rows, 16), n1 = ceil_div(t->cols, 16),
		 k1 = depth / 16;
	set_fmatrix(m1 * 16 | UINT64_C(1) << 16);
	set_fmatrix_b(depth_b | UINT64_C(1) << 16);
	wait_flag(PIPE_M, PIPE_MTE1, stage);
	img2colv2_cbuf_to_ca((__ca__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1_a + ka * m1 * 16, (uint16_t)depth,
			     (uint16_t)(m1 * 16), 0, 0, 1, 1, 1, 1, 1, 1, false, (uint16_t)depth);
	if (s->t.trans_b)
		load_cbuf_to_cb((__cb__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1_b, (uint16_t)(kb / 16 * n1),
				(uint8_t)(k1 * n1), 1, 0, 0, false, inc);
	else
		img2colv2_cbuf_to_cb((__cb__ half *)(uintptr_t)l0, (__cbuf__ half *)(uintptr_t)l1_b, (uint16_t)(n1 * 16),
				     (uint16_t)depth, 0, (uint16_t)kb, 1, 1, 1, 1, 1, 1, false, false, true, true,
				     (uint16_t)(n1 * 16));
	set_flag(PIPE_MTE1, PIPE_M, stage);
	wait_flag(PIPE_MTE1, PIPE_M, stage);
	mad((__cc__ float *)0, (__ca__ half *)(uintptr_t)l0, (__cb__ half *)(uintptr_t)l0, (uint16_t)t->rows, (uint16_t)depth,
	    (uint16_t)t->cols, s->t.unit_flag ? (last ? 3 : 2) : 0, false, false, first);
	set_flag(PIPE_M, PIPE_MTE1, stage);
	if (m1 * n1 < 10)
		pipe_barrier(PIPE_M);
}

static GEMM_INLINE void store(const struct state *s, const struct tile *t)
{
	uint64_t at = (uint64_t)t->row * s->t.n + t->col;
	uint16_t strip = (uint16_t)(ceil_div(t->rows, 16) * 16);
	uint8_t flag = s->t.unit_flag ? 3 : 0;
	if (s->t.out_f32)
		copy_matrix_cc_to_gm((__gm__ float *)s->c + at, (__cc__ float *)0, 0, (uint16_t)t->cols,
				     (uint16_t)t->rows, s->t.n, strip, flag, NoQuant, 0, false, true);
	else
		copy_matrix_cc_to_gm((__gm__ half *)s->c + at, (__cc__ float *)0, 0, (uint16_t)t->cols,
				     (uint16_t)t->rows, s->t.n, strip, flag, F322F16, 0, false, true);
}

static GEMM_INLINE void task(struct state *s, uint32_t end_m, uint32_t end_n)
{
	uint32_t tiles = s->tiles_m * s->tiles_n, ka = s->t.step_ka * s->t.base_k, kb = s->t.step_kb * s->t.base_k;
	/* A of a whole row of tiles, B of a whole column stays in L1 */
	bool keep_a = ka >= s->t.k && s->t.n_first, keep_b = kb >= s->t.k && !s->t.n_first;
	struct tile t = tile_of(s, 0, end_m, end_n);
	for (uint32_t i = 0; i < tiles; i++) {
		struct tile next = i + 1 < tiles ? tile_of(s, i + 1, end_m, end_n) : t;
		bool more = i + 1 < tiles, same_a = keep_a && more && next.row == t.row, had_a = keep_a && i % s->tiles_n > 0;
		bool same_b = keep_b && more && next.col == t.col, had_b = keep_b && i % s->tiles_m > 0;
		bool ahead = more && !s->t.late, begin = i == 0 || s->t.late;
		uint32_t at_a = 0, at_b = 0, left_a = 0, left_b = 0;
		if (s->t.stages_a == 2 && begin && !had_a)
			load_a(s, &t, 0);
		if (s->t.stages_b == 2 && begin && !had_b)
			load_b(s, &t, 0);
		if (!s->t.unit_flag)
			wait_flag(PIPE_FIX, PIPE_M, 0);
		for (uint32_t k = 0; k < s->t.k; k += s->t.base_k) {
			if (k % ka == 0) {
				fetch_a(s, &t, &next, k, ahead && !same_a, had_a);
				left_a = s->t.stages_a == 2 ? (s->used_a - had_a) & 1 : 0;
				if (!had_a) {
					wait_flag(PIPE_MTE2, PIPE_MTE1, left_a);
					s->used_a++;
				}
				at_a = k;
			}
			if (k % kb == 0) {
				fetch_b(s, &t, &next, k, ahead && !same_b, had_b);
				left_b = s->t.stages_b == 2 ? (s->used_b - had_b) & 1 : 0;
				if (!had_b) {
					wait_flag(PIPE_MTE2, PIPE_MTE1, left_b + 2);
					s->used_b++;
				}
				at_b = k;
			}
			uint32_t depth = least(s->t.base_k, s->t.k - k), next_k = k + s->t.base_k;
			l0_step(s, &t, s->l1_a + left_a * s->bytes_a, s->l1_b + left_b * s->bytes_b, k - at_a, k - at_b,
				least(kb, s->t.k - at_b), depth, k == 0, next_k >= s->t.k);
			if ((next_k % ka == 0 || next_k >= s->t.k) && !same_a)
				set_flag(PIPE_MTE1, PIPE_MTE2, left_a);
			if ((next_k % kb == 0 || next_k >= s->t.k) && !same_b)
				set_flag(PIPE_MTE1, PIPE_MTE2, left_b + 2);
		}
		if (!s->t.unit_flag) {
			set_flag(PIPE_M, PIPE_FIX, 0);
			wait_flag(PIPE_M, PIPE_FIX, 0);
		}
		store(s, &t);
		if (!s->t.unit_flag)
			set_flag(PIPE_FIX, PIPE_M, 0);
		t = next;
	}
}

static GEMM_INLINE void gemm_run(struct state *s, int64_t start)
{
	uint32_t parts = s->t.parts_k, block = (uint32_t)get_block_idx(), blocks = (uint32_t)get_block_num() / parts;
	uint32_t tasks_m = ceil_div(s->t.m, s->t.single_m), tasks_n = ceil_div(s->t.n, s->t.single_n),
		 round = s->t.m_round ? s->t.m_round : tasks_m;

	s->pitch_k = s->t.k;
	s->t.k /= parts;
	if (parts > 1) {
		uint64_t begin = block % parts * s->t.k;
		s->a += begin;
		s->b += s->t.trans_b ? begin : begin * s->t.n;
		set_atomic_f32();
		set_atomic_add();
	}
	s->bytes_a = s->t.base_m * s->t.step_ka * s->t.base_k * 2;
	s->bytes_b = s->t.base_n * s->t.step_kb * s->t.base_k * 2;
	s->l1_b = s->bytes_a * s->t.stages_a;
	if (s->t.turn_k) {
		uint32_t step = s->t.step_ka > s->t.step_kb ? s->t.step_ka : s->t.step_kb, chunk = step * s->t.base_k;
		s->k_begin = block % (s->t.k / chunk) * chunk;
	}
	set_nd_para(1);
	if (s->t.unit_flag) /* cube and fixpipe must walk the tile alike: N first */
		set_ctrl((uint64_t)get_ctrl() | UINT64_C(1) << 51);
	for (uint32_t i = 0; i < s->t.stages_a; i++)
		set_flag(PIPE_MTE1, PIPE_MTE2, i);
	for (uint32_t i = 0; i < s->t.stages_b; i++)
		set_flag(PIPE_MTE1, PIPE_MTE2, i + 2);
	set_flag(PIPE_M, PIPE_MTE1, 0);
	set_flag(PIPE_M, PIPE_MTE1, 1);
	if (!s->t.unit_flag)
		set_flag(PIPE_FIX, PIPE_M, 0);
	while (get_sys_cnt() - start < s->t.prologue)
		;
	for (uint32_t i = block / parts; i < tasks_m * tasks_n; i += blocks) {
		s->row0 = (i % round + i / (round * tasks_n) * round) * s->t.single_m;
		s->col0 = i / round % tasks_n * s->t.single_n;
		uint32_t end_m = least(s->row0 + s->t.single_m, s->t.m), end_n = least(s->col0 + s->t.single_n, s->t.n);
		s->tiles_m = ceil_div(end_m - s->row0, s->t.base_m);
		s->tiles_n = ceil_div(end_n - s->col0, s->t.base_n);
		task(s, end_m, end_n);
	}
	for (uint32_t i = 0; i < s->t.stages_a; i++)
		wait_flag(PIPE_MTE1, PIPE_MTE2, i);
	for (uint32_t i = 0; i < s->t.stages_b; i++)
		wait_flag(PIPE_MTE1, PIPE_MTE2, i + 2);
	wait_flag(PIPE_M, PIPE_MTE1, 0);
	wait_flag(PIPE_M, PIPE_MTE1, 1);
	if (!s->t.unit_flag)
		wait_flag(PIPE_FIX, PIPE_M, 0);
}

__global__ __aicore__ void gemm(__gm__ half *a, __gm__ half *b, __gm__ void *c, __gm__ const struct gemm *tiling)
{
	int64_t start = get_sys_cnt();
	struct state s = { .a = a, .b = b, .c = c, .t = *tiling };
	gemm_run(&s, start);
}
