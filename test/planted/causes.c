/*
 * Kernels with one mistake that shows in several findings, or two mistakes that have nothing to do with each other, for a
 * vector core. "//! blocks causes N": N findings must stand for themselves, at the lines marked AT; the others follow.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
#define LOAD(ub, gm, bytes) copy_gm_to_ubuf((__ubuf__ void *)UB(ub), (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0)
#define STORE(gm, ub, bytes) copy_ubuf_to_gm((__gm__ void *)(gm), (__ubuf__ void *)UB(ub), 0, 1, (bytes) / 32, 0, 0)
#define ADD(d, a, b, repeats) vadd(UB(d), UB(a), UB(b), repeats, 1, 1, 1, 8, 8, 8)
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws

/* ---- one mistake ---- */

/* races of two buffers and the flag that stays: one wait before the first add is missing */
//! 1 causes 1
K(one_wait_for_two_loads)
{
	UNUSED;
	LOAD(0, in, 1024);
	LOAD(0x10000, in + 4096, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // AT
	ADD(0x21000, 0x10000, 0x10000, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
	STORE(out + 1024, 0x21000, 1024);
}

/* without set and wait: one pair in front of the add orders both loads */
//! 1 causes 1
K(one_pair_for_two_operands)
{
	UNUSED;
	LOAD(0, in, 1024);
	LOAD(0x10000, in + 4096, 1024);
	ADD(0x20000, 0, 0x10000, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

/* the buffer goes back without a wait: races, sets upon sets, sets that stay */
//! 2 causes 1
K(back_pressure_without_wait)
{
	UNUSED;
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
	set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	for (int i = 0; i < 12; i++) {
		int stage = i & 1;
		LOAD(stage * 0x1000, in + i * 1024, 1024); // AT
		SYNC(MTE2, V, stage);
		wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
		ADD(0x20000, stage * 0x1000, stage * 0x1000, 4);
		set_flag(PIPE_V, PIPE_MTE2, stage);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(out + get_block_idx() * 12288 + i * 1024, 0x20000, 1024);
		set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	}
	wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID1);
	wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}

/* ---- two mistakes ---- */

//! 1 causes 2
K(two_waits_of_two_flags)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	LOAD(0x10000, in + 4096, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
	ADD(0x20000, 0, 0, 4); // AT
	ADD(0x21000, 0x10000, 0x10000, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
	STORE(out + 1024, 0x21000, 1024);
}

/* one instruction that lacks the waits of two flags */
//! 1 causes 2
K(two_waits_of_one_add)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	LOAD(0x10000, in + 4096, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
	ADD(0x20000, 0, 0x10000, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 causes 2
K(two_pairs_without_flags)
{
	UNUSED;
	LOAD(0, in, 1024);
	LOAD(0x10000, in + 4096, 1024);
	ADD(0x20000, 0, 0, 4); // AT
	ADD(0x21000, 0x10000, 0x10000, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
	STORE(out + 1024, 0x21000, 1024);
}

/* the same set, made twice, with two readers that both forget to wait */
//! 1 causes 2
K(one_set_two_readers)
{
	UNUSED;
	for (int i = 0; i < 2; i++) {
		LOAD(i * 0x1000, in + i * 4096, 1024);
		set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
		if (i == 0)
			ADD(0x20000, 0, 0, 4); // AT
		else
			ADD(0x21000, 0x1000, 0x1000, 4); // AT
	}
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
	STORE(out + 1024, 0x21000, 1024);
}

//! 1 causes 2
K(a_race_and_a_flag_of_another_event)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // AT
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

/* a wait stands behind the reader; later a set of the same flag is one too many */
//! 1 causes 2
K(a_late_wait_and_a_later_set)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // AT
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	SYNC(V, MTE2, EVENT_ID0);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 causes 2
K(a_race_and_bytes_never_written)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
	STORE(out + 1024, 0x28000, 1024); // AT
}
