/*
 * timing_test.c - cycles of tiny programs, each derived here from the chip's numbers, and bounds that no kernel may beat.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <string.h>

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* Two operands of one phase: every repeat takes two cycles at the ports, and that is all the conflict there is. */
Test(timing, sources_in_phase_double_the_repeats)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(void) {"
		 " vadd((__ubuf__ float *)0x20000, (__ubuf__ float *)0, (__ubuf__ float *)0x4000, 64, 1, 1, 1, 8, 8, "
		 "8); }",
		 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_vadd, 0);
	cr_expect_eq(a->issue_end - a->start, 128);
	lab_close(&r);
}

/* Eight blocks of a repeat, all in one group (stride 16 blocks): eight cycles to write them (asc-devkit: 8.1). */
Test(timing, blocks_of_one_group_are_written_one_by_one)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(void) {"
		 " vcopy((__ubuf__ uint16_t *)0x10000, (__ubuf__ uint16_t *)0, 8, 16, 1, 1, 8); }", 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_vcopy, 0);
	cr_expect_eq(a->issue_end - a->start, 64);
	lab_close(&r);
}

/* In place: what a repeat writes is never what the one under way reads. A write shifted by one block is. */
Test(timing, writes_meet_reads_only_out_of_phase)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(void) {"
		 " vadds((__ubuf__ float *)0, (__ubuf__ float *)0, 1.0f, 64, 1, 1, 8, 8);"
		 " pipe_barrier(PIPE_V);"
		 " vadds((__ubuf__ float *)0x4020, (__ubuf__ float *)0, 1.0f, 64, 1, 1, 8, 8); }", 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *in_place = lab_find(&r, INSN_vadds, 0), *shifted = lab_find(&r, INSN_vadds, 1);
	cr_expect_eq(in_place->issue_end - in_place->start, 64);
	cr_expect_gt(shifted->issue_end - shifted->start, 96);
	cr_expect_leq(shifted->issue_end - shifted->start, 128);
	lab_close(&r);
}

/* The same, measured: 3751 ticks of 50 MHz at 1800 MHz for 1000 adds between barriers = 135.0 cycles, 22 around it. */
Test(timing, measured_read_write_conflict)
{
	struct lab r;
	lab_open(&r, "ascend910b3", CORE_VEC,
		 "__global__ __aicore__ void k(void) {"
		 " vadd((__ubuf__ float *)0x4020, (__ubuf__ float *)0, (__ubuf__ float *)0x10100, 64, 1, 1, 1, 8, 8, "
		 "8); }",
		 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_vadd, 0);
	cr_expect_eq(a->issue_end - a->start, 113);
	lab_close(&r);
}

/* A stream of short instructions: one per issue_cycles, whatever their start-up. */
Test(timing, short_instructions_follow_at_issue_rate)
{
	struct lab r;
	lab_open(
		&r, "ascend910b1", CORE_VEC,
		"__global__ __aicore__ void k(void) {"
		"\n#pragma unroll\n"
		" for (int i = 0; i < 20; i++) vrelu((__ubuf__ float *)0x20000, (__ubuf__ float *)0, 1, 1, 1, 8, 8); }",
		1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect_eq(lab_find(&r, INSN_vrelu, 19)->start - lab_find(&r, INSN_vrelu, 9)->start, 10 * r.chip.vector.issue_cycles);
	lab_close(&r);
}

static const char chain[] = "__global__ __aicore__ void k(void) {"
	" for (int i = 0; i < 4; i++)"
	"  mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 128, 64, 128, 0, false, false, i == 0); }";

/* 8 x 8 x 4 steps each; the first starts from zero, the others wait for the sums of the one before. */
Test(timing, dependent_mads_start_later)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, chain, 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_mad, 0), *d = lab_find(&r, INSN_mad, 3);
	cr_expect_eq(a->issue_end - a->start, 256 + r.chip.cube.next_cycles);
	cr_expect_eq(d->end - a->start, 4 * 256 + r.chip.cube.next_cycles + 3 * r.chip.cube.dependent_cycles +
		     r.chip.cube.head_cycles - r.chip.cube.next_cycles);
	lab_close(&r);
}

/* No mad is faster than 4096 multiply-adds of fp16 per cycle. */
Test(timing, cube_never_beats_its_peak)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, chain, 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect_geq(r.sim.core[0].pipe[PIPE_M].done_at, (int64_t)(r.sim.core[0].stats.macs / 4096));
	lab_close(&r);
}

static const char copy_in[] = "__global__ __aicore__ void k(__gm__ uint8_t *x, uint64_t n, uint64_t bytes) {"
	" for (uint64_t i = 0; i < n; i++)"
	"  copy_gm_to_ubuf((__ubuf__ void *)0, x + (get_block_idx() * n + i) * bytes, 0, 1, (uint16_t)(bytes / 32), 0, 0); }";

static int64_t copies(struct lab *r, int64_t blocks, uint64_t n, uint64_t bytes)
{
	lab_open(r, "ascend910b1", CORE_VEC, copy_in, blocks, true);
	lab_buffer(r, NULL, (uint64_t)blocks * n * bytes);
	lab_scalar(r, n);
	lab_scalar(r, bytes);
	cr_assert(lab_run(r), "%s", r->fail.what);
	return r->sim.end - r->chip.cores.launch_cycles;
}

/* Time >= bytes / bandwidth: of the core's port, and of HBM for all cores. */
Test(timing, copies_never_beat_bandwidth)
{
	struct lab r;
	int64_t one = copies(&r, 1, 16, 16384);
	cr_expect_geq(one, up(16 * 16384 * INT64_C(1000), r.chip.gm.to_ub_rate));
	lab_close(&r);
	int64_t all = copies(&r, 48, 16, 16384);
	cr_expect_geq(all, up(48 * 16 * 16384 * INT64_C(1000), r.chip.gm.hbm_rate));
	lab_close(&r);
}

/* A long row of misses moves a window per latency of a miss, once the first window has been asked for. */
Test(timing, misses_are_bound_by_the_window)
{
	struct lab r;
	lab_open(&r, "ascend910b4", CORE_VEC, copy_in, 1, true);
	lab_buffer(&r, NULL, 1 << 17);
	lab_scalar(&r, 1);
	lab_scalar(&r, 1 << 17);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_copy_gm_to_ubuf, 0);
	int64_t latency = r.chip.gm.to_ub_latency_cycles + r.chip.gm.l2_miss_cycles, window = r.chip.gm.ub_window_bytes;
	cr_expect_eq(a->issue_end - a->start, r.chip.gm.issue_cycles + up(((1 << 17) - window) * latency, window));
	cr_expect_eq(a->end - a->issue_end, latency);
	lab_close(&r);
}

/* The second time the lines are in L2: the port's rate, without the latency of a miss. */
Test(timing, hits_run_at_the_ports_rate)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(__gm__ uint8_t *x) {"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 1, 4096, 0, 0);"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 1, 4096, 0, 0); }", 1, true);
	lab_buffer(&r, NULL, 131072);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *b = lab_find(&r, INSN_copy_gm_to_ubuf, 1);
	cr_expect_eq(b->issue_end - b->start, r.chip.gm.issue_cycles + up(131072 * INT64_C(1000), r.chip.gm.to_ub_rate));
	cr_expect_eq(b->end - b->issue_end, r.chip.gm.to_ub_latency_cycles);
	lab_close(&r);
}

/* Reads of an argument that bypasses L2 miss again. */
Test(timing, bypassed_reads_leave_nothing_in_l2)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(__gm__ uint8_t *x) {"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 1, 32, 0, 0);"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 1, 32, 0, 0); }", 1, true);
	lab_buffer(&r, NULL, 1024);
	for (int i = 0; i < r.sim.gm.n_region; i++)
		r.sim.gm.region[i].bypass = true;
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *b = lab_find(&r, INSN_copy_gm_to_ubuf, 1);
	cr_expect_eq(b->end - b->issue_end, r.chip.gm.to_ub_latency_cycles + r.chip.gm.l2_miss_cycles);
	cr_expect_eq(r.sim.memsys.hbm_read_bytes, 2048);
	lab_close(&r);
}

static const char stages[] = "__global__ __aicore__ void k(__gm__ uint8_t *x, uint64_t n, uint64_t two) {"
	" for (uint64_t s = 0; s <= two; s++) set_flag(PIPE_V, PIPE_MTE2, s);"
	" for (uint64_t i = 0; i < n; i++) {"
	"  uint64_t s = i & two;"
	"  wait_flag(PIPE_V, PIPE_MTE2, s);"
	"  copy_gm_to_ubuf((__ubuf__ void *)(s * 0x8000), x, 0, 1, 1024, 0, 0);"
	"  set_flag(PIPE_MTE2, PIPE_V, s); wait_flag(PIPE_MTE2, PIPE_V, s);"
	"  vexp((__ubuf__ float *)0x20000, (__ubuf__ float *)(s * 0x8000), 128, 1, 1, 8, 8);"
	"  set_flag(PIPE_V, PIPE_MTE2, s); }"
	" for (uint64_t s = 0; s <= two; s++) wait_flag(PIPE_V, PIPE_MTE2, s); }";

static int64_t staged(int64_t n, uint64_t two, struct chip *chip)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, stages, 1, true);
	lab_buffer(&r, NULL, 32768);
	lab_scalar(&r, (uint64_t)n);
	lab_scalar(&r, two);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	int64_t end = r.sim.end;
	*chip = r.chip;
	lab_close(&r);
	return end;
}

/* Two stages: the time per tile is that of the slower stage, here the copy, up to the latency that two buffers cannot
 * hide; one stage: the sum. */
Test(timing, double_buffering_tends_to_the_slower_stage)
{
	struct chip c;
	int64_t one = (staged(60, 0, &c) - staged(20, 0, &c)) / 40, two = (staged(60, 1, &c) - staged(20, 1, &c)) / 40;
	int64_t copy = c.gm.issue_cycles + up(32768 * INT64_C(1000), c.gm.to_ub_rate), exp = 256;
	int64_t round = copy + c.gm.to_ub_latency_cycles + exp, slower = copy > exp ? copy : exp;
	cr_expect_geq(one, round);
	cr_expect_geq(two, slower);
	cr_expect_leq(two, (round > 2 * slower ? round / 2 : slower) + 60, "%lld against %lld", (long long)two,
		      (long long)slower);
}

/* One place answers 2.68 requests per cycle, however many cores ask. */
Test(timing, cores_that_read_one_place_share_it)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(__gm__ uint8_t *x) {"
		 " for (int i = 0; i < 8; i++)"
		 "  copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 128, 4, 28, 0); }", 48, true);
	r.chip.cores.launch_skew_cycles = 0;
	lab_buffer(&r, NULL, 131072);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect_geq(r.sim.end - r.chip.cores.launch_cycles, up(48 * 8 * 128 * INT64_C(1000), r.chip.gm.same_requests));
	lab_close(&r);
}
