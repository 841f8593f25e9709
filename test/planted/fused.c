/*
 * Kernels with one planted mistake each, for the fused core of the 910; see vector.c.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define UB(a) ((__ubuf__ half *)(uintptr_t)(a))
#define UBF(a) ((__ubuf__ float *)(uintptr_t)(a))
#define L1(a) ((__cbuf__ half *)(uintptr_t)(a))
#define L0C(a) ((__cc__ float *)(uintptr_t)(a))
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws
/* one fractal of A (rows of it) and one of B, multiplied into L0C 0 */
#define LOAD(rows)                                                                                                     \
	copy_gm_to_cbuf((__cbuf__ void *)L1(0), (__gm__ void *)in, 0, 1, rows, 0, 0, PAD_NONE);                        \
	copy_gm_to_cbuf((__cbuf__ void *)L1(0x1000), (__gm__ void *)in, 0, 1, 16, 0, 0, PAD_NONE);                     \
	SYNC(MTE2, MTE1, EVENT_ID0);                                                                                   \
	load_cbuf_to_ca((__ca__ half *)0, L1(0), 0, 1, 1, 0, false, inc);                                              \
	load_cbuf_to_cb((__cb__ half *)0, L1(0x1000), 0, 1, 1, 0, false, inc);                                         \
	SYNC(MTE1, M, EVENT_ID0)
#define MAD() mad(L0C(0), (__ca__ half *)0, (__cb__ half *)0, 16, 16, 16, true)
#define OUT_UB() copy_matrix_cc_to_ubuf(UBF(0), L0C(0), 0, 1, 1, 0, 0, CRMODE_NONE)
#define STORE(bytes) copy_ubuf_to_gm((__gm__ void *)out, (__ubuf__ void *)UBF(0x8000), 0, 1, (bytes) / 32, 0, 0)
#define DOUBLE() vadd(UBF(0x8000), UBF(0), UBF(0), 4, 1, 1, 1, 8, 8, 8)

//! 1 clean
K(multiply)
{
	UNUSED;
	LOAD(16);
	MAD();
	SYNC(M, V, EVENT_ID0);
	OUT_UB();
	pipe_barrier(PIPE_V);
	DOUBLE();
	SYNC(V, MTE3, EVENT_ID0);
	STORE(1024);
}

//! 1 clean
K(rows_not_stored)
{
	UNUSED;
	LOAD(4);
	MAD();
	SYNC(M, V, EVENT_ID0);
	OUT_UB();
	pipe_barrier(PIPE_V);
	DOUBLE();
	SYNC(V, MTE3, EVENT_ID0);
	STORE(256);
}

//! 1 initcheck undefined-result
K(init_rows_stored)
{
	UNUSED;
	LOAD(4);
	MAD();
	SYNC(M, V, EVENT_ID0);
	OUT_UB();
	pipe_barrier(PIPE_V);
	DOUBLE();
	SYNC(V, MTE3, EVENT_ID0);
	STORE(512); // AT
}

//! 1 racecheck read-after-write
K(race_l0c_to_ub_then_vector)
{
	UNUSED;
	LOAD(16);
	MAD();
	SYNC(M, V, EVENT_ID0);
	OUT_UB(); // OTHER
	DOUBLE(); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(1024);
}

//! 1 racecheck read-after-write
K(race_l0c_read_before_mad)
{
	UNUSED;
	LOAD(16);
	MAD(); // OTHER
	SYNC(MTE1, V, EVENT_ID1);
	OUT_UB(); // AT
	pipe_barrier(PIPE_V);
	DOUBLE();
	SYNC(V, MTE3, EVENT_ID0);
	STORE(1024);
}

//! 1 racecheck read-after-write
K(race_ub_to_l1_then_l0)
{
	UNUSED;
	copy_gm_to_ubuf((__ubuf__ void *)UB(0), (__gm__ void *)in, 0, 1, 16, 0, 0);
	SYNC(MTE2, MTE3, EVENT_ID0);
	copy_ubuf_to_cbuf((__cbuf__ void *)L1(0), (__ubuf__ void *)UB(0), 0, 1, 16, 0, 0); // OTHER
	SYNC(MTE2, MTE1, EVENT_ID1);
	for (volatile int i = 0; i < 5000; i++) { }
	load_cbuf_to_ca((__ca__ half *)0, L1(0), 0, 1, 1, 0, false, inc); // AT
}

//! 1 synccheck event-id
K(sync_event_id_of_the_910)
{
	UNUSED;
	int e = 4;
	__asm__ volatile("" : "+r"(e));
	set_flag(PIPE_MTE2, PIPE_V, (event_t)e); // AT
}

//! 1 synccheck barrier
K(sync_no_fixpipe)
{
	UNUSED;
	pipe_barrier(PIPE_FIX); // AT
}
