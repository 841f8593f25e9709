/*
 * memory_test.c - what cores wait for between GM, L2 and L1: windows of requests, L1 written and read at once, writes among
 * reads. Each figure is derived here from the chip's numbers.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <string.h>

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* 256 rows that hit: a place in the window comes free a latency after it was taken, later than a request would take. */
Test(memory, hits_on_the_way_to_l1_are_bound_by_the_window)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, "__global__ __aicore__ void k(__gm__ half *x) {"
		 " copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)0, x, 0, 1, 256, 64, 0, 256, 256, 1, 0);"
		 " pipe_barrier(PIPE_MTE2);"
		 " copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)0, x, 0, 1, 256, 64, 0, 256, 256, 1, 0); }", 1, true);
	lab_buffer(&r, NULL, 256 * 512);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *b = lab_find(&r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 1);
	int64_t window = r.chip.gm.l1_window_requests, latency = r.chip.gm.to_l1_latency_cycles;
	cr_expect_gt((256 - window) * latency / window, 256 * r.chip.gm.request_cycles / 1000);
	cr_expect_eq(b->issue_end - b->start, r.chip.gm.issue_cycles + up((256 - window) * latency, window));
	cr_expect_eq(b->end - b->issue_end, latency);
	lab_close(&r);
}

/* A load from L1 beside a copy into it: of each cycle goes what the copy takes of its port, by the chip's share. */
Test(memory, loads_lose_cycles_to_writes_of_l1)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, "__global__ __aicore__ void k(__gm__ half *x) {"
		 " copy_gm_to_cbuf((__cbuf__ void *)0x40000, x, 0, 1, 8192, 0, 0, 0);"
		 " load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, 64, 1, 0, 0, false, inc); }", 1, true);
	lab_buffer(&r, NULL, 262144);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *copy = lab_find(&r, INSN_copy_gm_to_cbuf, 0), *load = lab_find(&r, INSN_load_cbuf_to_ca, 0);
	cr_assert_gt(load->start, copy->start);
	cr_assert_lt(load->end, copy->issue_end);
	double alone = (double)r.chip.local.load2d_next_cycles + 64 * 512 * 1000.0 / (double)r.chip.local.l1_to_l0a;
	double rate = 262144.0 / (double)(copy->issue_end - copy->start);
	double lost = rate * (double)r.chip.local.l1_conflict / (double)r.chip.local.l1_write;
	cr_expect_gt(lost, 0.1);
	cr_expect_float_eq((double)(load->issue_end - load->start), alone / (1 - lost), 2);
	lab_close(&r);
}

/* The same load where nobody writes, and beside a copy from L1's point of view idle: a copy to L0. */
Test(memory, loads_alone_lose_nothing)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, "__global__ __aicore__ void k(void) {"
		 " load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, 64, 1, 0, 0, false, inc); }", 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *load = lab_find(&r, INSN_load_cbuf_to_ca, 0);
	cr_expect_eq(load->issue_end - load->start,
		     r.chip.local.load2d_next_cycles + up(64 * 512 * INT64_C(1000), r.chip.local.l1_to_l0a));
	lab_close(&r);
}

/* All cores read past L2 and write into it: HBM is full, and a write gets on at write_push times the rate of a read. */
Test(memory, writes_wait_among_reads)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(__gm__ uint8_t *x, __gm__ uint8_t *z) {"
		 " x += get_block_idx() * 0x80000; z += get_block_idx() * 0x80000;"
		 " for (int i = 0; i < 16; i++) {"
		 "  copy_gm_to_ubuf((__ubuf__ void *)0, x + i * 0x8000, 0, 1, 1024, 0, 0);"
		 "  copy_ubuf_to_gm(z + i * 0x8000, (__ubuf__ void *)0x8000, 0, 1, 1024, 0, 0); } }", 48, true);
	r.chip.cores.launch_skew_cycles = 0;
	lab_buffer(&r, NULL, 48 * 0x80000);
	r.sim.gm.region[r.sim.gm.n_region - 1].bypass = true;
	lab_buffer(&r, NULL, 48 * 0x80000);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *read = lab_find(&r, INSN_copy_gm_to_ubuf, 3), *write = lab_find(&r, INSN_copy_ubuf_to_gm, 3);
	double reads = (double)(read->issue_end - read->start), writes = (double)(write->issue_end - write->start);
	cr_expect_gt(writes, 2 * 32768 * 1000.0 / (double)r.chip.gm.ub_out_rate);
	cr_expect_float_eq(reads / writes, (double)r.chip.gm.write_push / 1000, 0.15, "%g and %g cycles", reads, writes);
	lab_close(&r);
}

/* CTRL[48] when a kernel starts. */
static uint64_t ctrl_of(const char *chip, unsigned core)
{
	struct lab r;
	lab_open(&r, chip, core, "__global__ __aicore__ void k(__gm__ uint64_t *x) { *x = (uint64_t)get_ctrl(); }", 1, false);
	uint8_t *x = lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	uint64_t ctrl;
	memcpy(&ctrl, x, sizeof ctrl);
	lab_close(&r);
	return ctrl;
}

Test(memory, ctrl_at_the_start)
{
	cr_expect_eq(ctrl_of("ascend910b1", CORE_VEC) >> 48 & 1, 1);
	cr_expect_eq(ctrl_of("ascend910", CORE_FUSED) >> 48 & 1, 0);
}
