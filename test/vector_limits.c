/*
 * vector_limits.c - bad operands of vector instructions, one test per limit: the class of the error and the words
 * that a user needs. And what an effect says: repeats, widths, tails, nothing to do.
 */
#include "vector_bench.h"

#include <criterion/criterion.h>
#include <string.h>

static struct bench b;

static void add_f32(void)
{
	bench_init();
	bench_start(&b, INSN_vadd, 1, 1);
	b.op.x[0] = 0;
	b.op.x[1] = 8192;
	b.op.x[2] = 16384;
	b.op.x[3] = word_bin(2, 1, 1, 1, 8, 8, 8, 0);
}

static void must_fail(enum fail_class class, const char *words)
{
	static uint8_t before[BENCH_UB];

	memcpy(before, b.ub, BENCH_UB);
	cr_assert_not(bench_run(&b), "expected: %s", words);
	cr_assert_eq(b.f.class, class, "%s", b.f.what);
	cr_assert(strstr(b.f.what, words), "\"%s\" lacks \"%s\"", b.f.what, words);
	cr_assert(b.f.has_where && b.f.where.pc == b.op.pc && b.f.where.pipe == PIPE_V);
	cr_assert_eq(memcmp(before, b.ub, BENCH_UB), 0);
}

Test(vector_limits, good_to_begin_with)
{
	add_f32();
	cr_assert(bench_run(&b), "%s", b.f.what);
}

Test(vector_limits, past_the_end)
{
	add_f32();
	b.op.x[2] = BENCH_UB - 256;
	must_fail(FAIL_KERNEL, "vadd.f32: reads UB bytes 0x6000..0x6020 but UB has 24576 bytes (repeat 1 of 2)");
	add_f32();
	b.op.x[0] = BENCH_UB - 224;
	must_fail(FAIL_KERNEL, "writes UB bytes 0x6000..0x6020");
	add_f32();
	b.op.x[1] = UINT64_MAX - 31;
	must_fail(FAIL_KERNEL, "reads UB");
}

Test(vector_limits, masked_lanes_do_not_count)
{
	add_f32();
	b.op.x[2] = BENCH_UB - 256 - 128;
	must_fail(FAIL_KERNEL, "reads UB");
	b.op.spr.mask_lo = 0xffffffff; /* half of each repeat: ends at the end */
	cr_assert(bench_run(&b), "%s", b.f.what);
	b.op.spr.mask_lo = 0x1ffffffff;
	must_fail(FAIL_KERNEL, "reads UB bytes 0x6000..0x6004");
}

Test(vector_limits, counter_mode_tail_does_not_count)
{
	add_f32();
	b.op.spr.ctrl |= UINT64_C(1) << CTRL_COUNTER;
	b.op.spr.mask_lo = 96;
	b.op.x[2] = BENCH_UB - 384;
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(b.e.repeats, 2);
	cr_assert(b.e.partial_tail);
	b.op.spr.mask_lo = 97;
	must_fail(FAIL_KERNEL, "reads UB bytes 0x6000..0x6004");
	b.op.spr.mask_lo = UINT64_MAX;
	must_fail(FAIL_KERNEL, "counter mode");
}

Test(vector_limits, alignment)
{
	for (int k = 0; k < 3; k++) {
		static const char *const words[3] = { "dst address 0x4", "src0 address 0x2004", "src1 address 0x4004" };
		add_f32();
		b.op.x[k] += 4;
		must_fail(FAIL_KERNEL, words[k]);
	}
}

Test(vector_limits, reductions_align_dst_to_elements)
{
	bench_init();
	bench_start(&b, INSN_vcadd, 0, 1);
	b.op.x[0] = 6;
	b.op.x[1] = 8192;
	b.op.x[3] = word_red(1, 1, 1, 8, 0);
	cr_assert(bench_run(&b), "%s", b.f.what);
	b.op.x[0] = 7;
	must_fail(FAIL_KERNEL, "not 2-byte aligned");
	b.op.x[0] = 6;
	b.op.x[1] = 8200;
	must_fail(FAIL_KERNEL, "not 32-byte aligned");
}

Test(vector_limits, partial_overlap_in_a_repeat)
{
	add_f32();
	b.op.x[0] = 8192 + 32;
	must_fail(FAIL_KERNEL, "repeat 0: dst (0x2020) and src0 (0x2000) overlap in part");
	b.op.x[0] = 8192;
	cr_assert(bench_run(&b), "in place: %s", b.f.what);
	b.op.x[3] = word_bin(2, 1, 1, 1, 8, 7, 8, 0); /* repeat 1 is shifted by a block */
	must_fail(FAIL_KERNEL, "repeat 1: dst");
	b.op.x[0] = 8192 + 256; /* a whole repeat apart: order decides, as in the reference loop */
	b.op.x[3] = word_bin(2, 1, 1, 1, 8, 8, 8, 0);
	cr_assert(bench_run(&b), "%s", b.f.what);
}

/* dst == src1 with repeat stride 0 sums all repeats. */
Test(vector_limits, accumulation_over_repeats)
{
	float sum[64];

	add_f32();
	for (int i = 0; i < 4 * 64; i++) {
		float x = (float)(i % 64) + (float)(i / 64) * 1000;
		memcpy(b.ub + 8192 + i * 4, &x, 4);
	}
	memset(b.ub, 0, 256);
	b.op.x[2] = 0;
	b.op.x[3] = word_bin(4, 1, 1, 1, 0, 8, 0, 0);
	cr_assert(bench_run(&b), "%s", b.f.what);
	memcpy(sum, b.ub, 256);
	for (int i = 0; i < 64; i++)
		cr_assert_eq(sum[i], (float)(4 * i + 6000));
}

Test(vector_limits, different_widths_may_not_share_blocks)
{
	bench_init();
	bench_start(&b, INSN_vconv_f322f16, 0, 1);
	b.op.x[3] = word_un(1, 1, 1, 4, 8);
	must_fail(FAIL_KERNEL, "overlap in part");
}

Test(vector_limits, destination_block_stride_zero)
{
	add_f32();
	b.op.x[3] = word_bin(2, 0, 1, 1, 8, 8, 8, 0);
	must_fail(FAIL_KERNEL, "block stride 0");
	b.op.spr.mask_lo = 0xff; /* one block only */
	cr_assert(bench_run(&b), "%s", b.f.what);
}

Test(vector_limits, repeat_zero_is_nothing)
{
	add_f32();
	b.op.x[0] = 5; /* not even looked at */
	b.op.x[3] = word_bin(0, 1, 1, 1, 8, 8, 8, 0);
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert(b.e.nop);
	cr_assert_eq(b.e.n_access, 0);
}

Test(vector_limits, effect_amounts)
{
	add_f32();
	cr_assert(bench_run(&b));
	cr_assert_eq(b.e.repeats, 2);
	cr_assert_eq(b.e.elem_bytes, 4);
	cr_assert_eq(b.e.n_access, 3);
	const struct access *a = &b.e.access[0];
	cr_assert(a->space == SPACE_UB && !a->write && a->addr == 8192 && a->unit_bytes == 32);
	cr_assert(a->n[0] == 8 && a->stride[0] == 32 && a->n[1] == 2 && a->stride[1] == 256);
	cr_assert(b.e.access[2].write && b.e.access[2].addr == 0);
	bench_start(&b, INSN_vconv_f162s8, 0, 1);
	b.op.x[1] = 8192;
	b.op.x[3] = word_un(3, 1, 1, 4, 8);
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(b.e.elem_bytes, 2);
	cr_assert_eq(b.e.access[0].n[0], 8);
	cr_assert_eq(b.e.access[1].n[0], 4); /* the narrow side has half the blocks */
	bench_start(&b, INSN_vaxpy, 2, 1);
	b.op.x[1] = 8192;
	b.op.x[3] = word_un(1, 1, 1, 8, 4);
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(b.e.elem_bytes, 4);
	cr_assert_eq(b.e.access[0].n[0], 4);
	cr_assert_eq(b.e.n_access, 3); /* src, dst read, dst written */
}

Test(vector_limits, level_and_core)
{
	add_f32();
	b.op.variant = 2; /* s16 is not on 910 */
	b.chip.arch = ARCH_C100;
	b.chip.split = false;
	must_fail(FAIL_KERNEL, "does not exist on bench");
	add_f32();
	b.mem.size[SPACE_UB] = 0; /* a cube core */
	cr_assert_not(bench_run(&b));
	cr_assert_eq(b.f.class, FAIL_KERNEL);
	cr_assert(strstr(b.f.what, "cannot run on a cube core"), "%s", b.f.what);
}

Test(vector_limits, not_modelled_is_named)
{
	bench_init();
	bench_start(&b, INSN_set_ub_addr_upper_bound, 0, 1);
	must_fail(FAIL_MODEL, "set_ub_addr_upper_bound: not modelled");
	bench_start(&b, INSN_vaddreluconv_f162s8, 0, 1);
	b.op.x[3] = word_bin(1, 1, 1, 1, 8, 8, 8, 1);
	must_fail(FAIL_MODEL, "mode 1");
}

Test(vector_limits, shift_distance)
{
	bench_init();
	bench_start(&b, INSN_vshl, 0, 1);
	b.op.x[1] = 8192;
	b.op.x[2] = 17;
	b.op.x[3] = word_un(1, 1, 1, 8, 8);
	must_fail(FAIL_KERNEL, "shift distance 17 is not in 0..16");
}

Test(vector_limits, select_modes)
{
	bench_init();
	bench_start(&b, INSN_vsel, 0, 1);
	b.op.x[1] = 8192;
	b.op.x[2] = 16384;
	b.op.x[3] = word_bin(1, 1, 1, 1, 8, 8, 8, 3);
	must_fail(FAIL_KERNEL, "select mode 3");
	b.op.x[3] = word_bin(1, 1, 1, 1, 8, 8, 8, 2);
	memset(b.mem.cmpmask, 0xff, 16);
	must_fail(FAIL_KERNEL, "CMPMASK holds 0xffffffff");
	uint32_t addr = BENCH_UB - 16 - 16; /* aligned, and the 16 bytes just fit */
	memcpy(b.mem.cmpmask, &addr, 4);
	cr_assert(bench_run(&b), "%s", b.f.what);
}

Test(vector_limits, gather_offsets)
{
	uint32_t offset = 0x10000;

	bench_init();
	bench_start(&b, INSN_vgather, 1, 1);
	memset(b.ub + 8192, 0, 1024);
	memcpy(b.ub + 8192 + 4 * 67, &offset, 4);
	b.op.x[1] = 8192;
	b.op.x[2] = 16384;
	b.op.x[3] = 8 | (uint64_t)1 << 56;
	cr_assert(bench_run(&b), "%s", b.f.what);
	b.op.x[3] = 8 | (uint64_t)2 << 56;
	cr_assert_not(bench_run(&b));
	cr_assert(strstr(b.f.what, "repeat 1, element 3: offset 0x10000 from base 0x4000"), "%s", b.f.what);
	offset = 2;
	memcpy(b.ub + 8192 + 4 * 67, &offset, 4);
	cr_assert_not(bench_run(&b));
	cr_assert(strstr(b.f.what, "4-byte aligned"), "%s", b.f.what);
}

Test(vector_limits, gather_mask_patterns_and_room)
{
	bench_init();
	bench_start(&b, INSN_vreducev2, 1, 1);
	b.op.x[1] = 8192;
	b.op.x[3] = 1 | 8 << 8 | 8 << 16 | (uint64_t)1 << 40;
	must_fail(FAIL_KERNEL, "pattern 8");
	b.op.x[3] = 1 | 7 << 8 | 8 << 16 | (uint64_t)1 << 40;
	b.op.x[0] = BENCH_UB - 224;
	must_fail(FAIL_KERNEL, "writes UB bytes");
	b.op.x[2] = 16384; /* a bit tensor: the count is known when the op runs */
	b.op.x[3] = 1 | 0 << 8 | 8 << 16 | (uint64_t)1 << 40;
	memset(b.ub + 16384, 0, 32);
	cr_assert(bench_run(&b), "%s", b.f.what);
	memset(b.ub + 16384, 0xff, 8);
	cr_assert_not(bench_run(&b));
	cr_assert(strstr(b.f.what, "writes UB bytes 0x6000..0x6004"), "%s", b.f.what);
}

Test(vector_limits, transposes)
{
	bench_init();
	bench_start(&b, INSN_scatter_vnchwconv_b16, 0, 1);
	b.op.x[0] = 7;
	b.op.x[3] = (uint64_t)2 << 56;
	must_fail(FAIL_KERNEL, "a pair starts at VA0..VA6");
	b.op.x[0] = 0;
	b.op.x[1] = 2;
	b.op.x[3] = (uint64_t)1 << 56 | 16;
	must_fail(FAIL_KERNEL, "strides must be 0 when repeat is 1");
	b.op.x[3] = (uint64_t)1 << 56;
	b.op.spr.va[1][7] = BENCH_UB / 32;
	must_fail(FAIL_KERNEL, "writes UB bytes 0x6000..0x6020");
	b.op.spr.va[1][7] = BENCH_UB / 32 - 1;
	cr_assert(bench_run(&b), "%s", b.f.what);
	bench_start(&b, INSN_vtranspose, 0, 1);
	b.op.x[1] = 32;
	must_fail(FAIL_KERNEL, "overlap in part");
}

Test(vector_limits, merge)
{
	bench_init();
	bench_start(&b, INSN_vmrgsort4, 1, 1);
	b.op.x[1] = 0x1000 / 8 | 0x2000 / 8 << 16;
	b.op.x[2] = 4 | 4 << 16;
	b.op.x[3] = 1;
	must_fail(FAIL_KERNEL, "no list is in use");
	b.op.x[3] = 1 | 3 << 8;
	b.op.x[0] = 0x1000 - 32;
	must_fail(FAIL_KERNEL, "overlaps list 0");
	b.op.x[0] = 0;
	b.op.x[2] = 4096;
	must_fail(FAIL_KERNEL, "more than 4095");
	b.op.x[2] = 4 | 4 << 16;
	b.op.x[3] = 2 | 3 << 8;
	must_fail(FAIL_KERNEL, "needs all four lists");
}

/* What whole instructions leave in registers: the sum of all repeats; the extreme of all and its element number. */
Test(vector_limits, registers_of_reductions)
{
	float x = 77, first = 3;
	uint32_t bits;

	bench_init();
	bench_start(&b, INSN_vcadd, 1, 1);
	memset(b.ub, 0, BENCH_UB);
	b.op.x[0] = 0;
	b.op.x[1] = 8192;
	b.op.x[3] = word_red(3, 1, 1, 8, 0);
	memcpy(b.ub + 8192, &first, 4);
	memcpy(b.ub + 8192 + 512 + 20, &x, 4);
	cr_assert(bench_run(&b), "%s", b.f.what);
	x += first;
	memcpy(&bits, &x, 4);
	cr_assert_eq(b.mem.acc_val, bits);
	b.op.insn = INSN_vcmax;
	cr_assert(bench_run(&b), "%s", b.f.what);
	x = 77;
	memcpy(&bits, &x, 4);
	cr_assert_eq(b.mem.max_min_cnt, bits | (uint64_t)(128 + 5) << 32);
	b.op.insn = INSN_vcmin; /* all zero but two: the first zero */
	cr_assert(bench_run(&b), "%s", b.f.what);
	cr_assert_eq(b.mem.max_min_cnt, (uint64_t)1 << 32);
}
