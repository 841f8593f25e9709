/*
 * Kernels that select and change atomically, for a vector core, some with a planted mistake; see vector.c.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
#define LOAD(ub, gm, bytes) copy_gm_to_ubuf((__ubuf__ void *)UB(ub), (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0)
#define STORE(gm, ub, bytes) copy_ubuf_to_gm((__gm__ void *)(gm), (__ubuf__ void *)UB(ub), 0, 1, (bytes) / 32, 0, 0)
#define DUP(d, repeats) vector_dup(UB(d), 1.0f, repeats, 1, 1, 8, 0)
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws
#define SELECT(d, a, b, mode) vsel(UB(d), UB(a), UB(b), 1, 1, 1, 1, 8, 8, 8, mode)

//! 1 clean
K(select_by_bits_that_cmpmask_points_to)
{
	UNUSED;
	LOAD(0, in, 256);
	LOAD(0x10000, in + 4096, 256);
	SYNC(MTE2, V, EVENT_ID0);
	for (int i = 0; i < 3; i++) {
		vcmpv_lt((__ubuf__ uint8_t *)0x2000, UB(0), UB(0x10000), 1, 1, 1, 1, 8, 8, 8);
		vector_dup((__ubuf__ uint32_t *)0x2100, 0x2000u, 1, 1, 1, 8, 0);
		pipe_barrier(PIPE_V);
		set_cmpmask((__ubuf__ void *)0x2100);
		pipe_barrier(PIPE_V);
		SELECT(0x20000 + i * 256, 0, 0x10000, 2);
		pipe_barrier(PIPE_V);
	}
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 768);
}

//! 1 racecheck write-after-read
K(bits_change_under_a_select)
{
	UNUSED;
	LOAD(0, in, 256);
	LOAD(0x10000, in + 4096, 256);
	SYNC(MTE2, V, EVENT_ID0);
	vcmpv_lt((__ubuf__ uint8_t *)0x2000, UB(0), UB(0x10000), 1, 1, 1, 1, 8, 8, 8);
	vector_dup((__ubuf__ uint32_t *)0x2100, 0x2000u, 1, 1, 1, 8, 0);
	pipe_barrier(PIPE_V);
	set_cmpmask((__ubuf__ void *)0x2100);
	pipe_barrier(PIPE_V);
	SELECT(0x20000, 0, 0x10000, 2); // OTHER
	vcmpv_gt((__ubuf__ uint8_t *)0x2000, UB(0), UB(0x10000), 1, 1, 1, 1, 8, 8, 8); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 256);
}

//! 1 racecheck read-after-write
K(select_right_behind_set_cmpmask)
{
	UNUSED;
	LOAD(0, in, 256);
	LOAD(0x10000, in + 4096, 256);
	SYNC(MTE2, V, EVENT_ID0);
	set_cmpmask((__ubuf__ void *)0x10000); // OTHER
	SELECT(0x20000, 0, 0x10000, 0); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 256);
}

//! 1 racecheck read-after-write
K(get_cmpmask_right_behind_the_compare)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, V, EVENT_ID0);
	DUP(0x20000, 1);
	pipe_barrier(PIPE_V);
	vcmp_eq(UB(0), UB(0), 1, 1, 1, 1, 8, 8, 8); // OTHER
	get_cmpmask((__ubuf__ void *)0x20000); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 32);
}

//! 1 initcheck never-written
K(atomic_maximum_of_what_nobody_wrote)
{
	UNUSED;
	DUP(0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	set_atomic_f32();
	set_atomic_max();
	STORE(out, 0, 1024); // AT
	set_atomic_none();
}
