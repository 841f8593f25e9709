/*
 * isa_system.c - instructions that the scalar unit executes itself, from compiled kernels: registers that are read back,
 * system values, VA registers with the transposes that use them, scalar conversions, GM around the data cache, flags tied
 * to a memory, and two cores that talk through GM. Expected values come from the table's rows and hardware.md 2.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#define KERNEL "__global__ __aicore__ void k"

static uint64_t word(const uint8_t *bytes, int i)
{
	uint64_t v;
	memcpy(&v, bytes + 8 * i, 8);
	return v;
}

static const char registers[] = KERNEL
	"(__gm__ uint64_t *o, uint64_t seven, __gm__ uint64_t *p) {"
	" set_condition_flag(11); set_lpcnt(12); set_st_atomic_cfg(3, 1);"
	" o[0] = get_condition_flag(); o[1] = get_lpcnt(); o[2] = get_st_atomic_cfg();"
	" set_st_atomic_cfg(77); o[3] = get_st_atomic_cfg();"
	" set_pcie_rd_ctrl(1); set_data_exp_0(1); set_data_exp_1(2); set_data_exp_2(3); set_data_exp_3(4);"
	" set_aipp_spr_0(5); set_aipp_spr_24(6); set_l1_3d_size(0);"
	" o[4] = get_status() | get_icache_prl_st() | get_thread_id() | get_l2_in_main() | get_l2_vaddr_base() | "
	"get_smmu_tag_ver();"
	" o[5] = get_thread_dim();"
	" o[6] = get_sys_va_base();"
	" __gm__ uint64_t *a = (__gm__ uint64_t *)get_para_base();"
	" o[7] = a[0] == (uint64_t)o; o[8] = a[1]; o[9] = a[2] == (uint64_t)p;"
	" uint64_t local = 3; uint64_t stack = get_stack_phy_base();"
	" o[10] = (uint64_t)(volatile uint64_t *)&local - stack < 0x1000000 && *(volatile uint64_t *)&local == seven - 4;"
	" o[11] = get_imm(seven); o[12] = get_imm(1, 2); o[13] = get_imm(1, 2, 3); o[14] = get_imm(0xfff1, 0xfff2, 0xfff3, "
	"0xfff4);"
	" o[15] = get_arch_ver(); }";

Test(isa_system, registers_and_system_values)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, registers, 1, false);
	uint8_t *o = lab_buffer(&r, NULL, 256);
	lab_scalar(&r, 7);
	lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	static const uint64_t want[16] = { 11, 12, 3 | 1 << 8, 77, 0, 1, 0x100000000, 1, 7, 1, 1, 7, 0x20001, 0x300020001,
					   0xfff4fff3fff2fff1, 2201 };
	for (int i = 0; i < 16; i++)
		cr_expect_eq(word(o, i), want[i], "word %d is 0x%llx", i, (unsigned long long)word(o, i));
	lab_close(&r);
}

/* Every register that only ops read, by what the core holds when the block has ended; what ops leave, by what is read. */
static const char written[] = KERNEL
	"(__gm__ uint64_t *o) {"
	" set_vector_mask(101, 102); set_nd_para(103); set_quant_pre(104); set_fpc(105); set_fmatrix(106); set_fmatrix_b(107);"
	" set_l3d_rpt(108); set_l1_3d_size(109); set_padding(110); set_mov_pad_val(111); set_ffts_base_addr(112);"
	" set_deqscale((half)1.0f); set_deqscale((uint64_t)113); set_lrelu_alpha((half)1.0f); set_lrelu_alpha(1.0f);"
	" set_lrelu_alpha((uint64_t)114); set_l0_set_value_h((half)1.0f); o[0] = get_fpc(); o[1] = get_ffts_base_addr();"
	" set_aipp_spr_1(1); set_aipp_spr_2(2); set_aipp_spr_3(3); set_aipp_spr_4(4); set_aipp_spr_5(5); set_aipp_spr_6(6);"
	" set_aipp_spr_7(7); set_aipp_spr_8(8); set_aipp_spr_9(9); set_aipp_spr_10(10); set_aipp_spr_11(11); "
	"set_aipp_spr_12(12);"
	" set_aipp_spr_13(13); set_aipp_spr_14(14); set_aipp_spr_15(15); set_aipp_spr_16(16); set_aipp_spr_17(17); "
	"set_aipp_spr_18(18);"
	" set_aipp_spr_19(19); set_aipp_spr_20(20); set_aipp_spr_21(21); set_aipp_spr_22(22); set_aipp_spr_23(23); "
	"set_aipp_spr_24(24);"
	" set_aipp_spr_0(0x100);"
	" o[2] = get_subblockdim(); o[3] = get_coreid(); o[4] = get_pc() == get_pc() - 4 ? 0 : 1;"
	" uint64_t t = get_sys_cnt(); for (int i = 0; i < 1000; i++) __asm__ volatile(\"\"); o[5] = get_sys_cnt() > t;"
	" o[6] = get_vms4_sr(); o[7] = get_rsvd_cnt(); o[8] = get_acc_val(); o[9] = get_max_min_cnt();"
	" preload((__gm__ void *)o); preload((__gm__ void *)o, 2); }";

/* The core that ran the block. */
static const struct core *worker(const struct lab *r)
{
	for (int i = 0; i < r->sim.n_core; i++)
		if (r->sim.core[i].stats.blocks)
			return &r->sim.core[i];
	return NULL;
}

Test(isa_system, registers_hold_what_was_written)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, written, 1, false);
	uint8_t *o = lab_buffer(&r, NULL, 128);
	for (int i = 0; i < r.sim.n_core; i++) { /* as ops would have left them */
		r.sim.core[i].mem.vms4_sr = 201;
		r.sim.core[i].mem.rsvd_cnt = 202;
		r.sim.core[i].mem.acc_val = 203;
		r.sim.core[i].mem.max_min_cnt = 204;
	}
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct core *c = worker(&r);
	const struct spr *s = &c->spr;
	cr_expect(s->mask_hi == 101 && s->mask_lo == 102 && s->nd_para == 103 && s->quant_pre == 104 && s->fpc == 105);
	cr_expect(s->fmatrix == 106 && s->fmatrix_b == 107 && s->l3d_rpt == 108 && s->l3d_size == 109 && s->padding == 110);
	cr_expect(s->mov_pad_val == 111 && s->ffts_base == 112 && s->deqscale == 113 && s->lrelu_alpha == 114);
	cr_expect_eq(s->l0_value, 0x3c00);
	for (uint64_t i = 0; i < 25; i++)
		cr_expect_eq(s->aipp[i], i ? i : 0x100);
	const uint64_t want[10] = { 105, 112, 1, (uint64_t)c->id, 0, 1, 201, 202, 203, 204 };
	for (int i = 0; i < 10; i++)
		cr_expect_eq(word(o, i), want[i], "word %d is %llu", i, (unsigned long long)word(o, i));
	lab_close(&r);
}

/* The rows that change bits of CTRL: type [8:6], operation [10:9], counter mode [56] (hardware.md 2.7). */
Test(isa_system, bits_of_ctrl)
{
	static const char *const calls[] = { "set_atomic_f32", "set_atomic_f16", "set_atomic_s16", "set_atomic_s32",
		"set_atomic_s8",
					     "set_atomic_bf16", "set_atomic_none", "set_atomic_max", "set_atomic_min",
						"set_atomic_add",
					     "set_mask_count", "set_mask_norm" };
	static const uint64_t want[] = { 1 << 6, 2 << 6, 3 << 6, 4 << 6, 5 << 6, 6 << 6, 0, 1 << 9, 2 << 9, 0,
		UINT64_C(1) << 56, 0 };
	char source[2048];
	struct lab r;
	int at = snprintf(source, sizeof source, KERNEL "(__gm__ uint64_t *o) { set_l0_set_value_bf16((bfloat16_t)1.0f); "
		"set_ctrl(0);");
	for (size_t i = 0; i < 12; i++)
		at += snprintf(source + at, sizeof source - (size_t)at, "%s(); o[%zu] = get_ctrl();", calls[i], i);
	snprintf(source + at, sizeof source - (size_t)at, "}");
	lab_open(&r, "ascend910b1", CORE_VEC, source, 1, false);
	uint8_t *o = lab_buffer(&r, NULL, 128);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < 12; i++)
		cr_expect_eq(word(o, i), want[i], "%s: 0x%llx", calls[i], (unsigned long long)word(o, i));
	cr_expect_eq(worker(&r)->spr.l0_value, 0x3f80);
	lab_close(&r);
}

Test(isa_system, data_of_310p)
{
	struct lab r;
	lab_open(&r, "ascend310p", CORE_FUSED, "static uint64_t here = 5;" KERNEL
		 "(__gm__ uint64_t *o) { volatile uint64_t *p = &here; o[0] = (uint64_t)p - (uint64_t)get_data_main_base() < "
		"4096; o[1] = *p; }",
		 1, false);
	uint8_t *o = lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect(word(o, 0) == 1 && word(o, 1) == 5);
	lab_close(&r);
}

/* Sixteen rows of sixteen 2-byte elements, transposed; block addresses from an array, or from a table in UB. */
static void transposes(const char *set)
{
	char source[1024];
	struct lab r;
	uint16_t in[256];
	snprintf(source, sizeof source, KERNEL
		 "(__gm__ uint16_t *g) {"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, (__gm__ void *)g, 0, 1, 16, 0, 0);"
		 " set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0); %s"
		 " scatter_vnchwconv_b16(VA2, VA0, 1, 0, 0);"
		 " set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);"
		 " copy_ubuf_to_gm((__gm__ void *)g, (__ubuf__ void *)0x1000, 0, 1, 16, 0, 0); }", set);
	for (int i = 0; i < 256; i++)
		in[i] = (uint16_t)(i * 257);
	lab_open(&r, "ascend910b1", CORE_VEC, source, 1, false);
	uint8_t *g = lab_buffer(&r, in, sizeof in);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < 16; i++)
		for (int j = 0; j < 16; j++)
			cr_assert_eq(((uint16_t *)(void *)g)[i * 16 + j], in[j * 16 + i], "(%d, %d)", i, j);
	lab_close(&r);
}

Test(isa_system, va_registers_from_words)
{
	transposes("uint64_t s[16], d[16]; for (int i = 0; i < 16; i++) { s[i] = i * 32; d[i] = 0x1000 + i * 32; }"
		   "set_va_reg_sb(VA0, s); set_va_reg_sb(VA1, s + 8); set_va_reg_sb(VA2, d); set_va_reg_sb(VA3, d + 8);");
}

Test(isa_system, va_registers_from_ub)
{
	transposes("__ubuf__ uint16_t *t = (__ubuf__ uint16_t *)0x2000;"
		   "for (int i = 0; i < 16; i++) { t[i] = i; t[16 + i] = 0x1000 / 32 + i; }"
		   "__ubuf__ uint64_t *a = (__ubuf__ uint64_t *)0x2000, *b = (__ubuf__ uint64_t *)0x2020;"
		   "vld_va_reg(VA0, a, L128); vld_va_reg(VA1, a, H128); vld_va_reg(VA2, b, L128); vld_va_reg(VA3, b, H128);");
}

Test(isa_system, scalar_conversions)
{
	static const float in[] = { 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, -2.7f, 1e10f, -1e10f, 3.0f, NAN };
	enum { N = sizeof in / sizeof *in };
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, KERNEL
		 "(__gm__ float *x, __gm__ int32_t *o, __gm__ uint16_t *h, uint64_t n) {"
		 " for (uint64_t i = 0; i < n; i++) { o[4 * i] = conv_f322s32r(x[i]); o[4 * i + 1] = conv_f322s32f(x[i]);"
		 " o[4 * i + 2] = conv_f322s32c(x[i]); o[4 * i + 3] = conv_f322s32a(x[i]);"
		 " ((__gm__ half *)h)[i] = conv_f322f16o(x[i]); } }", 1, false);
	lab_buffer(&r, in, sizeof in);
	int32_t *o = (int32_t *)(void *)lab_buffer(&r, NULL, 16 * N);
	uint16_t *h = (uint16_t *)(void *)lab_buffer(&r, NULL, 64);
	lab_scalar(&r, N);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < N; i++) {
		double want[4] = { rint(in[i]), floor(in[i]), ceil(in[i]), round(in[i]) };
		for (int k = 0; k < 4; k++) {
			double w = isnan(in[i]) ? 0 : want[k] > INT32_MAX ? INT32_MAX : want[k] < INT32_MIN ? INT32_MIN :
				want[k];
			cr_expect_eq(o[4 * i + k], (int32_t)w, "%g by %d: %d", in[i], k, o[4 * i + k]);
		}
	}
	/* exact halves; to odd: overflow stops at the largest number */
	static const uint16_t half[] = { 0x3800, 0x3e00, 0x4100, 0xb800, 0xbe00, 0xc167, 0x7bff, 0xfbff, 0x4200, 0x7e00 };
	for (int i = 0; i < N; i++)
		cr_expect_eq(h[i], half[i], "%g: 0x%04x", in[i], h[i]);
	lab_close(&r);
}

/* st_dev writes past a dirty line, ld_dev reads past a stale one; every width and sign. */
Test(isa_system, gm_around_the_data_cache)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, KERNEL
		 "(__gm__ uint64_t *g, __gm__ uint64_t *o) {"
		 " volatile __gm__ uint64_t *v = g;"
		 " o[0] = v[0];"                                  /* the line is cached now */
		 " st_dev((uint64_t)99, g, 0); o[1] = v[0]; o[2] = ld_dev(g, 0);"
		 " v[1] = 5; o[3] = ld_dev(g, 8);"                /* dirty, not yet in GM */
		 " dcci((__gm__ void *)g, SINGLE_CACHE_LINE, CACHELINE_OUT); o[4] = ld_dev(g, 8); o[5] = v[1];"
		 " st_dev((int8_t)-2, (__gm__ int8_t *)g, 17); o[6] = ld_dev((__gm__ int8_t *)g, 17); o[7] = ld_dev((__gm__ "
		"uint8_t *)g, 17);"
		 " st_dev((int16_t)-3, (__gm__ int16_t *)g, 18); o[8] = ld_dev((__gm__ int16_t *)g, 18); o[9] = ld_dev((__gm__ "
		"uint16_t *)g, 18);"
		 " st_dev((int32_t)-4, (__gm__ int32_t *)g, 20); o[10] = ld_dev((__gm__ int32_t *)g, 20); o[11] = "
		"ld_dev((__gm__ uint32_t *)g, 20);"
		 " st_dev((int64_t)-5, (__gm__ int64_t *)g, 24); o[12] = ld_dev((__gm__ int64_t *)g, 24);"
		 " st_dev((uint8_t)200, (__gm__ uint8_t *)g, 32); st_dev((uint16_t)60000, (__gm__ uint16_t *)g, 34);"
		 " st_dev((uint32_t)4000000000u, (__gm__ uint32_t *)g, 36); o[13] = ld_dev(g, 32); }", 1, false);
	uint64_t in[32] = { 42, 43 };
	lab_buffer(&r, in, sizeof in);
	uint8_t *o = lab_buffer(&r, NULL, 256);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const uint64_t want[14] = { 42, 42, 99, 43, 5, 5, (uint64_t)-2, 254, (uint64_t)-3, 65533, (uint64_t)-4, 4294967292u,
				    (uint64_t)-5, UINT64_C(4000000000) << 32 | 60000u << 16 | 200 };
	for (int i = 0; i < 14; i++)
		cr_expect_eq(word(o, i), want[i], "word %d is 0x%llx", i, (unsigned long long)word(o, i));
	lab_close(&r);
}

/* Prefetched lines are lines: what comes later into GM is not seen. */
Test(isa_system, preloaded_lines_stay_stale)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, KERNEL
		 "(__gm__ uint64_t *g, __gm__ uint64_t *o) {"
		 " dc_preload(g, 64); st_dev((uint64_t)1, g, 64); st_dev((uint64_t)1, g, 0); o[0] = g[0]; o[1] = g[8]; }", 1,
			false);
	lab_buffer(&r, NULL, 256);
	uint8_t *o = lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect_eq(word(o, 0), 1);
	cr_expect_eq(word(o, 1), 0);
	lab_close(&r);
}

/* One event, two flags: L0A and L0B of the same pair and id do not meet. */
Test(isa_system, flags_tied_to_a_memory)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, KERNEL
		 "(void) {"
		 " hset_flag(PIPE_MTE1, PIPE_M, EVENT_ID0, (mem_t)1, false); hset_flag(PIPE_MTE1, PIPE_M, EVENT_ID0, (mem_t)2, "
		"false);"
		 " set_flag(PIPE_MTE1, PIPE_M, EVENT_ID0); wait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0);"
		 " hwait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0, (mem_t)2, false); hwait_flag(PIPE_MTE1, PIPE_M, EVENT_ID0, "
		"(mem_t)1, false); }",
		 1, false);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	lab_close(&r);
}

/* A barrier of all vector cores by polling GM: each writes its slot and waits for all the others (SyncAll, soft). The
 * values that the others wrote before their flag are seen behind it. */
Test(isa_system, cores_meet_through_gm)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, KERNEL
		 "(__gm__ uint64_t *flag, __gm__ uint64_t *data, __gm__ uint64_t *o) {"
		 " int64_t me = get_block_idx(), n = get_block_num();"
		 " for (int64_t spin = 0; spin < 100 * me; spin++) __asm__ volatile(\"\");"
		 " data[8 * me] = 1000 + me; dcci((__gm__ void *)(data + 8 * me), SINGLE_CACHE_LINE, CACHELINE_OUT); "
		"dsb(DSB_DDR);"
		 " flag[8 * me] = 1; dcci((__gm__ void *)(flag + 8 * me), SINGLE_CACHE_LINE, CACHELINE_OUT);"
		 " for (int64_t i = 0; i < n; i++) {"
		 "  volatile __gm__ uint64_t *f = flag + 8 * i;"
		 "  while (*f == 0) dcci((__gm__ void *)f, SINGLE_CACHE_LINE); }"
		 " uint64_t sum = 0; for (int64_t i = 0; i < n; i++) sum += data[8 * i];"
		 " o[8 * me] = sum; }", 6, false);
	lab_buffer(&r, NULL, 6 * 64);
	lab_buffer(&r, NULL, 6 * 64);
	uint8_t *o = lab_buffer(&r, NULL, 6 * 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < 6; i++)
		cr_expect_eq(word(o, 8 * i), 6015, "block %d", i);
	lab_close(&r);
}

/* One core's flag for another (IBSet, IBWait), through UB copies on one side and ld_dev on the other. */
Test(isa_system, one_core_waits_for_another)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, KERNEL
		 "(__gm__ uint64_t *flag, __gm__ uint64_t *o) {"
		 " if (get_block_idx() == 0) {"
		 "  __ubuf__ uint64_t *u = (__ubuf__ uint64_t *)0; for (int i = 0; i < 4; i++) u[i] = 77 + i;"
		 "  set_flag(PIPE_S, PIPE_MTE3, EVENT_ID0); wait_flag(PIPE_S, PIPE_MTE3, EVENT_ID0);"
		 "  copy_ubuf_to_gm((__gm__ void *)flag, (__ubuf__ void *)0, 0, 1, 1, 0, 0);"
		 " } else { while (ld_dev(flag, 24) == 0) dsb(DSB_ALL); o[0] = ld_dev(flag, 0); } }", 2, false);
	lab_buffer(&r, NULL, 64);
	uint8_t *o = lab_buffer(&r, NULL, 64);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	cr_expect_eq(word(o, 0), 77);
	lab_close(&r);
}

/* One mistake each; the error names the instruction and the kernel's line. */
static const struct { unsigned core; const char *body, *text; } mistakes[] = {
	{ CORE_VEC, "vld_va_reg((ub_addr8_t)8, (__ubuf__ uint64_t *)0, L128);", "vld_va_reg: VA8 does not exist" },
	{ CORE_VEC, "vld_va_reg(VA0, (__ubuf__ uint64_t *)8, L128);", "not a multiple of 32" },
	{ CORE_VEC, "vld_va_reg(VA0, (__ubuf__ uint64_t *)0, (vtype_t)2);", "neither L128 nor H128" },
	{ CORE_VEC, "vld_va_reg(VA0, (__ubuf__ uint64_t *)0x100000, H128);", "reads UB bytes" },
	{ CORE_VEC, "ld_dev((__gm__ uint64_t *)o, 4);", "ld_dev: address 0x" },
	{ CORE_VEC, "ld_dev((__gm__ uint64_t *)64, 0);", "ld_dev: reads GM bytes 0x40" },
	{ CORE_VEC, "st_dev((uint64_t)1, o, 1 << 20);", "st_dev: writes GM bytes" },
	{ CORE_VEC, "dc_preload(o, -(1ll << 33));", "dc_preload: address" },
	{ CORE_VEC, "dc_preload(o, 1 << 20);", "past the end of argument" },
	{ CORE_VEC, "trap(5);", "called trap (code 5)" },
	{ CORE_VEC, "set_flag(PIPE_M, PIPE_V, EVENT_ID0);", "set_flag: a vector core of" },
	{ CORE_VEC, "set_flag(PIPE_V, PIPE_MTE3, (event_t)8);", "set_flag: event id 8 is out of range" },
	{ CORE_VEC, "pipe_barrier(PIPE_S);", "pipe_barrier(PIPE_S) is not allowed" },
	{ CORE_VEC, "pipe_barrier(PIPE_M);", "pipe_barrier: a vector core of" },
	{ CORE_VEC, "wait_flag_dev(16);", "cross-core flag 16 is out of range" },
	{ CORE_VEC, "ffts_cross_core_sync(PIPE_MTE3, 1 | 3 << 4);", "mode 3" },
	{ CORE_VEC, "get_overflow_status();", "get_overflow_status is not modelled: which results set it" },
	{ CORE_CUBE, "hset_flag(PIPE_MTE1, PIPE_M, EVENT_ID0, (mem_t)6, false);", "hset_flag: 6 is no memory" },
	{ CORE_CUBE, "hwait_flag(PIPE_MTE1, PIPE_M, (event_t)8, (mem_t)1, false);", "hwait_flag: event id 8" },
	{ CORE_CUBE, "hset_flag(PIPE_MTE1, PIPE_M, EVENT_ID1, (mem_t)1, false);"
	  "hset_flag(PIPE_MTE1, PIPE_M, EVENT_ID1, (mem_t)1, false);", "event 1 of L0A is set again" },
	{ CORE_CUBE, "hwait_flag(PIPE_MTE1, PIPE_M, EVENT_ID1, (mem_t)2, false);", "event 1 of L0B, which nobody sets" },
};

/* One kernel per core kind holds them all; its line is the mistake's number + 3. */
static void make_mistakes(unsigned core)
{
	char source[8192], line[32];
	struct lab r;
	int at = snprintf(source, sizeof source, KERNEL "(__gm__ uint64_t *o, int64_t which) {\nswitch (which) {\n"), n = 0;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++)
		at += snprintf(source + at, sizeof source - (size_t)at, "case %zu: %s break;\n", i,
			       mistakes[i].core == core ? mistakes[i].body : "");
	snprintf(source + at, sizeof source - (size_t)at, "} }\n");
	lab_open(&r, "ascend910b1", core, source, 1, false);
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		if (mistakes[i].core != core)
			continue;
		if (n++)
			lab_again(&r, 1);
		lab_buffer(&r, NULL, 64);
		lab_scalar(&r, i);
		cr_assert(!lab_run(&r), "not noticed: %s", mistakes[i].body);
		cr_expect(strstr(r.fail.what, mistakes[i].text), "%s: \"%s\" does not say \"%s\"", mistakes[i].body,
			r.fail.what,
			  mistakes[i].text);
		snprintf(line, sizeof line, ".c:%zu ", i + 3);
		cr_expect(strstr(r.fail.where.kernel_line, line) || strstr(r.fail.what, line), "%s: line is \"%s\", \"%s\"",
			  mistakes[i].body, r.fail.where.kernel_line, r.fail.what);
	}
	lab_close(&r);
}

Test(isa_system, mistakes_of_the_vector_core) { make_mistakes(CORE_VEC); }
Test(isa_system, mistakes_of_the_cube_core) { make_mistakes(CORE_CUBE); }
