/*
 * conv.c - the 3 x 3 convolution of PTO's conv2d_forward, stride 1, padding 1: X [4,16,12,64,16] (NC1HWC0), weights
 * [144,192,16,16] (fractal Z), C fp16 [4,192,12,64,16]. As a matmul 3072 x 2304 x 3072: a block takes one image by 512
 * channels, tiles of 128 x 256, K in steps of 48 (a filter row by 16 channels); L1 holds 3 steps in each of two stages.
 */
#include <stdbool.h>
#include <stdint.h>

enum {
	C1 = 16, H = 12, W = 64, N1 = 192, SINGLE_N = 512, BASE_M = 128, BASE_K = 48, BASE_N = 256, STEPS = 3,
	ROWS = BASE_M / W, L1_B = 0x20000, STAGE_A = (ROWS + 2) * W * 32, STAGE_B = STEPS * BASE_K * BASE_N * 2, L0_STAGE = 0x8000
};

struct state {
	__gm__ half *x, *w, *c;
	uint32_t loads, used, l0;
};

struct rows { uint32_t first, count, top, bottom; };

/* Channel block c1: the rows of the feature map, then 9 rows of fractals. Event ids 0 and 1: stages to MTE2; fmap, weights. */
static inline void load(struct state *s, const struct rows *r, uint32_t c1, uint32_t n)
{
	uint32_t stage = s->loads++ & 1;
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	copy_gm_to_cbuf((__cbuf__ void *)(uintptr_t)(stage * STAGE_A), s->x + (c1 * H + r->first) * W * 16, 0, 1,
			(uint16_t)(r->count * W), 0, 0, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, 0);
	copy_gm_to_cbuf((__cbuf__ void *)(uintptr_t)(L1_B + stage * STAGE_B), s->w + (c1 * 9 * N1 + n / 16) * 256, 0, 9,
			BASE_N / 16 * 16, (N1 - BASE_N / 16) * 16, 0, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, 1);
}

static inline void step(struct state *s, uint32_t stage, uint32_t k, bool first)
{
	uint32_t l0 = s->l0++ & 1;
	wait_flag(PIPE_M, PIPE_MTE1, l0);
	if (k == 0)
		wait_flag(PIPE_MTE2, PIPE_MTE1, 0);
	img2colv2_cbuf_to_ca((__ca__ half *)(uintptr_t)(l0 * L0_STAGE), (__cbuf__ half *)(uintptr_t)(stage * STAGE_A), BASE_K,
			     BASE_M, (uint16_t)(k * BASE_K), 0, 1, 1, 3, 3, 1, 1, false, 16);
	if (k == 0)
		wait_flag(PIPE_MTE2, PIPE_MTE1, 1);
	load_cbuf_to_cb((__cb__ half *)(uintptr_t)(l0 * L0_STAGE), (__cbuf__ half *)(uintptr_t)(L1_B + stage * STAGE_B),
			(uint16_t)(k * BASE_K / 16 * BASE_N / 16), BASE_K / 16 * BASE_N / 16, 1, 0, 0, false, inc);
	if (k == STEPS - 1)
		set_flag(PIPE_MTE1, PIPE_MTE2, stage);
	set_flag(PIPE_MTE1, PIPE_M, l0);
	wait_flag(PIPE_MTE1, PIPE_M, l0);
	mad((__cc__ float *)0, (__ca__ half *)(uintptr_t)(l0 * L0_STAGE), (__cb__ half *)(uintptr_t)(l0 * L0_STAGE), BASE_M,
	    BASE_K, BASE_N, 0, false, false, first);
	set_flag(PIPE_M, PIPE_MTE1, l0);
}

static inline void tile(struct state *s, uint32_t row, uint32_t n)
{
	struct rows r = { row > 0 ? row - 1 : 0, 0, row == 0, row + ROWS == H };
	r.count = ROWS + 2 - r.top - r.bottom;
	set_fmatrix(W | (uint64_t)r.count << 16 | UINT64_C(0x0101) << 32 | (uint64_t)r.top << 48 | (uint64_t)r.bottom << 56);
	for (uint32_t c1 = 0; c1 < C1; c1++) {
		load(s, &r, c1, n);
		for (uint32_t k = 0; k < STEPS; k++)
			step(s, s->used & 1, k, c1 == 0 && k == 0);
		s->used++;
	}
	set_flag(PIPE_M, PIPE_FIX, 0);
	wait_flag(PIPE_M, PIPE_FIX, 0);
	copy_matrix_cc_to_gm(s->c + (n / 16 * H + row) * W * 16, (__cc__ float *)0, 0, BASE_N, BASE_M, H * W, BASE_M, 0, F322F16,
			     0, false, false);
	set_flag(PIPE_FIX, PIPE_M, 0);
	wait_flag(PIPE_FIX, PIPE_M, 0);
}

__global__ __aicore__ void conv(__gm__ half *x, __gm__ half *w, __gm__ half *c)
{
	uint32_t blocks_n = N1 * 16 / SINGLE_N, image = (uint32_t)get_block_idx() / blocks_n,
		 n0 = (uint32_t)get_block_idx() % blocks_n * SINGLE_N;
	struct state s = { .x = x + image * C1 * H * W * 16, .w = w, .c = c + image * N1 * H * W * 16 };

	for (uint32_t i = 0; i < 2; i++) {
		set_flag(PIPE_MTE1, PIPE_MTE2, i);
		set_flag(PIPE_M, PIPE_MTE1, i);
	}
	for (uint32_t row = 0; row < H; row += ROWS)
		for (uint32_t n = n0; n < n0 + SINGLE_N; n += BASE_N)
			tile(&s, row, n);
	for (uint32_t i = 0; i < 2; i++) {
		wait_flag(PIPE_MTE1, PIPE_MTE2, i);
		wait_flag(PIPE_M, PIPE_MTE1, i);
	}
}
