/*
 * Kernels with one planted mistake each, for a vector core. A line "//! blocks check code" says what must be found in the
 * kernel behind it: nothing else, at the line marked AT, with the line marked OTHER as its other side. "clean" must give
 * nothing. in: 64 KB, read-only; out, ws: 64 KB, never written before.
 */
#include <stdint.h>
#define K(name) __global__ __aicore__ void name(__gm__ uint8_t *in, __gm__ uint8_t *out, __gm__ uint8_t *ws)
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
#define LOAD(ub, gm, bytes) copy_gm_to_ubuf((__ubuf__ void *)UB(ub), (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0)
#define STORE(gm, ub, bytes) copy_ubuf_to_gm((__gm__ void *)(gm), (__ubuf__ void *)UB(ub), 0, 1, (bytes) / 32, 0, 0)
#define ADD(d, a, b, repeats) vadd(UB(d), UB(a), UB(b), repeats, 1, 1, 1, 8, 8, 8)
#define DUP(d, repeats) vector_dup(UB(d), 1.0f, repeats, 1, 1, 8, 0)
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws

/* ---- clean ---- */

//! 1 clean
K(plain)
{
	UNUSED;
	LOAD(0, in, 1024);
	LOAD(0x10000, in + 4096, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0x10000, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 4 clean
K(loop_with_back_pressure)
{
	UNUSED;
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	for (int i = 0; i < 8; i++) {
		wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
		LOAD(0, in + i * 1024, 1024);
		SYNC(MTE2, V, EVENT_ID0);
		wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
		ADD(0x20000, 0, 0, 4);
		set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(out + get_block_idx() * 8192 + i * 1024, 0x20000, 1024);
		set_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
	}
	wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	wait_flag(PIPE_MTE3, PIPE_V, EVENT_ID0);
}

//! 1 clean
K(one_event_id_again_and_again)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	for (int i = 0; i < 4; i++) {
		ADD(0x20000 + i * 1024, 0, 0, 4);
		SYNC(V, MTE2, EVENT_ID0);
	}
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 4096);
}

//! 1 clean
K(barrier_all_orders)
{
	UNUSED;
	for (int i = 0; i < 3; i++) {
		LOAD(0, in + i * 1024, 1024);
		pipe_barrier(PIPE_ALL);
		ADD(0x20000, 0, 0, 4);
		pipe_barrier(PIPE_ALL);
		STORE(out + i * 1024, 0x20000, 1024);
		pipe_barrier(PIPE_ALL);
	}
}

//! 1 clean
K(masked_lanes_do_not_count)
{
	UNUSED;
	LOAD(0, in, 128);
	SYNC(MTE2, V, EVENT_ID0);
	set_vector_mask(0, 0xffffffff);
	ADD(0x2ff80, 0, 0, 1);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x2ff80, 128);
}

//! 1 clean
K(counter_mode_tail)
{
	UNUSED;
	LOAD(0, in, 320);
	SYNC(MTE2, V, EVENT_ID0);
	set_mask_count();
	set_vector_mask(0, 80);
	ADD(0x20000, 0, 0, 1);
	set_mask_norm();
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 320);
}

//! 1 clean
K(garbage_is_moved_but_not_used)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, V, EVENT_ID0);
	vcopy((__ubuf__ uint32_t *)UB(0x10000), (__ubuf__ uint32_t *)UB(0), 2, 1, 1, 8, 8);
	pipe_barrier(PIPE_V);
	ADD(0x20000, 0x10000, 0x10000, 2);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 256);
}

//! 4 clean
K(atomics_are_no_race)
{
	UNUSED;
	DUP(0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	if (get_block_idx() == 0)
		STORE(out, 0, 32);
	set_atomic_f32();
	set_atomic_add();
	set_atomic_none();
}

//! 1 clean
K(scalar_through_flags)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, S, EVENT_ID0);
	float x = *UB(0);
	for (int i = 0; i < 64; i++)
		UB(0x400)[i] = x;
	SYNC(S, V, EVENT_ID0);
	ADD(0x800, 0x400, 0x400, 1);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x800, 256);
}

//! 1 clean
K(scalar_store_written_back)
{
	UNUSED;
	for (int i = 0; i < 8; i++)
		((__gm__ float *)ws)[i] = 1.0f;
	dcci(ws, ENTIRE_DATA_CACHE, CACHELINE_OUT);
	LOAD(0, ws, 32);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 32);
}

//! 4 clean
K(sync_all_orders_cores)
{
	UNUSED;
	int me = (int)get_block_idx(), next = (me + 1) % 4;
	DUP(0, 1);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(ws + me * 256, 0, 256);
	ffts_cross_core_sync(PIPE_MTE3, 1 | 0 << 4 | 14 << 8);
	wait_flag_dev(14);
	LOAD(0x400, ws + next * 256, 256);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out + me * 256, 0x400, 256);
}

/* ---- racecheck ---- */

//! 1 racecheck read-after-write
K(race_load_then_vector)
{
	UNUSED;
	LOAD(0, in, 1024); // OTHER
	ADD(0x20000, 0, 0, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 racecheck read-after-write
K(race_vector_then_store)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // OTHER
	STORE(out, 0x20000, 1024); // AT
}

//! 1 racecheck write-after-read
K(race_next_load_over_vector_source)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // OTHER
	LOAD(0x200, in, 1024); // AT
	SYNC(MTE2, V, EVENT_ID1);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 racecheck write-after-read
K(race_vector_over_store_source)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024); // OTHER
	ADD(0x20000, 0, 0, 4); // AT
	SYNC(V, MTE3, EVENT_ID1);
	pipe_barrier(PIPE_MTE3);
	STORE(out + 1024, 0x20000, 1024);
}

//! 1 racecheck read-after-write
K(race_in_the_vector_pipe)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x10000, 0, 0, 4); // OTHER
	ADD(0x20000, 0x10000, 0, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 racecheck write-after-write
K(race_two_loads_overlap)
{
	UNUSED;
	LOAD(0, in, 1024); // OTHER
	LOAD(0x200, in + 4096, 1024); // AT
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 1024);
}

//! 1 racecheck write-after-write
K(race_two_stores_overlap)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 1024); // OTHER
	STORE(out + 512, 0, 1024); // AT
}

//! 4 racecheck write-after-write
K(race_cores_overlap_in_gm)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out + get_block_idx() * 992, 0, 1024); // AT OTHER
}

//! 2 racecheck read-after-write
K(race_cores_without_sync)
{
	UNUSED;
	if (get_block_idx() == 0) {
		LOAD(0, in, 1024);
		SYNC(MTE2, MTE3, EVENT_ID0);
		STORE(ws, 0, 1024); // OTHER
	} else {
		for (volatile int i = 0; i < 20000; i++) { }
		LOAD(0, ws, 1024); // AT
		SYNC(MTE2, MTE3, EVENT_ID0);
		STORE(out, 0, 1024);
	}
}

//! 1 racecheck read-after-write
K(race_store_then_load_gm)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(ws, 0, 1024); // OTHER
	SYNC(V, MTE2, EVENT_ID0);
	for (volatile int i = 0; i < 20000; i++) { }
	LOAD(0x8000, ws, 1024); // AT
	SYNC(MTE2, MTE3, EVENT_ID1);
	STORE(out, 0x8000, 1024);
}

//! 1 racecheck read-after-write
K(race_wrong_event_id)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	LOAD(0x1000, in + 4096, 1024); // OTHER
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0x1000, 4); // AT
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID1);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 racecheck read-after-write
K(race_scalar_reads_too_early)
{
	UNUSED;
	LOAD(0, in, 256); // OTHER
	for (volatile int i = 0; i < 5000; i++) { }
	float x = *UB(0); // AT
	vector_dup(UB(0x400), x, 1, 1, 1, 8, 0);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x400, 256);
}

//! 1 racecheck read-after-write
K(race_scalar_store_without_flag)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, S, EVENT_ID0);
	*UB(0) = 3.0f; // OTHER
	STORE(out, 0, 256); // AT
}

//! 1 racecheck store-in-cache
K(race_scalar_store_stays_in_cache)
{
	UNUSED;
	*(__gm__ float *)ws = 1.0f; // OTHER
	SYNC(S, MTE2, EVENT_ID0);
	copy_gm_to_ubuf_align_b32((__ubuf__ void *)UB(0), (__gm__ void *)ws, 0, 1, 4, 0, 0, 0, 0); // AT
	SYNC(MTE2, MTE3, EVENT_ID0);
	copy_ubuf_to_gm_align_b32((__gm__ void *)out, (__ubuf__ void *)UB(0), 0, 1, 4, 0, 0, 0, 0);
}

//! 1 racecheck stale-cache-line
K(race_stale_line)
{
	UNUSED;
	__gm__ volatile float *w = (__gm__ volatile float *)ws;
	LOAD(0, in, 256);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(ws, 0, 256);
	SYNC(MTE3, S, EVENT_ID0);
	float a = w[0];
	SYNC(S, MTE3, EVENT_ID0);
	pipe_barrier(PIPE_MTE3);
	STORE(ws, 0, 256); // OTHER
	SYNC(MTE3, S, EVENT_ID0);
	float b = w[1]; // AT
	vector_dup(UB(0x400), a + b, 1, 1, 1, 8, 0);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x400, 256);
}

//! 2 racecheck false-sharing
K(race_two_cores_one_line)
{
	UNUSED;
	((__gm__ int *)out)[get_block_idx()] = 1; // AT OTHER
	dcci(out, ENTIRE_DATA_CACHE, CACHELINE_OUT);
}

/* ---- initcheck ---- */

//! 1 initcheck never-written
K(init_source_never_loaded)
{
	UNUSED;
	LOAD(0, in, 1024); // OTHER
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0x10000, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 initcheck never-written
K(init_tail_not_loaded)
{
	UNUSED;
	LOAD(0, in, 992); // OTHER
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 initcheck never-written
K(init_store_longer_than_result)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 3); // OTHER
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024); // AT
}

//! 1 initcheck undefined-result
K(init_workspace_read_first)
{
	UNUSED;
	LOAD(0, ws, 256); // OTHER
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 256); // AT
}

//! 1 initcheck undefined-result
K(init_carried_by_copies)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, V, EVENT_ID0);
	vcopy((__ubuf__ uint32_t *)UB(0x10000), (__ubuf__ uint32_t *)UB(0), 2, 1, 1, 8, 8); // OTHER
	pipe_barrier(PIPE_V);
	ADD(0x20000, 0x10000, 0x10000, 2);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 512); // AT
}

//! 1 initcheck never-written
K(init_scalar_load)
{
	UNUSED;
	LOAD(0, in, 32); // OTHER
	SYNC(MTE2, S, EVENT_ID0);
	float x = UB(0)[8]; // AT
	vector_dup(UB(0x400), x, 1, 1, 1, 8, 0);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x400, 256);
}

//! 1 initcheck never-written
K(init_lanes_masked_off_at_the_write)
{
	UNUSED;
	LOAD(0, in, 256);
	SYNC(MTE2, V, EVENT_ID0);
	set_vector_mask(0, 0x00ffffffffffffff);
	ADD(0x20000, 0, 0, 1); // OTHER
	set_vector_mask(~UINT64_C(0), ~UINT64_C(0));
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 256); // AT
}

//! 1 initcheck never-written
K(init_atomic_on_nothing)
{
	UNUSED;
	DUP(0, 1);
	SYNC(V, MTE3, EVENT_ID0);
	set_atomic_f32();
	set_atomic_add();
	STORE(out, 0, 256); // AT
	set_atomic_none();
}

/* ---- memcheck ---- */

//! 1 memcheck out-of-bounds
K(mem_load_past_the_end)
{
	UNUSED;
	LOAD(0, in + 65536 - 512, 1024); // AT
}

//! 1 memcheck out-of-bounds
K(mem_store_past_the_workspace)
{
	UNUSED;
	DUP(0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(ws + 65536 - 512, 0, 1024); // AT
}

//! 1 memcheck out-of-bounds
K(mem_ub_past_the_end)
{
	UNUSED;
	DUP(0x2ff00, 2); // AT
}

//! 1 memcheck misaligned
K(mem_misaligned_vector)
{
	UNUSED;
	DUP(0x10, 2); // AT
}

//! 1 memcheck misaligned
K(mem_misaligned_copy)
{
	UNUSED;
	LOAD(8, in, 256); // AT
}

//! 1 memcheck read-only
K(mem_write_to_input)
{
	UNUSED;
	DUP(0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(in, 0, 1024); // AT
}

//! 1 memcheck out-of-bounds
K(mem_never_allocated)
{
	UNUSED;
	LOAD(0, (__gm__ uint8_t *)UINT64_C(0x900000000), 1024); // AT
}

//! 1 memcheck out-of-bounds
K(mem_local_address_as_gm)
{
	UNUSED;
	*(__gm__ volatile int *)UINT64_C(0x1000000) = 1; // AT
}

//! 1 memcheck two-arguments
K(mem_walks_into_the_next_argument)
{
	UNUSED;
	copy_gm_to_ubuf((__ubuf__ void *)UB(0), (__gm__ void *)in, 0, 2, 1, 4095, 0); // AT
}

//! 1 memcheck never-read
K(mem_load_overwritten_unread)
{
	UNUSED;
	LOAD(0, in, 1024); // OTHER
	pipe_barrier(PIPE_MTE2);
	LOAD(0, in + 4096, 1024); // AT
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 1024);
}

//! 1 memcheck never-read
K(mem_result_overwritten_unread)
{
	UNUSED;
	LOAD(0, in, 1024);
	SYNC(MTE2, V, EVENT_ID0);
	ADD(0x20000, 0, 0, 4); // OTHER
	pipe_barrier(PIPE_V);
	vmul(UB(0x20000), UB(0), UB(0), 4, 1, 1, 1, 8, 8, 8); // AT
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 memcheck never-read
K(mem_output_written_over)
{
	UNUSED;
	LOAD(0, in, 2048);
	SYNC(MTE2, MTE3, EVENT_ID0);
	STORE(out, 0, 1024); // OTHER
	pipe_barrier(PIPE_MTE3);
	STORE(out, 0x400, 1024); // AT
}

/* ---- synccheck ---- */

//! 1 synccheck left-set
K(sync_set_without_wait)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID3); // AT
}

//! 1 synccheck left-set
K(sync_one_set_too_many)
{
	UNUSED;
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	for (int i = 0; i < 3; i++) {
		wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
		LOAD(0, in + i * 1024, 1024);
		SYNC(MTE2, V, EVENT_ID0);
		ADD(0x20000 + i * 1024, 0, 0, 4);
		set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0); // AT
	}
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 3072);
}

//! 1 synccheck set-twice
K(sync_repeated_event_id)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // OTHER
	LOAD(0x1000, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // AT
	for (volatile int i = 0; i < 5000; i++) { }
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0x1000, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 synccheck set-before-wait
K(sync_set_again_without_back_pressure)
{
	UNUSED;
	DUP(0x8000, 200);
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // OTHER
	for (volatile int i = 0; i < 5000; i++) { }
	LOAD(0x1000, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // AT
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	ADD(0x20000, 0, 0x1000, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 synccheck illegal-pair
K(sync_same_pipe)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_MTE2, EVENT_ID0); // AT
	wait_flag(PIPE_MTE2, PIPE_MTE2, EVENT_ID0); // AT
	LOAD(0x1000, in, 1024);
}

//! 1 synccheck event-id
K(sync_event_id_too_large)
{
	UNUSED;
	int e = 8;
	__asm__ volatile("" : "+r"(e));
	set_flag(PIPE_MTE2, PIPE_V, (event_t)e); // AT
}

//! 1 synccheck barrier
K(sync_barrier_of_a_missing_pipe)
{
	UNUSED;
	pipe_barrier(PIPE_M); // AT
}

//! 4 synccheck left-early
K(sync_a_core_skips_sync_all)
{
	UNUSED;
	if (get_block_idx() == 2)
		return;
	DUP(0, 1);
	for (volatile int i = 0; i < 20000; i++) { }
	ffts_cross_core_sync(PIPE_V, 1 | 0 << 4 | 14 << 8); // AT
	wait_flag_dev(14);
}

//! 2 synccheck cross-left
K(sync_cross_core_set_without_wait)
{
	UNUSED;
	DUP(0, 1);
	ffts_cross_core_sync(PIPE_V, 1 | 0 << 4 | 5 << 8); // AT
}

/* ---- deadlock ---- */

//! 1 deadlock deadlock
K(dead_wait_without_set)
{
	UNUSED;
	LOAD(0, in, 1024);
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // AT
	ADD(0x20000, 0, 0, 4);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 deadlock deadlock
K(dead_cycle_of_two_pipes)
{
	UNUSED;
	wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
	wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); // AT
	ADD(0x20000, 0, 0, 4);
	set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(out, 0x20000, 1024);
}

//! 1 deadlock deadlock
K(dead_scalar_waits)
{
	UNUSED;
	LOAD(0, in, 1024);
	set_flag(PIPE_MTE2, PIPE_S, EVENT_ID1);
	wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0); // AT
}

//! 2 deadlock deadlock
K(dead_cross_core)
{
	UNUSED;
	wait_flag_dev(3); // AT
}

//! 1 deadlock endless
K(dead_endless_loop)
{
	UNUSED;
	volatile int go = 1;
	while (go) { } // AT
}
