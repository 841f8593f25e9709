/*
 * cube_mad_test.c - mad against plain loops (ref/cube_ref.c): every type combination, sizes with tails, starts from C, bias
 * and 0; every path of the host gives the same bits; one planted mistake per limit.
 */
#include "../sim/cube.h"
#include "ref/cube_ref.h"
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct combo { enum isa_type c, a, b; enum ref_type rc, ra, rb; bool hf32; };

static uint64_t mad_word(uint64_t m, uint64_t k, uint64_t n, uint64_t flag, uint64_t k_align, uint64_t c_source,
	uint64_t init)
{
	return m | k << 12 | n << 24 | flag << 55 | k_align << 58 | c_source << 62 | init << 63;
}

/* Bytes of a floating-point operand become numbers of moderate size, or stay anything at all. */
static void tame(struct unit_rig *r, enum isa_space s, enum ref_type t, uint64_t bytes, bool wild)
{
	for (uint64_t i = 0; i < bytes && !wild; i++) {
		uint8_t *b = unit_at(r, s, i);
		if ((t == REF_F16 || t == REF_BF16) && i % 2 == 1)
			*b = (uint8_t)((*b & 0x83) | 0x38);
		if (t == REF_F32 && i % 4 == 3)
			*b = (uint8_t)((*b & 0x81) | 0x3e);
	}
}

/* hf32 operands keep 10 mantissa bits: round the operand bytes themselves, so that the reference sees them. */
static void cut_hf32(struct unit_rig *r, enum isa_space s, uint64_t bytes, bool away)
{
	for (uint64_t i = 0; i < bytes; i += 4) {
		uint32_t u, half = 1u << 12, rest;
		memcpy(&u, unit_at(r, s, i), 4);
		rest = u & 0x1fff;
		u &= ~0x1fffu;
		if (rest > half || (rest == half && (away || u & 0x2000)))
			u += 0x2000;
		memcpy(unit_at(r, s, i), &u, 4);
	}
}

static void one_mad(struct unit_rig *r, enum isa_id id, unsigned variant, const struct combo *q, bool wild)
{
	enum { LIMIT = 60000 };
	uint32_t k0 = q->ra == REF_F32 ? 8 : q->ra == REF_S4 ? 64 : q->ra == REF_F16 || q->ra == REF_BF16 ? 16 : 32;
	struct ref_mad p = { .a = q->ra, .b = q->rb, .c = q->rc };
	bool half = q->rc == REF_F16;

	do {
		p.m = unit_between(r, 0, 9) ? (uint32_t)unit_between(r, 1, 80) : 1;
		p.k = (uint32_t)unit_between(r, 1, 150);
		p.n = (uint32_t)unit_between(r, 1, 80);
	} while (((p.k + 2 * k0) / k0) * ((p.m > p.n ? p.m : p.n) + 15) / 16 * 512 > LIMIT);
	p.k_align = q->ra == REF_F32 && unit_between(r, 0, 1);
	p.zero = unit_between(r, 0, 2) == 0;
	bool biased = !half && unit_between(r, 0, 1);
	tame(r, SPACE_L0A, q->ra, LIMIT, wild);
	tame(r, SPACE_L0B, q->rb, LIMIT, wild);
	tame(r, SPACE_L0C, q->rc == REF_S32 ? REF_S32 : q->rc, 65536, wild);
	tame(r, SPACE_BT, q->rc == REF_S32 ? REF_S32 : REF_F32, (uint64_t)r->mem.size[SPACE_BT], wild);
	uint64_t a = 0, b = 512 * unit_between(r, 0, 3), c = 64 * unit_between(r, 0, 20), bias = 64 * unit_between(r, 0,
		3);
	if (biased)
		p.bias = unit_at(r, SPACE_BT, bias);
	unit_run(r, id, variant, c | bias << 32, a, b, mad_word(p.m, p.k, p.n, 0, p.k_align, biased, p.zero));
	if (q->hf32) {
		cut_hf32(r, SPACE_L0A, 65536, r->op.spr.ctrl >> 47 & 1);
		cut_hf32(r, SPACE_L0B, 65536, r->op.spr.ctrl >> 47 & 1);
	}
	uint64_t size = (uint64_t)r->mem.size[SPACE_L0C];
	uint8_t *want = malloc(size);
	memcpy(want, r->before[SPACE_L0C], size);
	ref_mad(&p, unit_at(r, SPACE_L0A, a), unit_at(r, SPACE_L0B, b), want + c);
	for (uint64_t i = 0; i < size; i += 4)
		cr_assert(memcmp(want + i, unit_at(r, SPACE_L0C, i), 4) == 0,
			  "%ux%ux%u zero %d bias %d align %d: C byte %" PRIu64 " is %08x, not %08x, seed %" PRIu64, p.m,
				p.k, p.n,
			  p.zero, biased, p.k_align, i, *(uint32_t *)(void *)unit_at(r, SPACE_L0C, i),
				*(uint32_t *)(void *)(want + i),
			  r->seed);
	cr_assert_eq(r->e.macs, (uint64_t)p.m * p.k * p.n);
	free(want);
}

static void mads(const char *chip, enum isa_core kind, struct combo q, uint64_t seed)
{
	struct unit_rig r;
	enum isa_id id = q.ra == REF_S4 ? INSN_mad_s4 : INSN_mad;

	unit_open(&r, chip, kind, seed);
	unsigned variant = q.ra == REF_S4 ? 0 : unit_variant(id, q.c, q.a, q.b);
	for (int round = 0; round < 12; round++) {
		r.op.spr.ctrl = CTRL_RESET | (q.hf32 ? UINT64_C(1) << 46 : 0) | (uint64_t)(round & 1) << 47;
		one_mad(&r, id, variant, &q, round >= 9);
	}
	unit_close(&r);
}

#define SPLIT "ascend910b1", CORE_CUBE
Test(cube_mad, f16) { mads(SPLIT, (struct combo){ TYPE_F32, TYPE_F16, TYPE_F16, REF_F32, REF_F16, REF_F16, false },
	1); }
Test(cube_mad, bf16) { mads(SPLIT, (struct combo){ TYPE_F32, TYPE_BF16, TYPE_BF16, REF_F32, REF_BF16, REF_BF16, false },
	2); }
Test(cube_mad, f32) { mads(SPLIT, (struct combo){ TYPE_F32, TYPE_F32, TYPE_F32, REF_F32, REF_F32, REF_F32, false },
	3); }
Test(cube_mad, hf32) { mads(SPLIT, (struct combo){ TYPE_F32, TYPE_F32, TYPE_F32, REF_F32, REF_F32, REF_F32, true },
	4); }
Test(cube_mad, s8) { mads(SPLIT, (struct combo){ TYPE_S32, TYPE_S8, TYPE_S8, REF_S32, REF_S8, REF_S8, false }, 5); }
Test(cube_mad, s4) { mads(SPLIT, (struct combo){ TYPE_S32, TYPE_S4, TYPE_S4, REF_S32, REF_S4, REF_S4, false }, 6); }

/* The fused chip has no bias table: c_source must be off there, which one_mad's random choice does not know. */
static void fused_mad(struct combo q, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910", CORE_FUSED, seed);
	unsigned variant = unit_variant(INSN_mad, q.c, q.a, q.b);
	for (int round = 0; round < 8; round++) {
		struct ref_mad p = { .a = q.ra, .b = q.rb, .c = q.rc, .m = (uint32_t)unit_between(&r, 2, 60),
				     .k = (uint32_t)unit_between(&r, 1, 90), .n = (uint32_t)unit_between(&r, 1, 60),
					.zero = round % 2 };
		uint8_t want[64 * 64 * 4];
		tame(&r, SPACE_L0A, q.ra, 65536, false);
		tame(&r, SPACE_L0B, q.rb, 65536, false);
		tame(&r, SPACE_L0C, q.rc, sizeof(want), false);
		unit_run(&r, INSN_mad, variant, 0, 0, 0, mad_word(p.m, p.k, p.n, 0, 0, 0, p.zero));
		memcpy(want, r.before[SPACE_L0C], sizeof(want));
		ref_mad(&p, unit_at(&r, SPACE_L0A, 0), unit_at(&r, SPACE_L0B, 0), want);
		cr_assert_eq(memcmp(want, unit_at(&r, SPACE_L0C, 0), sizeof(want)), 0, "%ux%ux%u seed %" PRIu64, p.m,
			p.k, p.n, seed);
	}
	unit_close(&r);
}

Test(cube_mad, f16_to_f16) { fused_mad((struct combo){ TYPE_F16, TYPE_F16, TYPE_F16, REF_F16, REF_F16, REF_F16, false },
	7); }
Test(cube_mad, u8s8) { fused_mad((struct combo){ TYPE_S32, TYPE_U8, TYPE_S8, REF_S32, REF_U8, REF_S8, false }, 8); }
Test(cube_mad, u8u8) { fused_mad((struct combo){ TYPE_U32, TYPE_U8, TYPE_U8, REF_S32, REF_U8, REF_U8, false }, 9); }
Test(cube_mad, u8u8_signed) { fused_mad((struct combo){ TYPE_S32, TYPE_U8, TYPE_U8, REF_S32, REF_U8, REF_U8, false }, 10); }

/* Every path of this host, on bytes that include inf, NaN and subnormals. */
static void paths(enum isa_type a, enum isa_type c, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, SPLIT, seed);
	for (int round = 0; round < 12; round++) {
		uint32_t k0 = 256 / isa_type_bits(a), k = (uint32_t)unit_between(&r, 1, 60),
			m = (uint32_t)unit_between(&r, 1, 70);
		uint32_t n = (uint32_t)unit_between(&r, 1, 70);
		struct cube_mad j = { .type_a = a, .type_b = a, .type_c = c, .m = m, .k = k, .n = n,
			.m1 = (m + 15) / 16,
				      .k1 = (k + k0 - 1) / k0, .n1 = (n + 15) / 16, .k0 = k0, .gemv = m == 1,
				      .a = unit_at(&r, SPACE_L0A, 0), .b = unit_at(&r, SPACE_L0B, 0),
					.zero = round % 3 == 0, .keep = true };
		static uint8_t out[3][128 * 1024];
		tame(&r, SPACE_L0A, a == TYPE_F32 ? REF_F32 : REF_F16, 65536, round % 4 == 0);
		tame(&r, SPACE_L0B, a == TYPE_F32 ? REF_F32 : REF_F16, 65536, round % 4 == 0);
		for (int path = CUBE_PLAIN; path <= CUBE_AVX512; path++) {
			memcpy(out[path], unit_at(&r, SPACE_L0C, 0), sizeof(out[path]));
			j.c = out[path];
			cube_run(&j, (enum cube_path)path);
			cr_assert_eq(memcmp(out[path], out[0], sizeof(out[0])), 0,
				"path %d of type %s, %ux%ux%u, seed %" PRIu64, path,
				     isa_type_name(a), m, k, n, seed);
		}
	}
	unit_close(&r);
}

Test(cube_paths, f16) { paths(TYPE_F16, TYPE_F32, 11); }
Test(cube_paths, f16_result) { paths(TYPE_F16, TYPE_F16, 12); }
Test(cube_paths, bf16) { paths(TYPE_BF16, TYPE_F32, 13); }
Test(cube_paths, f32) { paths(TYPE_F32, TYPE_F32, 14); }
Test(cube_paths, s8) { paths(TYPE_S8, TYPE_S32, 15); }
Test(cube_paths, s4) { paths(TYPE_S4, TYPE_S32, 16); }

/* C first, then the products in order of k: 2^24 + 1 + 1 stays 2^24 in fp32, 1 + 1 + 2^24 would not. */
Test(cube_mad, order_of_accumulation)
{
	struct unit_rig r;
	const uint16_t one = 0x3c00;
	float c = 16777216.0f, got;

	unit_open(&r, SPLIT, 21);
	memset(unit_at(&r, SPACE_L0A, 0), 0, 512);
	memset(unit_at(&r, SPACE_L0B, 0), 0, 512);
	for (unsigned k = 0; k < 2; k++) {
		memcpy(unit_at(&r, SPACE_L0A, 2 * k), &one, 2);
		memcpy(unit_at(&r, SPACE_L0B, 2 * k), &one, 2);
	}
	memcpy(unit_at(&r, SPACE_L0C, 0), &c, 4);
	unit_run(&r, INSN_mad, unit_variant(INSN_mad, TYPE_F32, TYPE_F16, TYPE_F16), 0, 0, 0, mad_word(16, 16, 16, 0, 0,
		0, 0));
	memcpy(&got, unit_at(&r, SPACE_L0C, 0), 4);
	cr_assert_eq(got, 16777216.0f);
	unit_close(&r);
}

Test(cube_mad, effect)
{
	struct unit_rig r;
	unsigned f16, f32;

	unit_open(&r, SPLIT, 22);
	f16 = unit_variant(INSN_mad, TYPE_F32, TYPE_F16, TYPE_F16);
	f32 = unit_variant(INSN_mad, TYPE_F32, TYPE_F32, TYPE_F32);
	/* the documented example: M 30, K 70, N 40 is stored as 32 x 80 x 48 */
	unit_run(&r, INSN_mad, f16, 0, 0, 0, mad_word(30, 70, 40, 0, 0, 0, 1));
	cr_assert_eq(r.e.macs, 30u * 70 * 40);
	cr_assert_eq(r.e.cube_steps, 2u * 5 * 3);
	cr_assert_eq(r.e.access[0].unit_bytes, 2u * 5 * 512);
	cr_assert_eq(r.e.access[1].unit_bytes, 5u * 3 * 512);
	/* fp32: 70 is stored as 72, with k_align as 80; a step takes four */
	unit_run(&r, INSN_mad, f32, 0, 0, 0, mad_word(30, 70, 40, 0, 0, 0, 1));
	cr_assert_eq(r.e.access[0].unit_bytes, 2u * 9 * 512);
	cr_assert_eq(r.e.cube_steps, 2u * 3 * (72 / (unsigned)r.chip.cube.k0_f32));
	unit_run(&r, INSN_mad, f32, 0, 0, 0, mad_word(30, 70, 40, 0, 1, 0, 1));
	cr_assert_eq(r.e.access[0].unit_bytes, 2u * 10 * 512);
	unit_run(&r, INSN_mad, f16, 0, 0, 0, mad_word(1, 70, 40, 0, 0, 0, 1));
	cr_assert_eq(r.e.access[0].unit_bytes, 140u, "one row: A is a plain vector");
	for (int i = 0; i < 3; i++) {
		unit_run(&r, INSN_mad, f16, 0, 0, 0, mad_word(i != 0, i != 1, i != 2, 0, 0, 0, 1));
		cr_assert(r.e.nop);
	}
	unit_close(&r);
}

Test(cube_mad, limits)
{
	struct unit_rig r;
	unsigned v;
	uint64_t w = mad_word(16, 16, 16, 0, 0, 0, 0);

	unit_open(&r, SPLIT, 23);
	v = unit_variant(INSN_mad, TYPE_F32, TYPE_F16, TYPE_F16);
	unit_refuse(&r, FAIL_KERNEL, "A address 0x100 in L0A is not a multiple of 512", INSN_mad, v, 0, 256, 0, w);
	unit_refuse(&r, FAIL_KERNEL, "B address 0x20 in L0B is not a multiple of 512", INSN_mad, v, 0, 0, 32, w);
	unit_refuse(&r, FAIL_KERNEL, "C address 0x20 in L0C is not a multiple of 64", INSN_mad, v, 32, 0, 0, w);
	unit_refuse(&r, FAIL_KERNEL, "bias address 0x20 in BT is not a multiple of 64", INSN_mad, v, UINT64_C(32) << 32,
		0, 0,
		   mad_word(16, 16, 16, 0, 0, 1, 0));
	unit_refuse(&r, FAIL_KERNEL, "unit flag mode 1", INSN_mad, v, 0, 0, 0, mad_word(16, 16, 16, 1, 0, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_mad, v, 0, 0, 0, w | UINT64_C(1) << 40);
	unit_refuse(&r, FAIL_KERNEL, "reads L0A bytes", INSN_mad, v, 0, 65536 - 512, 0, mad_word(17, 16, 16, 0, 0, 0,
		0));
	unit_refuse(&r, FAIL_KERNEL, "reads L0B bytes", INSN_mad, v, 0, 0, 65536 - 512, mad_word(16, 17, 16, 0, 0, 0,
		0));
	unit_refuse(&r, FAIL_KERNEL, "writes L0C bytes", INSN_mad, v, 131072 - 1024, 0, 0, mad_word(16, 16, 17, 0, 0, 0,
		0));
	unit_refuse(&r, FAIL_KERNEL, "reads BT bytes", INSN_mad, v, UINT64_C(960) << 32, 0, 0, mad_word(16, 16, 17, 0,
		0, 1, 0));
	unit_run(&r, INSN_mad, v, 131072 - 1024, 65536 - 512, 65536 - 512, w);
	unit_run(&r, INSN_mad, v, UINT64_C(960) << 32, 0, 0, mad_word(16, 16, 16, 3, 0, 1, 0));
	unit_close(&r);
}
