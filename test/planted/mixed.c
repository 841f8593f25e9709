/*
 * Kernels with one planted mistake each, for a cube core and its two vector cores; see vector.c.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define UNUSED (void)in, (void)out, (void)ws
#define CROSS(pipe, mode, id) ffts_cross_core_sync(PIPE_##pipe, 1 | (mode) << 4 | (id) << 8)
#ifdef __DAV_C220_VEC__
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define PUT(gm, bytes) copy_ubuf_to_gm((__gm__ void *)(gm), (__ubuf__ void *)UB(0), 0, 1, (bytes) / 32, 0, 0)
#define GET(gm, bytes) copy_gm_to_ubuf((__ubuf__ void *)UB(0), (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0)
#define FILL() do { vector_dup(UB(0), 1.0f, 4, 1, 1, 8, 0); SYNC(V, MTE3, EVENT_ID0); } while (0)
#else
#define GET(gm, bytes) copy_gm_to_cbuf((__cbuf__ void *)0, (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0, PAD_NONE)
#define USE(i)                                                                                                         \
	set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);                                                                     \
	wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);                                                                    \
	copy_cbuf_to_gm((__gm__ void *)(out + (i) * 2048), (__cbuf__ void *)0, 0, 1, 64, 0, 0);                        \
	set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);                                                                     \
	wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0)
#endif

//! 2 clean
K(vectors_feed_the_cube)
{
	UNUSED;
	__gm__ uint8_t *mine = ws + get_block_idx() * 4096;
#ifdef __DAV_C220_VEC__
	FILL();
	PUT(mine + get_subblockid() * 1024, 1024);
	CROSS(MTE3, 2, 4);
#else
	wait_flag_dev(4);
	GET(mine, 2048);
#endif
}

//! 1 clean
K(cube_and_vectors_in_turn)
{
	UNUSED;
	for (int i = 0; i < 20; i++) {
#ifdef __DAV_C220_VEC__
		if (i)
			wait_flag_dev(5);
		FILL();
		PUT(ws + get_subblockid() * 1024, 1024);
		CROSS(MTE3, 2, 4);
		SYNC(MTE3, V, EVENT_ID1);
#else
		wait_flag_dev(4);
		GET(ws, 2048);
		USE(i);
		if (i < 19)
			CROSS(MTE2, 2, 5);
#endif
	}
}

//! 1 racecheck write-after-read
K(race_vectors_do_not_wait_for_the_cube)
{
	UNUSED;
	for (int i = 0; i < 2; i++) {
#ifdef __DAV_C220_VEC__
		FILL();
		pipe_barrier(PIPE_MTE3);
		PUT(ws + get_subblockid() * 1024, 1024); // AT
		CROSS(MTE3, 2, 4);
		SYNC(MTE3, V, EVENT_ID1);
		for (volatile int j = 0; j < 20000; j++) { }
#else
		wait_flag_dev(4);
		GET(ws, 2048); // OTHER
		USE(i);
#endif
	}
}

//! 1 racecheck read-after-write
K(race_cube_reads_before_the_flag)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	FILL();
	PUT(ws + get_subblockid() * 1024, 1024); // OTHER
	CROSS(MTE3, 2, 4);
#else
	for (volatile int i = 0; i < 40000; i++) { }
	GET(ws, 2048); // AT
	wait_flag_dev(4);
#endif
}

//! 1 racecheck read-after-write
K(race_flag_on_another_pipe)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	FILL();
	PUT(ws + get_subblockid() * 1024, 1024); // OTHER
	CROSS(V, 2, 4);
	for (volatile int i = 0; i < 40000; i++) { }
#else
	wait_flag_dev(4);
	for (volatile int i = 0; i < 40000; i++) { }
	GET(ws, 2048); // AT
#endif
}

//! 1 racecheck write-after-write
K(race_two_vector_cores_overlap)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	FILL();
	PUT(out + get_subblockid() * 512, 1024); // AT OTHER
#endif
}

//! 1 synccheck cross-left
K(sync_one_flag_too_many)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	FILL();
	CROSS(V, 2, 4); // AT
	CROSS(V, 2, 4); // AT
#else
	wait_flag_dev(4);
#endif
}

//! 1 synccheck flag
K(sync_counter_overflows)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	for (int i = 0; i < 20; i++)
		CROSS(V, 2, 4);
#else
	for (volatile int i = 0; i < 40000; i++) { }
	wait_flag_dev(4);
#endif
}

//! 1 synccheck left-early
K(sync_one_vector_core_does_not_set)
{
	UNUSED;
#ifdef __DAV_C220_VEC__
	if (get_subblockid() == 0)
		CROSS(V, 2, 4); // AT
#else
	wait_flag_dev(4);
#endif
}
