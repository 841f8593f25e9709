/*
 * Kernels whose cores are ordered by polling on GM, for vector cores, some with a planted mistake; see vector.c. flags: 64 KB
 * of zeros.
 */
#include <stdint.h>
#define GM __gm__ uint8_t
#define K(name) __global__ __aicore__ void name(GM *in, GM *out, GM *ws, GM *flags)
#define UB(a) ((__ubuf__ float *)(uintptr_t)(a))
#define LOAD(ub, gm, bytes) copy_gm_to_ubuf((__ubuf__ void *)UB(ub), (__gm__ void *)(gm), 0, 1, (bytes) / 32, 0, 0)
#define STORE(gm, ub, bytes) copy_ubuf_to_gm((__gm__ void *)(gm), (__ubuf__ void *)UB(ub), 0, 1, (bytes) / 32, 0, 0)
#define DUP(d, repeats) vector_dup(UB(d), 1.0f, repeats, 1, 1, 8, 0)
#define SYNC(from, to, id) do { set_flag(PIPE_##from, PIPE_##to, id); wait_flag(PIPE_##from, PIPE_##to, id); } while (0)
#define UNUSED (void)in, (void)out, (void)ws, (void)flags
#define FLAG(i) ((volatile __gm__ uint32_t *)(flags + (i) * 64))
#define CLEAN(p) dcci((__gm__ void *)(uintptr_t)(p), SINGLE_CACHE_LINE, CACHELINE_OUT)

/* Twenty thousand cycles. */
static inline __attribute__((always_inline)) void late(void)
{
	for (int i = 0; i < 200; i++) {
		DUP(0x28000, 64);
		pipe_barrier(PIPE_V);
	}
	pipe_barrier(PIPE_ALL);
}

static inline __attribute__((always_inline)) void make(__gm__ uint8_t *to)
{
	DUP(0, 16);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(to, 0, 4096);
}

static inline __attribute__((always_inline)) void take(__gm__ uint8_t *from, __gm__ uint8_t *out)
{
	LOAD(0x10000, from, 4096);
	SYNC(MTE2, MTE3, EVENT_ID1);
	STORE(out, 0x10000, 4096);
}

/* ---- clean ---- */

//! 2 clean
K(flag_through_the_data_cache)
{
	UNUSED;
	if (get_block_idx() == 0) {
		make(ws);
		pipe_barrier(PIPE_ALL);
		*FLAG(0) = 1;
		CLEAN(FLAG(0));
	} else {
		while (*FLAG(0) == 0)
			CLEAN(FLAG(0));
		take(ws, out);
	}
}

//! 2 clean
K(flag_in_the_same_line_as_data)
{
	UNUSED;
	if (get_block_idx() == 0) {
		FLAG(0)[1] = 5;
		FLAG(0)[0] = 1;
		CLEAN(FLAG(0));
	} else {
		while (*FLAG(0) == 0)
			CLEAN(FLAG(0));
		((volatile __gm__ uint32_t *)out)[0] = FLAG(0)[1];
		CLEAN(out);
	}
}

//! 2 clean
K(ping_pong_of_rounds)
{
	UNUSED;
	uint32_t me = (uint32_t)get_block_idx();
	for (uint32_t i = 1; i <= 4; i++) {
		if (me == 0)
			make(ws);
		pipe_barrier(PIPE_ALL);
		if (me == 0) {
			*FLAG(0) = i;
			CLEAN(FLAG(0));
		}
		while (*FLAG(1 - me) < i)
			CLEAN(FLAG(1 - me));
		if (me == 1) {
			take(ws, out + i * 4096);
			pipe_barrier(PIPE_ALL);
			*FLAG(1) = i;
			CLEAN(FLAG(1));
		}
	}
}

//! 3 clean
K(words_around_the_cache)
{
	UNUSED;
	uint32_t me = (uint32_t)get_block_idx();
	make(ws + me * 4096);
	pipe_barrier(PIPE_ALL);
	st_dev(1u, (__gm__ uint32_t *)(flags + me * 4), 0);
	for (uint32_t i = 0; i < 3; i++)
		while (ld_dev((__gm__ uint32_t *)(flags + i * 4), 0) == 0)
			;
	take(ws + (me + 1) % 3 * 4096, out + me * 4096);
}

/* Every core writes 1 to its slot and copies all slots in until all are set. */
//! 4 clean
K(all_wait_for_all_through_ub)
{
	UNUSED;
	uint32_t me = (uint32_t)get_block_idx(), n = (uint32_t)get_block_num();
	volatile __ubuf__ int32_t *slot = (volatile __ubuf__ int32_t *)UB(0x20000);
	int32_t sum;
	make(ws + me * 4096);
	pipe_barrier(PIPE_ALL);
	vector_dup((__ubuf__ int32_t *)0x21000, 1, 1, 1, 1, 8, 0);
	SYNC(V, MTE3, EVENT_ID0);
	STORE(flags + me * 32, 0x21000, 32);
	do {
		SYNC(S, MTE2, EVENT_ID2);
		LOAD(0x20000, flags, n * 32);
		SYNC(MTE2, S, EVENT_ID2);
		sum = 0;
		for (uint32_t i = 0; i < n; i++)
			sum += slot[i * 8];
	} while (sum != (int32_t)n);
	pipe_barrier(PIPE_ALL);
	take(ws + (me + 1) % n * 4096, out + me * 4096);
}

/* One waits for one; who has waited takes the flag down. */
//! 2 clean
K(handed_over_and_taken_down)
{
	UNUSED;
	uint32_t me = (uint32_t)get_block_idx();
	for (uint32_t i = 0; i < 3; i++) {
		if (me == 0) {
			while (ld_dev((__gm__ uint32_t *)flags, 0) != 0)
				;
			make(ws);
			pipe_barrier(PIPE_ALL);
			st_dev(1u, (__gm__ uint32_t *)flags, 0);
		} else {
			while (ld_dev((__gm__ uint32_t *)flags, 0) == 0)
				;
			take(ws, out + i * 4096);
			pipe_barrier(PIPE_ALL);
			st_dev(0u, (__gm__ uint32_t *)flags, 0);
		}
	}
}

/* Each adds one; all wait for the sum. */
//! 3 clean
K(counted_by_atomic_adds)
{
	UNUSED;
	uint32_t me = (uint32_t)get_block_idx(), n = (uint32_t)get_block_num();
	make(ws + me * 4096);
	pipe_barrier(PIPE_ALL);
	vector_dup((__ubuf__ int32_t *)0x21000, 1, 1, 1, 1, 8, 0);
	SYNC(V, MTE3, EVENT_ID0);
	set_atomic_s32();
	set_atomic_add();
	STORE(flags, 0x21000, 32);
	set_atomic_none();
	pipe_barrier(PIPE_ALL);
	while (ld_dev((__gm__ uint32_t *)flags, 0) < n)
		;
	take(ws + (me + 1) % n * 4096, out + me * 4096);
}

/* ---- mistakes ---- */

//! 2 racecheck read-after-write
K(flag_overtakes_the_data)
{
	UNUSED;
	if (get_block_idx() == 0) {
		DUP(0, 16);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(ws, 0, 4096); // OTHER
		*FLAG(0) = 1;
		CLEAN(FLAG(0));
	} else {
		while (*FLAG(0) == 0)
			CLEAN(FLAG(0));
		LOAD(0x10000, ws, 4096); // AT
		SYNC(MTE2, MTE3, EVENT_ID1);
		STORE(out, 0x10000, 4096);
	}
}

//! 2 racecheck read-after-write
K(flag_is_copied_out_without_a_barrier)
{
	UNUSED;
	if (get_block_idx() == 0) {
		DUP(0, 16);
		vector_dup((__ubuf__ int32_t *)0x21000, 1, 1, 1, 1, 8, 0);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(ws, 0, 4096); // OTHER
		STORE(flags, 0x21000, 32);
	} else {
		while (ld_dev((__gm__ uint32_t *)flags, 0) == 0)
			;
		LOAD(0x10000, ws, 4096); // AT
		SYNC(MTE2, MTE3, EVENT_ID1);
		STORE(out, 0x10000, 4096);
	}
}

//! 2 racecheck write-after-read
K(data_is_fetched_before_the_flag)
{
	UNUSED;
	if (get_block_idx() == 0) {
		late(); /* so that the other core is first */
		DUP(0, 16);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(flags + 8192, 0, 4096); // AT OTHER
		pipe_barrier(PIPE_ALL);
		*FLAG(0) = 1;
		CLEAN(FLAG(0));
	} else {
		LOAD(0x10000, flags + 8192, 4096); // AT OTHER
		while (*FLAG(0) == 0)
			CLEAN(FLAG(0));
		SYNC(MTE2, MTE3, EVENT_ID1);
		STORE(out, 0x10000, 4096);
	}
}

//! 2 racecheck read-after-write
K(looks_once)
{
	UNUSED;
	if (get_block_idx() == 0) {
		*FLAG(0) = 1; // OTHER
		CLEAN(FLAG(0));
	} else {
		late();
		if (*FLAG(0) == 0) // AT
			trap();
	}
}

/* A loop that only loads, and whose end depends on a word in GM: its copies are no polls. */
//! 2 racecheck read-after-write
K(copies_in_a_loop_without_look)
{
	UNUSED;
	if (get_block_idx() == 0) {
		DUP(0, 16);
		SYNC(V, MTE3, EVENT_ID0);
		STORE(ws, 0, 4096); // OTHER
	} else {
		late();
		for (uint32_t i = 0; i < 4 + *FLAG(9); i++)
			LOAD(0x10000 + i * 1024, ws + i * 1024, 1024); // AT
		SYNC(MTE2, MTE3, EVENT_ID1);
		STORE(out, 0x10000, 4096);
	}
}
