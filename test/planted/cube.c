/*
 * Kernels with one planted mistake each, for a cube core; see vector.c.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define L1(a) ((__cbuf__ half *)(uintptr_t)(a))
#define L0A(a) ((__ca__ half *)(uintptr_t)(a))
#define L0B(a) ((__cb__ half *)(uintptr_t)(a))
#define L0C(a) ((__cc__ float *)(uintptr_t)(a))
/* 16 columns of 16-bit elements, `rows` of them: one strip */
#define LOAD(l1, gm, rows) copy_gm_to_cbuf((__cbuf__ void *)L1(l1), (__gm__ void *)(gm), 0, 1, rows, 0, 0, PAD_NONE)
#define TO_A(l0, l1, n) load_cbuf_to_ca(L0A(l0), L1(l1), 0, n, 1, 0, 0, false, inc)
#define TO_B(l0, l1, n) load_cbuf_to_cb(L0B(l0), L1(l1), 0, n, 1, 0, 0, false, inc)
#define MAD(c, a, b, m, k, n, first) mad(L0C(c), L0A(a), L0B(b), m, k, n, 0, false, false, first)
#define OUT(gm, c, m, n) copy_matrix_cc_to_gm((__gm__ float *)(gm), L0C(c), 0, n, m, n, 16, 0, NoQuant, 0, false, true)
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws

//! 2 clean
K(multiply)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	SYNC(M, FIX, EVENT_ID0);
	OUT(out + get_block_idx() * 1024, 0, 16, 16);
}

//! 1 clean
K(rows_that_are_not_stored)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 5);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 5, 16);
}

//! 1 clean
K(columns_beyond_k)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 2);
	TO_B(0, 0x10000, 2);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16);
}

//! 1 initcheck undefined-result
K(init_rows_that_are_stored)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 5);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1); // OTHER
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 6, 16); // AT
}

//! 1 initcheck undefined-result
K(init_b_never_loaded)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1); // OTHER
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16); // AT
}

//! 1 initcheck undefined-result
K(init_accumulates_on_nothing)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, false); // OTHER
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16); // AT
}

//! 1 racecheck read-after-write
K(race_mad_before_load)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
	TO_B(0, 0x10000, 1); // OTHER
	wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true); // AT
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16);
}

//! 1 racecheck read-after-write
K(race_fixpipe_before_mad)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true); // OTHER
	SYNC(MTE1, FIX, EVENT_ID0);
	for (volatile int i = 0; i < 5000; i++) { }
	OUT(out, 0, 16, 16); // AT
}

//! 1 racecheck write-after-read
K(race_load_over_l1_in_use)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1); // OTHER
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true);
	for (volatile int i = 0; i < 5000; i++) { }
	LOAD(0, in + 1024, 16); // AT
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16);
}

//! 1 racecheck read-after-write
K(race_small_mads_in_one_pipe)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true); // OTHER
	MAD(0, 0, 0, 16, 16, 16, false); // AT
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16);
}

//! 1 memcheck never-read
K(mem_first_product_is_lost)
{
	UNUSED;
	set_nd_para(1);
	LOAD(0, in, 16);
	LOAD(0x10000, in + 512, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0, 0, 1);
	TO_B(0, 0x10000, 1);
	SYNC(MTE1, M, EVENT_ID0);
	MAD(0, 0, 0, 16, 16, 16, true); // OTHER
	pipe_barrier(PIPE_M);
	MAD(0, 0, 0, 16, 16, 16, true); // AT
	SYNC(M, FIX, EVENT_ID0);
	OUT(out, 0, 16, 16);
}

//! 1 memcheck misaligned
K(mem_fractal_misaligned)
{
	UNUSED;
	LOAD(0, in, 16);
	SYNC(MTE2, MTE1, EVENT_ID0);
	TO_A(0x100, 0, 1); // AT
}

//! 1 memcheck out-of-bounds
K(mem_l1_past_the_end)
{
	UNUSED;
	LOAD(0x7ff00, in, 16); // AT
}

//! 1 synccheck illegal-pair
K(sync_no_scalar_source_on_cube)
{
	UNUSED;
	set_flag(PIPE_S, PIPE_MTE2, EVENT_ID0); // AT
	wait_flag(PIPE_S, PIPE_MTE2, EVENT_ID0); // AT
	LOAD(0, in, 16);
}
