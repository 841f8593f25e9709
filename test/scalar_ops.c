/*
 * scalar_ops.c - each RV64 instruction on chosen values, with results worked out by hand: every case with rd apart, rd = rs1,
 * rd = rs2 and rd = x0; loads and stores of every width; branches; counters.
 */
#include "scalar_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>

#define MIN64 UINT64_C(0x8000000000000000)
#define MAX64 UINT64_C(0x7fffffffffffffff)
#define ONES UINT64_MAX

/* Word with rd, rs1, rs2 zero, operands, result. */
struct case2 { const char *name; uint32_t word; uint64_t a, b, want; };

static const struct case2 register_cases[] = {
	{ "add", 0x33, 1, 2, 3 }, { "add", 0x33, MAX64, 1, MIN64 },
	{ "sub", 0x40000033, 1, 2, ONES }, { "sub", 0x40000033, MIN64, 1, MAX64 },
	{ "sll", 0x1033, 1, 63, MIN64 }, { "sll", 0x1033, 1, 64, 1 }, { "sll", 0x1033, 3, 0xffc1, 6 },
	{ "slt", 0x2033, ONES, 0, 1 }, { "slt", 0x2033, 0, ONES, 0 }, { "slt", 0x2033, MIN64, MAX64, 1 },
	{ "sltu", 0x3033, ONES, 0, 0 }, { "sltu", 0x3033, 0, ONES, 1 }, { "sltu", 0x3033, 5, 5, 0 },
	{ "xor", 0x4033, 0xff00, 0x0ff0, 0xf0f0 }, { "or", 0x6033, 0xff00, 0x0ff0, 0xfff0 },
	{ "and", 0x7033, 0xff00, 0x0ff0, 0x0f00 },
	{ "srl", 0x5033, MIN64, 63, 1 }, { "srl", 0x5033, ONES, 4, ONES >> 4 }, { "srl", 0x5033, 8, 65, 4 },
	{ "sra", 0x40005033, MIN64, 63, ONES }, { "sra", 0x40005033, MAX64, 62, 1 },
	{ "addw", 0x3b, 0x7fffffff, 1, 0xffffffff80000000 }, { "addw", 0x3b, 0xffffffff00000001, 1, 2 },
	{ "subw", 0x4000003b, 0x80000000, 1, 0x7fffffff }, { "subw", 0x4000003b, 0, 1, ONES },
	{ "sllw", 0x103b, 1, 31, 0xffffffff80000000 }, { "sllw", 0x103b, 1, 32, 1 },
	{ "srlw", 0x503b, 0xfffffff080000000, 31, 1 }, { "srlw", 0x503b, 0x80000000, 32, 0xffffffff80000000 },
	{ "sraw", 0x4000503b, 0x80000000, 31, ONES }, { "sraw", 0x4000503b, 0xf0000000, 4, 0xffffffffff000000 },
	{ "mul", 0x02000033, 0x100000001, 0x100000001, 0x200000001 }, { "mul", 0x02000033, ONES, 7, (uint64_t)-7 },
	{ "mulh", 0x02001033, ONES, ONES, 0 }, { "mulh", 0x02001033, MIN64, MIN64, UINT64_C(1) << 62 },
	{ "mulh", 0x02001033, MIN64, 2, ONES },
	{ "mulhsu", 0x02002033, ONES, ONES, ONES }, { "mulhsu", 0x02002033, 2, ONES, 1 },
	{ "mulhsu", 0x02002033, MIN64, ONES, MIN64 },
	{ "mulhu", 0x02003033, ONES, ONES, ONES - 1 }, { "mulhu", 0x02003033, MIN64, 2, 1 },
	{ "div", 0x02004033, 7, 2, 3 }, { "div", 0x02004033, (uint64_t)-7, 2, (uint64_t)-3 },
	{ "div", 0x02004033, 7, 0, ONES }, { "div", 0x02004033, MIN64, ONES, MIN64 },
	{ "divu", 0x02005033, ONES, 2, MAX64 }, { "divu", 0x02005033, 9, 0, ONES },
	{ "rem", 0x02006033, 7, (uint64_t)-2, 1 }, { "rem", 0x02006033, (uint64_t)-7, 2, ONES },
	{ "rem", 0x02006033, (uint64_t)-9, 0, (uint64_t)-9 }, { "rem", 0x02006033, MIN64, ONES, 0 },
	{ "remu", 0x02007033, ONES, 10, 5 }, { "remu", 0x02007033, 9, 0, 9 },
	{ "mulw", 0x0200003b, 0x10000, 0x8000, 0xffffffff80000000 }, { "mulw", 0x0200003b, 0x100000003, 5, 15 },
	{ "divw", 0x0200403b, 0x80000000, 0xffffffff, 0xffffffff80000000 }, { "divw", 0x0200403b, 7, 0xf00000000, ONES },
	{ "divw", 0x0200403b, 0xfffffff9, 2, (uint64_t)-3 },
	{ "divuw", 0x0200503b, 0xffffffff, 1, ONES }, { "divuw", 0x0200503b, 5, 0, ONES },
	{ "divuw", 0x0200503b, 0xfffffff9, 2, 0x7ffffffc },
	{ "remw", 0x0200603b, 0x80000000, 0xffffffff, 0 }, { "remw", 0x0200603b, 0xfffffff9, 0, (uint64_t)-7 },
	{ "remw", 0x0200603b, 0xfffffff9, 2, ONES },
	{ "remuw", 0x0200703b, 0xffffffff, 0, ONES }, { "remuw", 0x0200703b, 0xfffffff9, 4, 1 },
};

/* Immediate forms: b is the immediate. */
static const struct case2 immediate_cases[] = {
	{ "addi", 0x13, 5, (uint64_t)-6, ONES }, { "addi", 0x13, MAX64, 2047, MIN64 + 2046 },
	{ "slti", 0x2013, (uint64_t)-3, (uint64_t)-2, 1 }, { "slti", 0x2013, 3, (uint64_t)-2, 0 },
	{ "sltiu", 0x3013, 3, (uint64_t)-2, 1 }, { "sltiu", 0x3013, 0, 1, 1 }, { "sltiu", 0x3013, 1, 1, 0 },
	{ "xori", 0x4013, 0x0f, (uint64_t)-1, ~UINT64_C(0x0f) }, { "ori", 0x6013, 1, (uint64_t)-2048, (uint64_t)-2047 },
	{ "andi", 0x7013, ONES, (uint64_t)-16, (uint64_t)-16 }, { "andi", 0x7013, ONES, 0x7ff, 0x7ff },
	{ "slli", 0x1013, 1, 63, MIN64 }, { "srli", 0x5013, MIN64, 63, 1 }, { "srai", 0x40005013, MIN64, 63, ONES },
	{ "srai", 0x40005013, 0x40, 5, 2 },
	{ "addiw", 0x1b, 0x7fffffff, 1, 0xffffffff80000000 }, { "addiw", 0x1b, 0x123400000005, 0, 5 },
	{ "slliw", 0x101b, 0x40000001, 1, 0xffffffff80000002 }, { "srliw", 0x501b, 0xffff80000000, 31, 1 },
	{ "sraiw", 0x4000501b, 0x80000000, 31, ONES },
};

/* Runs one word and returns x[result]. */
static uint64_t run_word(const struct case2 *c, uint32_t word, int result)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { word, RET };

	cr_assert(rig_init(&r, &chip, code, 2));
	r.s.x[A1] = c->a;
	r.s.x[A2] = c->b;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s: %s", c->name, r.f.what);
	cr_assert_eq(r.s.x[0], 0);
	cr_assert_eq(r.s.instret, 2);
	uint64_t v = r.s.x[result];
	rig_free(&r);
	return v;
}

Test(scalar_ops, register_forms)
{
	for (size_t i = 0; i < sizeof(register_cases) / sizeof(register_cases[0]); i++) {
		const struct case2 *c = &register_cases[i];
		const uint32_t sources = (uint32_t)A1 << 15 | (uint32_t)A2 << 20;
		const int rds[] = { A0, A1, A2 };
		for (int k = 0; k < 3; k++) {
			uint64_t got = run_word(c, c->word | sources | (uint32_t)rds[k] << 7, rds[k]);
			cr_assert_eq(got, c->want, "%s x%d, %" PRIx64 ", %" PRIx64 ": %" PRIx64, c->name, rds[k], c->a, c->b,
				     got);
		}
		cr_assert_eq(run_word(c, c->word | sources, ZERO), 0, "%s x0", c->name);
	}
}

Test(scalar_ops, immediate_forms)
{
	for (size_t i = 0; i < sizeof(immediate_cases) / sizeof(immediate_cases[0]); i++) {
		const struct case2 *c = &immediate_cases[i];
		const uint32_t word = c->word | (uint32_t)A1 << 15 | ((uint32_t)c->b & 0xfff) << 20;
		const int rds[] = { A0, A1 };
		for (int k = 0; k < 2; k++) {
			uint64_t got = run_word(c, word | (uint32_t)rds[k] << 7, rds[k]);
			cr_assert_eq(got, c->want, "%s x%d, %" PRIx64 ": %" PRIx64, c->name, rds[k], c->a, got);
		}
		cr_assert_eq(run_word(c, word, ZERO), 0, "%s x0", c->name);
	}
}

Test(scalar_ops, upper_immediates)
{
	const struct case2 none = { "lui", 0, 0, 0, 0 };

	cr_assert_eq(run_word(&none, LUI(A0, 0x12345), A0), 0x12345000);
	cr_assert_eq(run_word(&none, LUI(A0, 0x80000), A0), 0xffffffff80000000);
	cr_assert_eq(run_word(&none, AUIPC(A0, 1), A0), GM_BASE + 0x1000);
	cr_assert_eq(run_word(&none, AUIPC(A0, 0xfffff), A0), GM_BASE - 0x1000);
}

/* Memory 0x80..0x8f at DATA + 64, or in UB. */
static void load_case(uint64_t base, uint32_t f3, uint64_t want)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	/* the byte offset of the access is 8, from -8 and +16 away */
	const uint32_t code[] = { as_i(0x03, f3, A0, A1, -8), as_i(0x03, f3, A1, A1, -8), RET };

	cr_assert(rig_init(&r, &chip, code, 3));
	for (int i = 0; i < 16; i++) {
		r.mem.buf[SPACE_UB][i] = (uint8_t)(0x80 + i);
		r.data->host[64 + i] = (uint8_t)(0x80 + i);
	}
	r.s.x[A1] = base + 16;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	cr_assert_eq(r.s.x[A0], want, "funct3 %u at %" PRIx64 ": %" PRIx64, f3, base, r.s.x[A0]);
	cr_assert_eq(r.s.x[A1], want);
	rig_free(&r);
}

Test(scalar_ops, loads)
{
	const uint64_t bases[] = { 0, GM_DATA + 64 };

	for (int i = 0; i < 2; i++) {
		load_case(bases[i], 0, 0xffffffffffffff88);
		load_case(bases[i], 1, 0xffffffffffff8988);
		load_case(bases[i], 2, 0xffffffff8b8a8988);
		load_case(bases[i], 3, 0x8f8e8d8c8b8a8988);
		load_case(bases[i], 4, 0x88);
		load_case(bases[i], 5, 0x8988);
		load_case(bases[i], 6, 0x8b8a8988);
	}
}

Test(scalar_ops, stores_touch_their_bytes_only)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint64_t bases[] = { 0, GM_DATA };

	for (int place = 0; place < 2; place++) {
		for (uint32_t f3 = 0; f3 < 4; f3++) {
			const uint32_t code[] = { as_s(0x23, f3, A0, A1, 8), as_s(0x23, f3, A0, A2, -32), RET };
			const int size = 1 << f3;
			cr_assert(rig_init(&r, &chip, code, 3));
			uint8_t *m = place ? r.data->host : r.mem.buf[SPACE_UB];
			memset(m, 0xee, 64);
			r.s.x[A0] = 0x1716151413121110;
			r.s.x[A1] = bases[place];
			r.s.x[A2] = bases[place] + 64;
			cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
			cr_assert(scalar_cache_all(&r.s, true, true, &r.f));
			for (int i = 0; i < 64; i++) {
				int k = i >= 32 ? i - 32 : i - 8;
				cr_assert_eq(m[i], k >= 0 && k < size ? 0x10 + k : 0xee, "funct3 %u byte %d", f3, i);
			}
			rig_free(&r);
		}
	}
}

Test(scalar_ops, float_loads_box_and_stores_cut)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = {
		as_i(0x07, 1, 1, A1, 8), as_i(0x07, 2, 2, A1, 8), as_i(0x07, 3, 3, A1, 8), /* flh flw fld */
		as_s(0x27, 1, 3, A1, 16), as_s(0x27, 2, 3, A1, 24), as_s(0x27, 3, 3, A1, 32), RET,
	};

	cr_assert(rig_init(&r, &chip, code, 7));
	rig_set_u64(&r, GM_DATA + 8, 0x8877665544332211);
	r.s.x[A1] = GM_DATA;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	cr_assert_eq(r.s.f[1], 0xffffffffffff2211);
	cr_assert_eq(r.s.f[2], 0xffffffff44332211);
	cr_assert_eq(r.s.f[3], 0x8877665544332211);
	cr_assert(scalar_cache_all(&r.s, true, true, &r.f));
	cr_assert_eq(rig_u64(&r, GM_DATA + 16), 0x2211);
	cr_assert_eq(rig_u64(&r, GM_DATA + 24), 0x44332211);
	cr_assert_eq(rig_u64(&r, GM_DATA + 32), 0x8877665544332211);
	rig_free(&r);
}

/* Is the branch taken? */
static bool branches(uint32_t f3, uint64_t a, uint64_t b)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = { as_b(f3, A1, A2, 8), ADDI(A0, A0, 1), ADDI(A0, A0, 2), RET };

	cr_assert(rig_init(&r, &chip, code, 4));
	r.s.x[A1] = a;
	r.s.x[A2] = b;
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	uint64_t v = r.s.x[A0];
	cr_assert(v == 2 || v == 3);
	cr_assert_eq(r.s.instret, v == 2 ? 3 : 4);
	rig_free(&r);
	return v == 2;
}

Test(scalar_ops, branches)
{
	/* columns: beq bne blt bge bltu bgeu */
	static const uint32_t f3[] = { 0, 1, 4, 5, 6, 7 };
	static const struct { uint64_t a, b; const char *taken; } rows[] = {
		{ 5, 5, "100101" }, { 5, 6, "011010" }, { 6, 5, "010101" }, { ONES, 0, "011001" }, { 0, ONES, "010110" },
		{ MIN64, MAX64, "011001" }, { 1, 0x100000001, "011010" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		for (int k = 0; k < 6; k++)
			cr_assert_eq(branches(f3[k], rows[i].a, rows[i].b), rows[i].taken[k] == '1', "row %zu funct3 %u", i,
				     f3[k]);
}

Test(scalar_ops, jumps_and_links)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = {
		/* 0 */ JAL(A0, 12),
		/* 1 */ JALR(A2, A1, 9),  /* to word 5: the low bit of the sum is dropped */
		/* 2 */ 0,
		/* 3 */ AUIPC(A1, 0),
		/* 4 */ JAL(A3, -12),
		/* 5 */ ADDI(A1, A1, 12), /* word 6 */
		/* 6 */ JALR(A1, A1, 4),  /* rd = rs1: the target is made from the old value */
		/* 7 */ RET,
	};

	cr_assert(rig_init(&r, &chip, code, 8));
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	cr_assert_eq(r.s.x[A0], GM_BASE + 4);
	cr_assert_eq(r.s.x[A3], GM_BASE + 20);
	cr_assert_eq(r.s.x[A2], GM_BASE + 8);
	cr_assert_eq(r.s.x[A1], GM_BASE + 28);
	/* 0 3 4 1 5 6 7 */
	cr_assert_eq(r.s.instret, 7);
	rig_free(&r);
}

Test(scalar_ops, counters)
{
	static struct rig r;
	const struct chip chip = rig_chip();
	const uint32_t code[] = {
		ADDI(T0, ZERO, 3), ADDI(T0, T0, -1), BNE(T0, ZERO, -4),
		CSRRS(A0, 0xc00, ZERO), CSRRS(A1, 0xc02, ZERO), CSRRS(A2, 0xc01, ZERO), RET,
	};

	cr_assert(rig_init(&r, &chip, code, 7));
	scalar_start(&r.s, 720000, NULL, 0, NULL);
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	/* 1 + 3 x 2 instructions before the first read, one more before the second */
	cr_assert_eq(r.s.x[A1], 8);
	cr_assert_eq(r.s.instret, 11);
	/* fetch 1000; groups: 0; then 1 2, 5 6, 9 10 (a taken branch costs 1 + 2); the read issues at 11 */
	cr_assert_eq(r.s.x[A0], 720000 + 1000 + 11);
	/* 721025 cycles at 1800 MHz are 20028.4 ticks of 50 MHz */
	cr_assert_eq(r.s.x[A2], 20028);
	rig_free(&r);
}

/* The benchmark's program, compiled for the host, gives the same number. */
#define entry mix_on_host
#include "bench/mix/mix.c"
#undef entry

Test(scalar_ops, compiled_program)
{
	static const uint32_t mix[] = {
#include "bench/mix/mix.inc"
	};
	static struct rig r;
	static uint64_t memory[RIG_DATA_BYTES / 8];
	const struct chip chip = rig_chip();
	const uint64_t args[] = { GM_DATA, 3 };

	cr_assert(rig_init(&r, &chip, mix, sizeof(mix) / 4));
	scalar_start(&r.s, 0, args, 2, NULL);
	cr_assert_eq(scalar_run(&r.s, INT64_MAX, &r.f), SCALAR_RETURN, "%s", r.f.what);
	cr_assert_eq(r.s.x[A0], mix_on_host((uint8_t *)memory, 3));
	cr_assert(scalar_cache_all(&r.s, true, true, &r.f));
	cr_assert_arr_eq(r.data->host, memory, RIG_DATA_BYTES);
	rig_free(&r);
}
