/*
 * isa_vector.c - vector rows that the common sweep leaves out: results in half blocks, region proposals, rows of 310P alone,
 * vreduce; loops from the public pages against the unit, one planted mistake per limit.
 */
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ROUNDS = 12 };

static float as_float(uint32_t u)
{
	float f;
	memcpy(&f, &u, 4);
	return f;
}

static int16_t s16_at(const uint8_t *p)
{
	int16_t v;
	memcpy(&v, p, 2);
	return v;
}

/* Parameters: scale, offset, sign. */
static uint64_t parameter(struct unit_rig *r, bool is_signed)
{
	float scale = (float)unit_between(r, 1, 1000) / 3000.0f;
	uint32_t bits;
	memcpy(&bits, &scale, 4);
	return bits | (unit_random(r) & 511) << 37 | (uint64_t)is_signed << 46;
}

static uint8_t eight(uint64_t q, int x, bool is_signed)
{
	int64_t offset = (int64_t)(q >> 37 & 511);
	int64_t v = layout_rint((double)((float)x * as_float((uint32_t)q)), -256, 255) + (offset > 255 ? offset - 512 : offset);
	int64_t low = is_signed ? -128 : 0, high = is_signed ? 127 : 255;
	return (uint8_t)(v < low ? low : v > high ? high : v);
}

struct half { enum isa_id id; bool high, channels, add; uint64_t rs2; const char *chip; enum isa_core kind; };

static void half_blocks(const struct half *h, unsigned variant, uint64_t seed)
{
	struct unit_rig r;
	unit_open(&r, h->chip, h->kind, seed);
	bool is_signed = isa_operand_type(h->id, variant, 0) == TYPE_S8;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t n = unit_between(&r, 1, 4), blk = unit_between(&r, 1, 2), rep = unit_between(&r, 0, 20);
		uint64_t sblk = unit_between(&r, 0, 2), srep = unit_between(&r, 0, 20), table = 0x18000;
		uint64_t src = 0, src1 = 0x8000, dst = 0x10000;
		bool counter = round % 3 == 2;
		uint64_t count = unit_between(&r, 0, 300);
		r.op.spr.ctrl = CTRL_RESET | (uint64_t)counter << CTRL_COUNTER;
		r.op.spr.mask_lo = counter ? count : round % 3 ? unit_random(&r) : UINT64_MAX;
		r.op.spr.mask_hi = round % 3 ? unit_random(&r) : UINT64_MAX;
		for (uint64_t i = 0; i < 0x4000; i += 2) /* sums and products of both signs, some in range */
			if (i % 8) {
				int16_t v = (int16_t)(unit_between(&r, 0, 2000) - 1000);
				memcpy(unit_at(&r, SPACE_UB, src + i), &v, 2);
			}
		uint64_t q[16];
		for (int i = 0; i < 16; i++)
			q[i] = parameter(&r, is_signed);
		memcpy(unit_at(&r, SPACE_UB, table), q, 128);
		r.op.spr.deqscale = h->channels ? table / 32 : q[0];
		uint64_t word = h->add ? blk | sblk << 8 | sblk << 16 | rep << 24 | srep << 32 | srep << 40 |
						 (uint64_t)h->high << 48 | n << 56
				       : blk | sblk << 16 | rep << 32 | srep << 40 | n << 56;
		unit_run(&r, h->id, variant, dst, src, h->add ? src1 : h->rs2, word);
		uint8_t want[0x2000];
		memcpy(want, unit_before(&r, SPACE_UB, dst), sizeof want);
		for (uint64_t k = 0; k < (counter ? (count + 127) / 128 : n); k++)
			for (uint64_t i = 0; i < 128; i++) {
				bool on = counter ? k * 128 + i < count : (i < 64 ? r.op.spr.mask_lo >> i :
					r.op.spr.mask_hi >> (i - 64)) & 1;
				uint64_t from = (k * srep + i / 16 * sblk) * 32 + i % 16 * 2;
				int x = s16_at(unit_before(&r, SPACE_UB, src + from));
				if (h->add)
					x += s16_at(unit_before(&r, SPACE_UB, src1 + from));
				if (h->add && x < 0)
					x = 0;
				if (on)
					want[(k * rep + i / 16 * blk) * 32 + (h->high ? 16 : 0) + i % 16] =
						eight(q[h->channels ? i % 16 : 0], x, is_signed);
			}
		for (uint64_t i = 0; i < sizeof want; i++)
			cr_assert_eq(want[i], *unit_at(&r, SPACE_UB, dst + i), "%s byte %" PRIu64 " round %d seed %" PRIu64,
				     isa_table[h->id].name, i, round, seed);
	}
	uint64_t ok = h->add ? 1 | 1 << 8 | 1 << 16 | UINT64_C(1) << 56 : 1 | 1 << 16 | UINT64_C(1) << 56;
	r.op.spr.ctrl = CTRL_RESET;
	r.op.spr.deqscale = h->channels ? 0 : parameter(&r, is_signed);
	uint64_t rs2 = h->add ? 0x8000 : h->rs2;
	unit_refuse(&r, FAIL_KERNEL, "dst address 0x10 is not 32-byte aligned", h->id, variant, 16, 0x4000, rs2, ok);
	unit_refuse(&r, FAIL_KERNEL, "src address 0x4010 is not 32-byte aligned", h->id, variant, 0, 0x4010, rs2, ok);
	unit_refuse(&r, FAIL_KERNEL, "destination block stride 0", h->id, variant, 0, 0x4000, rs2, ok & ~UINT64_C(255));
	unit_refuse(&r, FAIL_KERNEL, "overlap", h->id, variant, 0x4020, 0x4000, rs2, ok);
	unit_refuse(&r, FAIL_KERNEL, "reads UB bytes", h->id, variant, 0, (uint64_t)r.mem.size[SPACE_UB] - 32, rs2, ok);
	if (h->channels)
		memset(unit_at(&r, SPACE_UB, 0), is_signed ? 0 : 0xff, 128);
	else
		r.op.spr.deqscale = (uint64_t)!is_signed << 46;
	unit_refuse(&r, FAIL_KERNEL, is_signed ? "is for u8 results" : "is for s8 results", h->id, variant, 0x2000, 0x4000,
		rs2, ok);
	unit_close(&r);
}

static const struct half halves[] = {
	{ INSN_vconv_deqs162b8h, true, false, false, 0, "ascend910b1", CORE_VEC },
	{ INSN_vconv_deqs162b8l, false, false, false, 0, "ascend910b1", CORE_VEC },
	{ INSN_vconv_vdeqs162b8h, true, true, false, 0, "ascend910b1", CORE_VEC },
	{ INSN_vconv_vdeqs162b8l, false, true, false, 0, "ascend910b1", CORE_VEC },
	{ INSN_vaddreluconv_vdeqs162b8, false, true, true, 0, "ascend910b1", CORE_VEC },
	{ INSN_vaddreluconv_vdeqs162b8, true, true, true, 0, "ascend910b1", CORE_VEC },
	{ INSN_vconv_deqs162b8, false, false, false, 1, "ascend310p", CORE_FUSED },
	{ INSN_vconv_deqs162b8, true, false, false, 0, "ascend310p", CORE_FUSED },
	{ INSN_vconv_vdeqs162b8, false, true, false, 1, "ascend310p", CORE_FUSED },
	{ INSN_vconv_vdeqs162b8, true, true, false, 0, "ascend310p", CORE_FUSED },
};

Test(isa_vector, results_in_half_blocks)
{
	for (size_t i = 0; i < sizeof halves / sizeof *halves; i++)
		for (unsigned v = 0; v < 2; v++)
			half_blocks(&halves[i], v, 200 + 2 * i + v);
}

/* f16(max(a + b, 0) * scale): the product is exact in a double, rounded once. */
Test(isa_vector, add_dequantise_relu)
{
	struct unit_rig r;
	unit_open(&r, "ascend310p", CORE_FUSED, 230);
	for (int round = 0; round < ROUNDS; round++) {
		uint16_t scale = (uint16_t)unit_between(&r, 0x0400, 0x5000);
		/* all lanes, a mask with holes, 150 elements counted */
		r.op.spr.ctrl = CTRL_RESET | (uint64_t)(round % 3 == 2) << CTRL_COUNTER;
		r.op.spr.mask_lo = round % 3 == 2 ? 150 : round % 3 ? UINT64_C(0xf0f0f0f0f0f0f0f0) : UINT64_MAX;
		r.op.spr.deqscale = scale;
		for (uint64_t i = 0; i < 0x8000 && round % 2; i += 4) { /* every other round with small sums */
			int32_t v = (int32_t)unit_between(&r, 0, 4000) - 2000;
			memcpy(unit_at(&r, SPACE_UB, i), &v, 4);
		}
		unit_run(&r, INSN_vadddeqrelu, 0, 0x10000, 0, 0x4000,
			 1 | 1 << 8 | 1 << 16 | 4 << 24 | UINT64_C(8) << 32 | UINT64_C(8) << 40 | UINT64_C(3) << 56);
		for (uint64_t i = 0; i < 3 * 64; i++) {
			int32_t a, b;
			uint16_t got;
			memcpy(&a, unit_at(&r, SPACE_UB, 4 * i), 4);
			memcpy(&b, unit_at(&r, SPACE_UB, 0x4000 + 4 * i), 4);
			memcpy(&got, unit_at(&r, SPACE_UB, 0x10000 + 2 * i), 2);
			double sum = (double)a + (double)b;
			bool on = round % 3 == 2 ? i < 150 : r.op.spr.mask_lo >> i % 64 & 1;
			cr_assert_eq(got, !on ? *(const uint16_t *)(const void *)unit_before(&r, SPACE_UB, 0x10000 + 2 * i) :
				layout_to_half((sum < 0 ? 0 : sum) * layout_half(scale)), "lane %" PRIu64 " round %d", i,
				round);
		}
	}
	unit_close(&r);
}

Test(isa_vector, narrowing_to_s16)
{
	struct unit_rig r;
	unit_open(&r, "ascend310p", CORE_FUSED, 231);
	for (int round = 0; round < 3; round++) { /* as above */
		r.op.spr.ctrl = CTRL_RESET | (uint64_t)(round == 2) << CTRL_COUNTER;
		r.op.spr.mask_lo = round == 2 ? 500 : round ? UINT64_C(0x3333333333333333) : UINT64_MAX;
		unit_run(&r, INSN_vcbd_s322s16, 0, 0x10000, 0, 0,
			 1 | 1 << 16 | UINT64_C(4) << 32 | UINT64_C(8) << 40 | UINT64_C(8) << 56);
		for (uint64_t i = 0; i < 8 * 64; i++) {
			int32_t a;
			memcpy(&a, unit_at(&r, SPACE_UB, 4 * i), 4);
			bool on = round == 2 ? i < 500 : r.op.spr.mask_lo >> i % 64 & 1;
			cr_assert_eq(s16_at(unit_at(&r, SPACE_UB, 0x10000 + 2 * i)),
				     !on ? s16_at(unit_before(&r, SPACE_UB, 0x10000 + 2 * i))
					 : a > 32767 ? 32767 : a < -32768 ? -32768 : a);
		}
	}
	unit_close(&r);
}

static void proposals(enum isa_id id, const char *chip, uint64_t seed)
{
	struct unit_rig r;
	bool extract = id == INSN_vextract;
	unit_open(&r, chip, CORE_FUSED, seed);
	for (unsigned v = 0; v < 2; v++)
		for (int round = 0; round < ROUNDS; round++) {
			uint64_t bytes = v ? 4 : 2, n = unit_between(&r, 1, 5), mode = (uint64_t)round % 6, records = 0x1000,
				column = 0x8000;
			unit_run(&r, id, v, extract ? column : records, extract ? records : column, 0, mode | n << 56);
			for (uint64_t i = 0; i < 16 * n; i++)
				cr_assert(memcmp(unit_at(&r, SPACE_UB, records + (8 * i + mode) * bytes),
						 unit_at(&r, SPACE_UB, column + i * bytes), bytes) == 0);
		}
	uint64_t one = UINT64_C(1) << 56;
	unit_refuse(&r, FAIL_KERNEL, "coordinate 6", id, 0, 0, 0x1000, 0, 6 | one);
	unit_refuse(&r, FAIL_KERNEL, "dst address 0x10", id, 0, 16, 0x1000, 0, one);
	unit_refuse(&r, FAIL_KERNEL, "src address 0x1010", id, 0, 0, 0x1010, 0, one);
	unit_refuse(&r, FAIL_KERNEL, "overlap", id, 0, 0x1000, 0x1000, 0, one);
	unit_refuse(&r, FAIL_KERNEL, "UB bytes", id, 0, (uint64_t)r.mem.size[SPACE_UB] - 32, 0, 0, one | one << 1);
	unit_refuse(&r, FAIL_KERNEL, "UB bytes", id, 0, 0, (uint64_t)r.mem.size[SPACE_UB] - 32, 0, one | one << 1);
	unit_run(&r, id, 0, 0, 0, 0, 0);
	cr_assert(r.e.nop);
	unit_close(&r);
}

Test(isa_vector, proposals)
{
	proposals(INSN_vextract, "ascend910", 232);
	proposals(INSN_vconcat, "ascend310p", 233);
}

/* vreduce: the same words as vreducev2, also on 310P. */
Test(isa_vector, first_version_of_gather_mask)
{
	struct unit_rig r;
	unit_open(&r, "ascend310p", CORE_FUSED, 234);
	for (unsigned v = 0; v < 2; v++)
		for (uint64_t pattern = 0; pattern <= 7; pattern++) {
			uint64_t bytes = v ? 4 : 2, n = 2, to = 0x8000, kept = 0, per = 256 / bytes;
			unit_run(&r, INSN_vreduce, v, to, 0, 0x4000, 1 | pattern << 8 | 8 << 16 | UINT64_C(1) << 32 | n << 40);
			for (uint64_t i = 0; i < n * per; i++) {
				uint64_t k = i % per;
				bool bit = *unit_before(&r, SPACE_UB, 0x4000 + i / per * 32 + k / 8) >> k % 8 & 1;
				bool keep = pattern == 0 ? bit : pattern == 7 ? true : pattern < 3 ? k % 2 == pattern - 1 :
					k % 4 == pattern - 3;
				if (keep)
					cr_assert(memcmp(unit_at(&r, SPACE_UB, to + kept++ * bytes), unit_before(&r, SPACE_UB,
						i * bytes),
							 bytes) == 0, "pattern %" PRIu64 " element %" PRIu64, pattern, i);
			}
			cr_assert_eq(r.mem.rsvd_cnt, kept);
		}
	unit_close(&r);
}
