/*
 * mmad.c - the fp16 matmul 8192 x 8192 x 8192 of asc-devkit's matmul_basic_api_high_performance: A [M,K], B [N,K], C fp16
 * or fp32. All tiling is constant; L1 and L0 are double buffered; A goes to L0 by load3d, B by load2d per 16 columns of K;
 * fixpipe follows the last mad by unit flags. Tasks of single_m x 1536 lie M first; `rounds` of them along M per block.
 */
#include <stdint.h>

enum {
	SIZE = 8192, SINGLE_N = 1536, BASE_M = 128, BASE_N = 256, BASE_K = 64, STEP_A = 8, STEP_B = 4, K_STEPS = SIZE / BASE_K,
	L1_B = 0x40000, STAGE_A = BASE_M * BASE_K * STEP_A * 2, STAGE_B = BASE_N * BASE_K * STEP_B * 2, L0_STAGE = 0x8000,
	FRACTAL = 256
};

struct mmad { uint32_t single_m, rounds, out_f32; };

/* Event ids between MTE1 and MTE2: stages 0 and 1 of A, 2 and 3 of B. */
static inline void load_a(__gm__ half *a, uint32_t stage, uint32_t step)
{
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage);
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)(stage * STAGE_A), a + step * BASE_K, 0, 1, BASE_M,
					BASE_K * STEP_A, 0, SIZE, BASE_M, 1, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage);
}

static inline void load_b(__gm__ half *b, uint32_t stage, uint32_t step, uint32_t cols)
{
	wait_flag(PIPE_MTE1, PIPE_MTE2, stage + 2);
	copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)(uintptr_t)(L1_B + stage * STAGE_B), b + step * BASE_K, 0, 1,
					(uint16_t)cols, BASE_K * STEP_B, 0, SIZE, BASE_N, 1, 0);
	set_flag(PIPE_MTE2, PIPE_MTE1, stage + 2);
}

static inline void l0_step(uint32_t k, uint32_t l0, uint32_t cols)
{
	uint32_t stage_a = k / STEP_A & 1, stage_b = k / STEP_B & 1, in_a = k % STEP_A, in_b = k % STEP_B;
	uint32_t l1_a = stage_a * STAGE_A + in_a * BASE_M * BASE_K * 2;
	uint32_t l1_b = L1_B + stage_b * STAGE_B + in_b * BASE_N * BASE_K * 2;

	wait_flag(PIPE_M, PIPE_MTE1, l0);
	if (in_a == 0)
		wait_flag(PIPE_MTE2, PIPE_MTE1, stage_a);
	if (in_b == 0)
		wait_flag(PIPE_MTE2, PIPE_MTE1, stage_b + 2);
	img2colv2_cbuf_to_ca((__ca__ half *)(uintptr_t)(l0 * L0_STAGE), (__cbuf__ half *)(uintptr_t)l1_a, BASE_K, BASE_M, 0, 0,
			     1, 1, 1, 1, 1, 1, false, BASE_K);
	for (uint32_t i = 0; i < BASE_K / 16; i++)
		load_cbuf_to_cb((__cb__ half *)(uintptr_t)(l0 * L0_STAGE) + i * cols * 16,
				(__cbuf__ half *)(uintptr_t)l1_b + i * BASE_N * 16, 0, (uint8_t)(cols / 16), 1, 0, 0, false, inc);
	if (in_a == STEP_A - 1)
		set_flag(PIPE_MTE1, PIPE_MTE2, stage_a);
	if (in_b == STEP_B - 1)
		set_flag(PIPE_MTE1, PIPE_MTE2, stage_b + 2);
	set_flag(PIPE_MTE1, PIPE_M, l0);
	wait_flag(PIPE_MTE1, PIPE_M, l0);
	mad((__cc__ float *)0, (__ca__ half *)(uintptr_t)(l0 * L0_STAGE), (__cb__ half *)(uintptr_t)(l0 * L0_STAGE), BASE_M,
	    BASE_K, (uint16_t)cols, k + 1 == K_STEPS ? 3 : 2, false, false, k == 0);
	set_flag(PIPE_M, PIPE_MTE1, l0);
}

static inline void tile(__gm__ half *a, __gm__ half *b, __gm__ void *c, uint64_t at, uint32_t cols, uint32_t out_f32)
{
	uint32_t next_a = STEP_A, next_b = STEP_B, write_a = 1, write_b = 1;

	load_a(a, 0, 0);
	load_b(b, 0, 0, cols);
	for (uint32_t k = 0; k < K_STEPS; k++) {
		l0_step(k, k & 1, cols);
		if ((k == 0 || k % STEP_B == STEP_B - 1) && next_b < K_STEPS) {
			load_b(b, write_b, next_b, cols);
			next_b += STEP_B;
			write_b ^= 1;
		}
		if ((k == 0 || k % STEP_A == STEP_A - 1) && next_a < K_STEPS) {
			load_a(a, write_a, next_a);
			next_a += STEP_A;
			write_a ^= 1;
		}
	}
	if (out_f32)
		copy_matrix_cc_to_gm((__gm__ float *)c + at, (__cc__ float *)0, 0, (uint16_t)cols, BASE_M, SIZE, BASE_M, 3,
				     NoQuant, 0, false, true);
	else
		copy_matrix_cc_to_gm((__gm__ half *)c + at, (__cc__ float *)0, 0, (uint16_t)cols, BASE_M, SIZE, BASE_M, 3,
				     F322F16, 0, false, true);
}

__global__ __aicore__ void mmad(__gm__ half *a, __gm__ half *b, __gm__ void *c, __gm__ const struct mmad *t)
{
	uint32_t single_m = t->single_m, rounds = t->rounds, out_f32 = t->out_f32, tasks_m = SIZE / single_m / rounds,
		 block = (uint32_t)get_block_idx(), n0 = block / tasks_m * SINGLE_N,
		 n_end = n0 + SINGLE_N < SIZE ? n0 + SINGLE_N : SIZE;

	set_nd_para(1);
	set_fmatrix(BASE_M | UINT64_C(1) << 16);
	for (uint32_t i = 0; i < 4; i++)
		set_flag(PIPE_MTE1, PIPE_MTE2, i);
	set_flag(PIPE_M, PIPE_MTE1, 0);
	set_flag(PIPE_M, PIPE_MTE1, 1);
	for (uint32_t round = 0; round < rounds; round++) {
		uint32_t m0 = (block % tasks_m + round * tasks_m) * single_m;
		for (uint32_t n = n0; n < n_end; n += BASE_N)
			for (uint32_t m = m0; m < m0 + single_m; m += BASE_M)
				tile(a + (uint64_t)m * SIZE, b + (uint64_t)n * SIZE, c, (uint64_t)m * SIZE + n,
				     n_end - n < BASE_N ? n_end - n : BASE_N, out_f32);
	}
	for (uint32_t i = 0; i < 4; i++)
		wait_flag(PIPE_MTE1, PIPE_MTE2, i);
	wait_flag(PIPE_M, PIPE_MTE1, 0);
	wait_flag(PIPE_M, PIPE_MTE1, 1);
}
