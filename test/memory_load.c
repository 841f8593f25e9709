/*
 * memory_load.c - what a busy memory does to others, and how rows become requests: waiting by the load of other cores, dirty
 * lines that leave beside what pushes them out, rows that begin within a line or a block. Figures are derived here.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <inttypes.h>

static int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* A memory on its own: reads of `bytes` at `at` that all go to HBM. */
static struct memsys mem;
static struct chip chip;

static void setup(void)
{
	struct fail f = { 0 };
	cr_assert(chip_load("ascend910b1", &chip, &f), "%s", f.what);
	cr_assert(memsys_init(&mem, &chip, &f), "%s", f.what);
}
static void teardown(void) { memsys_free(&mem); }
TestSuite(memory_load, .init = setup, .fini = teardown);

static const struct flow *start(int64_t now, int core, bool write, uint64_t at, uint64_t bytes)
{
	struct gm_transfer t = { .any = true, .write = write, .addr = at, .n_burst = 1, .burst_bytes = (uint32_t)bytes,
				 .burst_pitch = (int64_t)bytes, .bytes = bytes };
	struct mem_path p = { .rate_milli = chip.gm.to_ub_rate, .request_milli = chip.gm.request_cycles,
			      .issue_cycles = chip.gm.issue_cycles };
	int slot = memsys_start(&mem, now, core, write ? PIPE_MTE3 : PIPE_MTE2, &t, &p);
	cr_assert_geq(slot, 0);
	return &mem.flow[slot];
}

static void settle(int64_t now)
{
	while (memsys_ended(&mem, now) >= 0)
		;
}

enum { MB = 1 << 20 };

/* Core 1 asked for a MB; a third of average_cycles later three quarters of it count, spread over average_cycles. */
Test(memory_load, latency_follows_what_others_took)
{
	int64_t span = chip.gm.average_cycles, later = span / 3;
	cr_expect_eq(start(0, 1, false, 0, MB)->wait, 0, "nobody was there before");
	settle(later);
	double share = (double)MB * 1000 / (double)chip.gm.hbm_rate / (double)span * (double)span / (double)(span + later);
	int64_t own = start(later, 1, false, 8 * MB, 512)->wait, other = start(later, 0, false, 16 * MB, 512)->wait;
	cr_expect_eq(own, 0, "its own traffic is in its own window");
	cr_expect_gt(share, 0.1);
	cr_expect_float_eq((double)other, share * (double)chip.gm.loaded_latency_cycles, 1.5);
	cr_expect_eq(start(later, 2, true, 24 * MB, 512)->wait, 0, "a write is posted");
}

/* L2 is filled with dirty lines; a read then pushes out as many as it brings. It is as fast as any read alone; what it owes
 * HBM is taken from the others over average_cycles. */
Test(memory_load, dirty_lines_leave_beside_the_read)
{
	int64_t now = 0;
	for (int64_t at = 0; at < chip.gm.l2_bytes; at += MB) {
		start(now, 0, true, (uint64_t)at, MB);
		now += 100000;
		settle(now);
	}
	cr_expect_eq(mem.hbm_write_bytes, 0, "L2 holds it all");
	cr_expect_eq(mem.owed, 0);
	const struct flow *f = start(now, 1, false, (uint64_t)chip.gm.l2_bytes, MB);
	cr_expect_eq(mem.hbm_write_bytes, MB);
	cr_expect_float_eq((double)mem.owed / 65536, MB * (double)chip.gm.hbm_write_cost / 1000, 64);
	cr_expect_eq(f->hbm_share, 65536, "the read itself: a byte of HBM per byte");
	cr_expect_eq(f->end - now, chip.gm.issue_cycles + up(MB * INT64_C(1000), chip.gm.to_ub_rate));
	cr_expect_eq(mem.back_rate, mem.owed / chip.gm.average_cycles);
	settle(now + 1000000);
	start(now + 1000000, 1, false, 0, 512);
	cr_expect_lt(mem.owed >> 16, 512 * chip.gm.hbm_write_cost / 1000 + 1, "and is paid in the end");
}

/* Eight cores write five times what L2 holds: four of them go to HBM, which takes its time for each. */
Test(memory_load, writers_wait_for_hbm_in_the_end)
{
	int64_t total = 5 * chip.gm.l2_bytes, at = 0, now = 0;
	for (int core = 0; core < 8; core++, at += MB)
		start(0, core, true, (uint64_t)at, MB);
	while ((now = memsys_next(&mem)) != MEMSYS_NEVER) {
		int slot = memsys_ended(&mem, now);
		if (slot >= 0 && at < total) {
			start(now, mem.flow[slot].core, true, (uint64_t)at, MB);
			at += MB;
		}
	}
	double least = (double)(total - chip.gm.l2_bytes) * (double)chip.gm.hbm_write_cost / (double)chip.gm.hbm_rate;
	double port = (double)total * 1000 / 8 / (double)chip.gm.to_ub_rate;
	cr_expect_eq(mem.hbm_write_bytes, (uint64_t)(total - chip.gm.l2_bytes));
	cr_expect_gt(least, port, "the ports alone would be faster");
	cr_expect_gt((double)mem.now, least * 0.99 - (double)chip.gm.average_cycles);
	cr_expect_lt((double)mem.now, least + port);
}

/* Cycles of an ND to NZ copy of 32 rows, beyond its issue, at `skip` bytes into a line. Two are made, so that the second hits. */
static int64_t nd2nz(int skip, int cols)
{
	struct lab r;
	char text[600];
	snprintf(text, sizeof text, "__global__ __aicore__ void k(__gm__ uint8_t *x) { for (int i = 0; i < 2; i++) {"
		 " copy_gm_to_cbuf_multi_nd2nz_b16((__cbuf__ half *)0, (__gm__ half *)(x + %d), 0, 1, 32, %d, 0, 512, 32, 1, 0);"
		 " pipe_barrier(PIPE_MTE2); } }", skip, cols);
	lab_open(&r, "ascend910b1", CORE_CUBE, text, 1, true);
	lab_buffer(&r, NULL, 65536);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *e = lab_find(&r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 1);
	int64_t cycles = e->issue_end - e->start - r.chip.gm.issue_cycles;
	cr_assert_eq(r.chip.gm.request_cycles, 2070);
	lab_close(&r);
	return cycles;
}

/* DEV data_copy: 32 cycles per row of 512 bytes that does not begin at a block; 17 blocks are touched. Aligned: one request. */
Test(memory_load, rows_that_begin_within_a_block)
{
	cr_expect_eq(nd2nz(0, 256), up(32 * 512 * INT64_C(1000), 172000), "aligned: the port bounds it");
	cr_expect_eq(nd2nz(32, 256), nd2nz(0, 256) + up(32 * 128 * 1000, 172000), "at a block: five parts of 128 bytes");
	cr_expect_eq(nd2nz(2, 256), up(32 * 17 * 2070, 1000));
	cr_expect_eq(nd2nz(30, 16), up(32 * 2 * 2070, 1000));
}

/* Cycles that the fixpipe is taken by 64 rows of `cols` fp32 that begin `skip` bytes into a line, pitch 2 KB. */
static int64_t rows_out(int skip, int cols, int64_t *latency_cycles)
{
	struct lab r;
	char text[600];
	snprintf(text, sizeof text, "__global__ __aicore__ void k(__gm__ uint8_t *x) { set_nd_para(1);"
		 " copy_matrix_cc_to_gm((__gm__ float *)(x + %d), (__cc__ float *)0, 0, %d, 64, 512, 64, 0, NoQuant, 0, false,"
		 " true); }", skip, cols);
	lab_open(&r, "ascend910b1", CORE_CUBE, text, 1, true);
	lab_buffer(&r, NULL, 1 << 18);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *e = lab_find(&r, INSN_copy_matrix_cc_to_gm, 0);
	int64_t cycles = e->issue_end - e->start;
	*latency_cycles = e->end - e->issue_end;
	cr_expect_eq(*latency_cycles, r.chip.gm.fix_out_latency_cycles + r.chip.gm.l2_write_miss_cycles);
	lab_close(&r);
	return cycles;
}

/* Guide to FlashAttentionScoreGrad: bursts of 128 bytes, twice as long, when rows do not begin at 512 bytes. */
Test(memory_load, rows_out_of_the_fixpipe)
{
	int64_t latency_cycles, whole = rows_out(0, 256, &latency_cycles);
	cr_expect_eq(whole, up(64 * 1024 * INT64_C(1000), 116000));
	cr_expect_eq(rows_out(128, 256, &latency_cycles), up(64 * 8 * 2070, 1000));
	cr_expect_eq(rows_out(64, 256, &latency_cycles), up(64 * 9 * 2070, 1000));
	cr_expect_eq(rows_out(4, 256, &latency_cycles), up(64 * 33 * 2070, 1000));
	cr_expect_float_eq((double)rows_out(128, 256, &latency_cycles) / (double)whole, 2, 0.15);
}
