/*
 * attack_sync.c - cores that wait for each other under awkward conditions: late starters, early leavers, more blocks
 * than cores.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <string.h>

/* Each block writes its number, passes a barrier of all vector cores, adds up what all wrote. */
static const char sum_of_all[] =
	"__global__ __aicore__ void k(__gm__ float *ws, __gm__ float *o) {"
	" int id = get_block_idx(), n = get_block_num(); float s = 0;"
	" vector_dup((__ubuf__ float *)0, (float)(id + 1), 1, 1, 1, 8, 8);"
	" set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);"
	" copy_ubuf_to_gm(ws + id * 8, (__ubuf__ float *)0, 0, 1, 1, 0, 0);"
	" ffts_cross_core_sync(PIPE_MTE3, 1 | 14 << 8); wait_flag_dev(14);"
	" copy_gm_to_ubuf((__ubuf__ float *)0x1000, ws, 0, 1, n, 0, 0);"
	" set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);"
	" for (int i = 0; i < n; i++) s += ((__ubuf__ float *)0x1000)[i * 8];"
	" o[id * 16] = s; }";

static void barrier(int64_t skew_cycles)
{
	enum { BLOCKS = 12 };
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, sum_of_all, BLOCKS, false);
	r.chip.cores.launch_skew_cycles = skew_cycles * r.chip.cores.vector; /* of all cores */
	lab_buffer(&r, NULL, BLOCKS * 32);
	const float *o = (const float *)lab_buffer(&r, NULL, BLOCKS * 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < BLOCKS; i++)
		cr_assert_eq(o[i * 16], BLOCKS * (BLOCKS + 1) / 2, "block %d: %g", i, (double)o[i * 16]);
	lab_close(&r);
}

Test(attack_sync, barrier_of_all_cores) { barrier(0); }

/* The first cores reach the barrier before the last have started. */
Test(attack_sync, barrier_waits_for_cores_that_start_late) { barrier(5000); }

/* A core that returns without the barrier leaves the others waiting, as on the chip. */
Test(attack_sync, barrier_without_one_core_is_a_deadlock)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(void) { if (get_block_idx() == 2) return;"
		 " ffts_cross_core_sync(PIPE_MTE3, 1 | 14 << 8); wait_flag_dev(14); }", 4, false);
	cr_assert_not(lab_run(&r));
	cr_assert_eq(r.fail.class, FAIL_KERNEL);
	cr_assert_not_null(strstr(r.fail.what, "deadlock: 3 of 4 cores"), "%s", r.fail.what);
	lab_close(&r);
}

/* Blocks beyond the cores start after others have ended: they cannot meet in a barrier. */
Test(attack_sync, barrier_of_more_blocks_than_cores_is_a_deadlock)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(void) { ffts_cross_core_sync(PIPE_MTE3, 1 | 14 << 8); wait_flag_dev(14); }", 50,
		 false);
	cr_assert_not(lab_run(&r));
	cr_assert_not_null(strstr(r.fail.what, "deadlock: 2 of 48 cores"), "%s", r.fail.what);
	cr_assert_not_null(strstr(r.fail.hint, "one block per core"), "%s", r.fail.hint);
	lab_close(&r);
}

/* Globals are as the source says at the start of every block, whichever core runs it. */
Test(attack_blocks, globals_start_fresh)
{
	enum { BLOCKS = 100 };
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "static int64_t set = 7, zero[3];"
		 "__global__ __aicore__ void k(__gm__ int64_t *o) { set++; zero[1] += 5; o[get_block_idx() * 8] = set "
		 "* 100 + zero[1]; }",
		 BLOCKS, false);
	const int64_t *o = (const int64_t *)lab_buffer(&r, NULL, BLOCKS * 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < BLOCKS; i++)
		cr_assert_eq(o[i * 8], 805, "block %d: %lld", i, (long long)o[i * 8]);
	lab_close(&r);
}

/* The first wait lacks its set while the scalar unit waits for another core: both may be meant, and both are named. */
Test(attack_deadlock, missing_set_before_a_cross_core_wait)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(__gm__ int64_t *o) { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
		 " ffts_cross_core_sync(PIPE_V, 1 | 0 << 4 | 3 << 8); wait_flag_dev(3); }", 2, false);
	lab_buffer(&r, NULL, 64);
	cr_assert_not(lab_run(&r));
	cr_assert_not_null(strstr(r.fail.what, "flag MTE2 -> V, event 0"), "%s", r.fail.what);
	cr_assert_not_null(strstr(r.fail.hint, "lacks a set_flag"), "%s", r.fail.hint);
	cr_assert_not_null(strstr(r.fail.hint, "cross-core flag"), "%s", r.fail.hint);
	lab_close(&r);
}

/* Who waits for whom is a list of lines; where each was inlined would hide it. */
Test(attack_deadlock, chain_names_innermost_lines)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "static inline __attribute__((always_inline)) void inner(void) { wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); }\n"
		 "static inline __attribute__((always_inline)) void outer(void) { inner(); }\n"
		 "__global__ __aicore__ void k(__gm__ int64_t *o) { outer(); }", 1, false);
	lab_buffer(&r, NULL, 64);
	cr_assert_not(lab_run(&r));
	cr_assert_not_null(strstr(r.fail.what, " in inner "), "%s", r.fail.what);
	cr_assert_null(strstr(r.fail.what, "inlined"), "%s", r.fail.what);
	cr_assert_not_null(strstr(r.fail.where.kernel_line, "inlined at"), "%s", r.fail.where.kernel_line);
	lab_close(&r);
}

static void fails(unsigned core, const char *source, const char *what, const char *hint)
{
	struct lab r;
	lab_open(&r, "ascend910b1", core, source, 2, false);
	lab_buffer(&r, NULL, 4096);
	cr_assert_not(lab_run(&r), "%s", source);
	cr_assert_eq(r.fail.class, FAIL_KERNEL);
	cr_assert_not_null(strstr(r.fail.what, what), "%s", r.fail.what);
	cr_assert_not_null(strstr(r.fail.hint, hint), "%s", r.fail.hint);
	cr_assert_neq(r.fail.where.kernel_line[0], 0, "no line: %s", r.fail.what);
	lab_close(&r);
}

Test(attack_stack, overflow_is_named)
{
	fails(CORE_VEC,
	      "static __attribute__((noinline)) int64_t rec(int64_t n) { volatile int64_t pad[8]; pad[n & 7] = n;"
	      " if (n <= 0) return 0; int64_t r = rec(n - 1); return r + pad[n & 7]; }"
	      "__global__ __aicore__ void k(__gm__ int64_t *o) { o[0] = rec(5000); }", "before the start of stack",
	      "the stack has overflowed");
}

Test(attack_stack, compiler_trap_is_named)
{
	fails(CORE_VEC, "__global__ __aicore__ void k(__gm__ int64_t *o) { if (o[1] == 0) __builtin_trap(); o[0] = 1; }",
	      "the kernel stopped itself", "");
}

/* The kernel has returned; the line is that of the copy that still waits. */
Test(attack_deadlock, place_is_the_pipe_that_waits)
{
	fails(CORE_CUBE,
	      "__global__ __aicore__ void k(__gm__ float *o) { set_nd_para(1);"
	      " copy_matrix_cc_to_gm(o, (__cc__ float *)0, 0, 16, 16, 16, 16, 3, NoQuant, 0, false, true); }", "unit flag", "");
}
