/*
 * engine_test.c - time and order of the engine on tiny kernels: each expected cycle is derived here from the chip's
 * numbers, not read off a run.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <string.h>

/* One vadd of 4 fp32 repeats between operands that do not meet in a bank. */
#define VADD "vadd((__ubuf__ float *)0x4000, (__ubuf__ float *)0, (__ubuf__ float *)0x10100, 4, 1, 1, 1, 8, 8, 8);"

static int64_t vadd_cycles(const struct chip *c, int repeats)
{
	const struct vector_time *t = &c->vector_time[TIME_v_binary];
	return (t->gap32 + t->slope32 * repeats + 999) / 1000;
}

static int64_t vadd_latency(const struct chip *c)
{
	const struct vector_time *t = &c->vector_time[TIME_v_binary];
	return (t->head + t->tail + 999) / 1000;
}

Test(engine, vector_ops_follow_each_other)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(void) { " VADD VADD " }", 1, false);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_vadd, 0), *b = lab_find(&r, INSN_vadd, 1);
	cr_assert_eq(a->issue_end - a->start, vadd_cycles(&r.chip, 4));
	cr_assert_eq(a->end - a->issue_end, vadd_latency(&r.chip));
	cr_assert_eq(b->start, a->issue_end);
	lab_close(&r);
}

Test(engine, barrier_waits_for_visible_results)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(void) { " VADD "pipe_barrier(PIPE_V);" VADD " }", 1, false);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *a = lab_find(&r, INSN_vadd, 0), *b = lab_find(&r, INSN_vadd, 1);
	cr_assert_eq(b->start, a->end + r.chip.sync.barrier_cycles + r.chip.sync.barrier_v_cycles);
	lab_close(&r);
}

static const char copy_and_add[] =
	"__global__ __aicore__ void k(__gm__ uint8_t *x) {"
	" copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 32, 0, 0);"
	" set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
	" wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); " VADD " }";

/* A transfer alone takes bytes / rate on the pipe and its latency to arrive; the vector op starts after flag and wait.
 */
Test(engine, flag_orders_copy_and_vector)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, copy_and_add, 1, false);
	lab_buffer(&r, NULL, 1024);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct chip *c = &r.chip;
	const struct lab_event *m = lab_find(&r, INSN_copy_gm_to_ubuf, 0), *v = lab_find(&r, INSN_vadd, 0);
	int64_t bytes = (1024 * 1000 + c->gm.to_ub_rate - 1) / c->gm.to_ub_rate, flow = c->gm.issue_cycles + bytes;
	cr_assert_eq(m->issue_end - m->start, flow);
	cr_assert_eq(m->end - m->issue_end, c->gm.to_ub_latency_cycles + c->gm.l2_miss_cycles);
	cr_assert_eq(v->start, m->end + c->sync.set_cycles + c->sync.flag_cycles + c->sync.wait_cycles);
	cr_assert_eq(lab_find(&r, INSN_wait_flag, 0)->cause, CAUSE_FLAG_MTE2);
	lab_close(&r);
}

Test(engine, causes_sum_to_the_total)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, copy_and_add, 100, false);
	lab_buffer(&r, NULL, 1024);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < r.sim.n_core; i++)
		for (int p = 0; p < PIPE_COUNT; p++) {
			int64_t sum = 0;
			if (p == PIPE_ALL)
				continue;
			for (int k = 0; k < CAUSE_COUNT; k++) {
				cr_assert_geq(r.sim.core[i].stats.pipe[p].cause[k], 0, "core %d pipe %d cause %d", i, p,
					      k);
				sum += r.sim.core[i].stats.pipe[p].cause[k];
			}
			cr_assert_eq(sum, r.sim.end, "core %d pipe %d: %lld of %lld", i, p, (long long)sum,
				     (long long)r.sim.end);
		}
	lab_close(&r);
}

Test(engine, more_blocks_than_cores_all_run)
{
	struct lab r;
	uint8_t *out;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(__gm__ int64_t *o) { o[get_block_idx() * 8] = get_block_idx() + 1000 * "
		 "get_block_num(); }",
		 101, false);
	out = lab_buffer(&r, NULL, 101 * 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < 101; i++) {
		int64_t v;
		memcpy(&v, out + 64 * i, 8);
		cr_assert_eq(v, i + 101000, "block %d", i);
	}
	cr_assert_eq(r.sim.n_core, r.chip.cores.vector);
	lab_close(&r);
}

static void fails_with(const char *source, enum fail_class class, const char *text)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, source, 1, false);
	lab_buffer(&r, NULL, 1024);
	cr_assert(!lab_run(&r), "\"%s\" was not noticed", text);
	cr_assert_eq(r.fail.class, class, "%s", r.fail.what);
	cr_assert_not_null(strstr(r.fail.what, text), "got: %s", r.fail.what);
	cr_assert(r.fail.where.kernel_line[0], "the error has no source line");
	lab_close(&r);
}

#define KERNEL(body) "__global__ __aicore__ void k(__gm__ uint8_t *x) { " body " }"

Test(engine, mistakes_are_named)
{
	fails_with(KERNEL("wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID3);"), FAIL_KERNEL,
		   "flag MTE2 -> V, event 3, which nobody sets");
	fails_with(KERNEL("wait_flag(PIPE_V, PIPE_S, EVENT_ID1);"), FAIL_KERNEL,
		   "flag V -> S, event 1, which nobody sets");
	fails_with(KERNEL("set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"),
		   FAIL_KERNEL, "set again before anything waited");
	fails_with(KERNEL("volatile int go = 1; while (go) { }"), FAIL_KERNEL, "still runs after");
	fails_with(KERNEL("set_flag(PIPE_M, PIPE_V, EVENT_ID0);"), FAIL_KERNEL, "has no pipe M");
	fails_with(KERNEL("pipe_barrier(PIPE_S);"), FAIL_KERNEL, "pipe_barrier(PIPE_S)");
	fails_with(KERNEL("copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 33, 0, 0);"), FAIL_KERNEL,
		   "argument buffer");
	fails_with(KERNEL("vadd((__ubuf__ float *)0x2ff00, (__ubuf__ float *)0, (__ubuf__ float *)0, 4, 1, 1, 1, 8, 8, "
			  "8);"),
		   FAIL_KERNEL, "UB");
	fails_with(KERNEL("vadd((__ubuf__ float *)4, (__ubuf__ float *)0, (__ubuf__ float *)0, 4, 1, 1, 1, 8, 8, 8);"),
		   FAIL_KERNEL, "align");
	fails_with(KERNEL("*(__gm__ int *)0x10 = 1; __asm__ volatile(\".word 0\");"), FAIL_KERNEL, "illegal");
	fails_with(KERNEL("*(__gm__ int *)(x + 4096) = 1;"), FAIL_KERNEL, "argument buffer");
	fails_with(KERNEL("int e = 9; __asm__ volatile(\"\" : \"+r\"(e)); set_flag(PIPE_MTE2, PIPE_V, (event_t)e);"),
		   FAIL_KERNEL, "event id 9 is out of range");
}

Test(engine, timing_only_gives_the_same_cycles)
{
	int64_t end[2];
	for (int t = 0; t < 2; t++) {
		struct lab r;
		lab_open(&r, "ascend910b1", CORE_VEC, copy_and_add, 60, t);
		lab_buffer(&r, NULL, 1024);
		cr_assert(lab_run(&r), "%s", r.fail.what);
		end[t] = r.sim.end;
		lab_close(&r);
	}
	cr_assert_eq(end[0], end[1]);
}

/* A wait may be dispatched before its set: queues order the work, not the program. */
Test(engine, wait_before_set_in_program_order)
{
	struct lab r;
	float in[64], got[64];
	for (int i = 0; i < 64; i++)
		in[i] = (float)i;
	lab_open(&r, "ascend910b1", CORE_VEC,
		 "__global__ __aicore__ void k(__gm__ uint8_t *x, __gm__ uint8_t *y) {"
		 " wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
		 " vadd((__ubuf__ float *)0x4000, (__ubuf__ float *)0, (__ubuf__ float *)0, 1, 1, 1, 1, 8, 8, 8);"
		 " set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)x, 0, 1, 8, 0, 0);"
		 " set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);"
		 " wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);"
		 " copy_ubuf_to_gm((__gm__ void *)y, (__ubuf__ void *)0x4000, 0, 1, 8, 0, 0); }", 1, false);
	lab_buffer(&r, in, sizeof in);
	uint8_t *out = lab_buffer(&r, NULL, sizeof got);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	memcpy(got, out, sizeof got);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(got[i], 2 * in[i]);
	lab_close(&r);
}

/* Cube and vector cores of a mixed launch: mode 2 both ways, then everybody's mark is in GM. */
Test(engine, cross_core_flags_mode_2)
{
	struct lab r;
	lab_open(
		&r, "ascend910b1", CORE_CUBE | CORE_VEC,
		"__global__ __aicore__ void k(__gm__ int64_t *o) {\n"
		"#ifdef __DAV_C220_VEC__\n"
		" o[8 * (1 + get_subblockid() + 3 * get_block_idx())] = 7; dcci(o, ENTIRE_DATA_CACHE, CACHELINE_OUT);\n"
		" ffts_cross_core_sync(PIPE_MTE3, 1 | 2 << 4 | 4 << 8); wait_flag_dev(5);\n"
		"#else\n"
		" wait_flag_dev(4); o[24 * get_block_idx()] = o[8 + 24 * get_block_idx()] + o[16 + 24 * "
		"get_block_idx()];\n"
		" ffts_cross_core_sync(PIPE_FIX, 1 | 2 << 4 | 5 << 8);\n"
		"#endif\n"
		"}",
		4, false);
	uint8_t *out = lab_buffer(&r, NULL, 4 * 24 * 8);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int b = 0; b < 4; b++) {
		int64_t v;
		memcpy(&v, out + 24 * 8 * b, 8);
		cr_assert_eq(v, 14, "block %d: %lld", b, (long long)v);
	}
	lab_close(&r);
}

/* The fixpipe follows the cube by unit flags alone: no set_flag, no wait_flag between them. */
Test(engine, unit_flags_order_cube_and_fixpipe)
{
	struct lab r;
	static uint16_t a[256];
	float *c;
	for (int i = 0; i < 256; i++)
		a[i] = 0x3c00; /* 1.0 */
	lab_open(&r, "ascend910b1", CORE_CUBE,
		 "__global__ __aicore__ void k(__gm__ half *a, __gm__ float *c) {"
		 " copy_gm_to_cbuf((__cbuf__ void *)0, (__gm__ void *)a, 0, 1, 16, 0, 0, PAD_NONE);"
		 " set_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_MTE1, EVENT_ID0);"
		 " load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, 1, 1, 0, 0, false, inc);"
		 " load_cbuf_to_cb((__cb__ half *)0, (__cbuf__ half *)0, 0, 1, 1, 0, 0, false, inc);"
		 " set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);"
		 " set_nd_para(1);"
		 " for (int i = 0; i < 3; i++) {"
		 "  mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 16, 16, 16, 2, false, false, true);"
		 "  mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 16, 16, 16, 3, false, false, false);"
		 "  copy_matrix_cc_to_gm(c + 256 * i, (__cc__ float *)0, 0, 16, 16, 16, 16, 3, NoQuant, 0, false, true); } }",
		 1, false);
	lab_buffer(&r, a, sizeof a);
	c = (float *)lab_buffer(&r, NULL, 3 * 1024);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < 768; i++)
		cr_assert_eq(c[i], 32, "element %d is %g", i, c[i]);
	cr_assert_eq(lab_find(&r, INSN_copy_matrix_cc_to_gm, 0)->cause, CAUSE_UNIT_FLAG);
	for (int i = 0; i < 3; i++)
		cr_assert_geq(lab_find(&r, INSN_copy_matrix_cc_to_gm, i)->start, lab_find(&r, INSN_mad, 2 * i + 1)->end);
	cr_assert_geq(lab_find(&r, INSN_mad, 2)->start, lab_find(&r, INSN_copy_matrix_cc_to_gm, 0)->issue_end);
	lab_close(&r);
}
