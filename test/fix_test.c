/*
 * fix_test.c - copy_matrix_cc_to_gm and _to_cbuf against ref/fix_ref.c and the layouts of hardware.md 3.6 and 4: every mode
 * with seeded sizes and strides, relu, merge, split, rows, atomics; one planted mistake per limit.
 */
#include "ref/fix_ref.h"
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 16 };

struct fix_case {
	enum isa_type dst, src;
	enum ref_quant quant;
	unsigned mode;       /* QuantMode_t */
	bool vector;
};

struct fix_shape { uint64_t n, m, dst_stride, src_stride, unit, relu, split, nd; };

static uint64_t word_m(const struct fix_shape *s) { return s->n << 4 | s->m << 16 | s->dst_stride << 32; }
static uint64_t word_t(const struct fix_shape *s, unsigned mode)
{
	return s->src_stride | s->unit << 32 | (uint64_t)mode << 34 | s->relu << 39 | s->split << 42 | s->nd << 43;
}

static uint64_t quant_random(struct unit_rig *r, bool is_signed)
{
	uint64_t exponent = unit_between(r, 118, 129), q = exponent << 23 | (unit_random(r) & 0x7fe000);

	return q | unit_between(r, 0, 15) << 32 | unit_between(r, 0,
		511) << 37 | (uint64_t)is_signed << 46 | (unit_random(r) & 0x1fff); /* low bits: unused */
}

static void accumulators(struct unit_rig *r, enum isa_type src)
{
	for (uint64_t i = 0; i < 131072; i += 4) {
		uint32_t u = (uint32_t)unit_random(r);
		if (src == TYPE_F32)
			u = (u & 0x807fffff) | (uint32_t)unit_between(r, 118, 136) << 23;
		else
			u = (uint32_t)((int32_t)u >> unit_between(r, 8, 28));
		memcpy(unit_at(r, SPACE_L0C, i), &u, 4);
	}
}

/* Where the element goes, in elements from the destination's start. */
static uint64_t place(const struct fix_shape *s, uint64_t elem, uint64_t row, uint64_t col)
{
	uint64_t group = elem == 1 ? 32 : s->split ? 8 : 16, first = col / group * group;
	uint64_t width = s->n - first < group ? s->n - first : group;

	if (s->nd)
		return row * s->dst_stride + col;
	return col / group * (s->dst_stride * 32 / elem) + row * width + col % group;
}

static void check(struct unit_rig *r, const struct fix_case *q, const struct fix_shape *s, enum isa_space space,
	uint64_t dst,
		  uint64_t src, uint64_t fb)
{
	uint64_t elem = isa_type_bits(q->dst) / 8;
	struct ref_fix p = { .quant = q->quant, .from_int = q->src == TYPE_S32, .relu = (int)s->relu };
	uint32_t alpha = (uint32_t)r->op.spr.lrelu_alpha;

	for (uint64_t row = 0; row < s->m; row++)
		for (uint64_t col = 0; col < s->n; col++) {
			uint32_t acc, want, got = 0;
			memcpy(&acc, unit_before(r, SPACE_L0C,
				src + col / 16 * s->src_stride * 64 + row * 64 + col % 16 * 4), 4);
			p.scale = r->op.spr.quant_pre;
			if (q->vector)
				memcpy(&p.scale, unit_before(r, SPACE_FB, fb + 8 * col), 8);
			memcpy(&p.alpha, &alpha, 4);
			if (s->relu == 3) {
				memcpy(&p.alpha, unit_before(r, SPACE_FB, (r->op.spr.fpc & 255) * 64 + 4 * col), 4);
				p.relu = 2;
			}
			want = ref_fix(&p, acc);
			memcpy(&got, unit_at(r, space, dst + place(s, elem, row, col) * elem), elem);
			cr_assert_eq(got, want,
				"mode %u relu %u (%" PRIu64 ", %" PRIu64 "): acc %08x gave %x, not %x, seed %" PRIu64,
				     q->mode, (unsigned)s->relu, row, col, acc, got, want, r->seed);
		}
}

static void modes(struct fix_case q, enum isa_id id, enum isa_space space, uint64_t seed)
{
	struct unit_rig r;
	uint64_t elem = isa_type_bits(q.dst) / 8;
	bool plain = q.mode == 0 || q.mode == 1 || q.mode == 16;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	unsigned variant = unit_variant(id, q.dst, q.src, TYPE_NONE);
	accumulators(&r, q.src);
	for (int round = 0; round < ROUNDS; round++) {
		struct fix_shape s = { .m = unit_between(&r, 1, 40), .n = unit_between(&r, 1, 6) * 16, .nd = round % 2,
				       .relu = unit_between(&r, 0, plain && q.src == TYPE_F32 ? 3 : 1) };
		uint64_t dst = (space == SPACE_GM ? r.gm_addr : 0) + unit_between(&r, 0, 9) * 32, fb = unit_between(&r,
			0, 3) * 128;
		s.split = q.dst == TYPE_F32 && !s.nd && round % 4 == 0;
		if (s.nd)
			s.n = unit_between(&r, 1, 100);
		s.src_stride = (s.m + 15) / 16 * 16 + unit_between(&r, 0, 1) * 16;
		s.dst_stride = s.nd ? s.n + unit_between(&r, 0,
			9) : (s.m * (s.split ? 8 : elem == 1 ? 32 : 16) * elem + 31) / 32 + unit_between(&r, 0, 3);
		for (uint64_t i = 0; i < 2048; i += 8) {
			uint64_t p = quant_random(&r, q.dst == TYPE_S8);
			memcpy(unit_at(&r, SPACE_FB, i), &p, 8);
		}
		r.op.spr.quant_pre = quant_random(&r, q.dst == TYPE_S8);
		r.op.spr.lrelu_alpha = 0x3dcccccd; /* 0.1 */
		r.op.spr.fpc = fb / 128 << 8 | unit_between(&r, 0, 4);
		r.op.spr.nd_para = 1;
		uint64_t src = unit_between(&r, 0, 9) * 64;
		unit_run(&r, id, variant, dst, src, word_m(&s), word_t(&s, q.mode));
		check(&r, &q, &s, space, dst, src, fb);
		cr_assert_eq(r.e.bytes, s.m * s.n * elem);
		cr_assert_eq(r.e.gm.any, space == SPACE_GM);
	}
	unit_close(&r);
}

#define GM INSN_copy_matrix_cc_to_gm, SPACE_GM
#define L1 INSN_copy_matrix_cc_to_cbuf, SPACE_L1
Test(fix_mode, f32) { modes((struct fix_case){ TYPE_F32, TYPE_F32, REF_NO_QUANT, 0, false }, GM, 1); }
Test(fix_mode, s32) { modes((struct fix_case){ TYPE_S32, TYPE_S32, REF_NO_QUANT, 0, false }, GM, 2); }
Test(fix_mode, f16) { modes((struct fix_case){ TYPE_F16, TYPE_F32, REF_F322F16, 1, false }, GM, 3); }
Test(fix_mode, f16_l1) { modes((struct fix_case){ TYPE_F16, TYPE_F32, REF_F322F16, 1, false }, L1, 4); }
Test(fix_mode, bf16) { modes((struct fix_case){ TYPE_BF16, TYPE_F32, REF_F322BF16, 16, false }, GM, 5); }
Test(fix_mode, req8) { modes((struct fix_case){ TYPE_S8, TYPE_S32, REF_REQ8, 3, false }, GM, 6); }
Test(fix_mode, req8_unsigned) { modes((struct fix_case){ TYPE_U8, TYPE_S32, REF_REQ8, 3, false }, GM, 7); }
Test(fix_mode, vreq8) { modes((struct fix_case){ TYPE_S8, TYPE_S32, REF_REQ8, 2, true }, L1, 8); }
Test(fix_mode, deqf16) { modes((struct fix_case){ TYPE_F16, TYPE_S32, REF_DEQF16, 5, false }, GM, 9); }
Test(fix_mode, vdeqf16) { modes((struct fix_case){ TYPE_F16, TYPE_S32, REF_DEQF16, 4, true }, GM, 10); }
Test(fix_mode, bf16_l1) { modes((struct fix_case){ TYPE_BF16, TYPE_F32, REF_F322BF16, 16, false }, L1, 15); }
Test(fix_mode, qf32b8_l1) { modes((struct fix_case){ TYPE_S8, TYPE_F32, REF_QF322B8, 24, false }, L1, 16); }
Test(fix_mode, qf32u8) { modes((struct fix_case){ TYPE_U8, TYPE_F32, REF_QF322B8, 24, false }, GM, 17); }
Test(fix_mode, deqf16_l1) { modes((struct fix_case){ TYPE_F16, TYPE_S32, REF_DEQF16, 5, false }, L1, 18); }
Test(fix_mode, req8_unsigned_l1) { modes((struct fix_case){ TYPE_U8, TYPE_S32, REF_REQ8, 3, false }, L1, 19); }
Test(fix_mode, shift16) { modes((struct fix_case){ TYPE_S16, TYPE_S32, REF_SHIFTS16, 13, false }, GM, 13); }
Test(fix_mode, vshift16) { modes((struct fix_case){ TYPE_S16, TYPE_S32, REF_SHIFTS16, 12, true }, L1, 14); }
Test(fix_mode, qf32b8) { modes((struct fix_case){ TYPE_S8, TYPE_F32, REF_QF322B8, 24, false }, GM, 11); }
Test(fix_mode, vqf32b8) { modes((struct fix_case){ TYPE_U8, TYPE_F32, REF_QF322B8, 23, true }, L1, 12); }

/* Several matrices in one nz2nd copy */
Test(fix_layout, nd_loop)
{
	struct unit_rig r;
	struct fix_shape s = { .m = 17, .n = 20, .nd = 1, .src_stride = 32, .dst_stride = 33 };

	unit_open(&r, "ascend910b1", CORE_CUBE, 21);
	accumulators(&r, TYPE_F32);
	r.op.spr.nd_para = 3 | 5 << 16 | UINT64_C(700) << 32; /* 3 matrices, 5 fractals and 700 elements apart */
	unsigned v = unit_variant(INSN_copy_matrix_cc_to_gm, TYPE_F32, TYPE_F32, TYPE_NONE);
	unit_run(&r, INSN_copy_matrix_cc_to_gm, v, r.gm_addr, 0, word_m(&s), word_t(&s, 0));
	for (uint64_t q = 0; q < 3; q++)
		for (uint64_t row = 0; row < s.m; row++)
			for (uint64_t col = 0; col < s.n; col++)
				cr_assert_eq(memcmp(r.gm_host + (q * 700 + row * 33 + col) * 4,
						    unit_at(&r, SPACE_L0C,
							q * 5120 + col / 16 * 32 * 64 + row * 64 + col % 16 * 4), 4),
							0);
	cr_assert_eq(r.e.gm.n_burst, 3u * 17);
	cr_assert_eq(r.e.gm.burst_bytes, 80u);
	unit_close(&r);
}

/* NZ output of f16 is FRACTAL_NZ as the layout's formula has it. */
Test(fix_layout, is_fractal_nz)
{
	struct unit_rig r;
	struct fix_shape s = { .m = 32, .n = 48, .src_stride = 32, .dst_stride = 32 };

	unit_open(&r, "ascend910b1", CORE_CUBE, 22);
	accumulators(&r, TYPE_F32);
	unit_run(&r, INSN_copy_matrix_cc_to_cbuf, unit_variant(INSN_copy_matrix_cc_to_cbuf, TYPE_F16, TYPE_F32,
		TYPE_NONE), 0, 0,
		 word_m(&s), word_t(&s, 1));
	for (uint64_t i = 0; i < s.m; i++)
		for (uint64_t j = 0; j < s.n; j++) {
			float v;
			uint16_t h;
			memcpy(&v, unit_at(&r, SPACE_L0C, 4 * layout_nz(i, j, 32, 16)), 4);
			memcpy(&h, unit_at(&r, SPACE_L1, 2 * layout_nz(i, j, 32, 16)), 2);
			cr_assert_eq(h, layout_to_half(v));
		}
	unit_close(&r);
}

Test(fix_layout, atomic_add)
{
	struct unit_rig r;
	struct fix_shape s = { .m = 5, .n = 7, .nd = 1, .src_stride = 16, .dst_stride = 7 };

	unit_open(&r, "ascend910b1", CORE_CUBE, 23);
	accumulators(&r, TYPE_F32);
	for (int i = 0; i < 35; i++) {
		float v = (float)i * 0.37f;
		memcpy(r.gm_host + 4 * i, &v, 4);
	}
	r.op.spr.nd_para = 1;
	r.op.spr.ctrl = CTRL_RESET | 1 << 6;
	unsigned v = unit_variant(INSN_copy_matrix_cc_to_gm, TYPE_F32, TYPE_F32, TYPE_NONE);
	unit_run(&r, INSN_copy_matrix_cc_to_gm, v, r.gm_addr, 0, word_m(&s), word_t(&s, 0));
	cr_assert(r.e.gm.atomic);
	for (unsigned i = 0; i < 35; i++) {
		float old, add, got;
		memcpy(&old, unit_before(&r, SPACE_GM, r.gm_addr + 4 * i), 4);
		memcpy(&add, unit_at(&r, SPACE_L0C, i / 7 * 64 + i % 7 * 4), 4);
		memcpy(&got, r.gm_host + 4 * i, 4);
		cr_assert_eq(got, (float)(old + add));
	}
	v = unit_variant(INSN_copy_matrix_cc_to_gm, TYPE_F16, TYPE_F32, TYPE_NONE);
	unit_refuse(&r, FAIL_KERNEL, "atomic on f32, but the result is f16", INSN_copy_matrix_cc_to_gm, v, r.gm_addr, 0,
		word_m(&s),
		    word_t(&s, 1));
	unit_close(&r);
}

static void refuse(struct unit_rig *r, enum fail_class class, const char *text, enum isa_type dst, enum isa_type src,
		   unsigned mode, struct fix_shape s, uint64_t from, uint64_t to)
{
	unit_refuse(r, class, text, INSN_copy_matrix_cc_to_gm, unit_variant(INSN_copy_matrix_cc_to_gm, dst, src,
		TYPE_NONE), to,
		    from, word_m(&s), word_t(&s, mode));
}

Test(fix_limits, all)
{
	struct unit_rig r;
	struct fix_shape ok = { .m = 16, .n = 16, .nd = 1, .src_stride = 16, .dst_stride = 16 }, s;

	unit_open(&r, "ascend910b1", CORE_CUBE, 31);
	uint64_t gm = r.gm_addr;
	refuse(&r, FAIL_KERNEL, "nz2nd of 0 matrices", TYPE_F32, TYPE_F32, 0, ok, 0, gm);
	r.op.spr.nd_para = 1;
	refuse(&r, FAIL_KERNEL, "in L0C is not a multiple of 64", TYPE_F32, TYPE_F32, 0, ok, 32, gm);
	s = ok, s.unit = 1;
	refuse(&r, FAIL_KERNEL, "unit flag mode 1", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.split = 1;
	refuse(&r, FAIL_KERNEL, "exclude each other", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.split = 1, s.nd = 0;
	refuse(&r, FAIL_KERNEL, "channel split is for f32", TYPE_F16, TYPE_F32, 1, s, 0, gm);
	s = ok, s.nd = 0, s.n = 20;
	refuse(&r, FAIL_KERNEL, "20 columns are no multiple of 16", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.nd = 0, s.n = 12, s.split = 1;
	refuse(&r, FAIL_KERNEL, "12 columns are no multiple of 8", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.m = 8193;
	refuse(&r, FAIL_KERNEL, "8193 rows", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.dst_stride = 0;
	refuse(&r, FAIL_KERNEL, "row pitch", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.relu = 5;
	refuse(&r, FAIL_KERNEL, "no relu mode", TYPE_F32, TYPE_F32, 0, s, 0, gm);
	s = ok, s.relu = 2;
	refuse(&r, FAIL_MODEL, "leaky relu", TYPE_S8, TYPE_F32, 24, s, 0, gm);
	refuse(&r, FAIL_KERNEL, "does not turn f32 into f16", TYPE_F16, TYPE_F32, 0, ok, 0, gm);
	refuse(&r, FAIL_KERNEL, "does not turn s32 into f16", TYPE_F16, TYPE_S32, 1, ok, 0, gm);
	refuse(&r, FAIL_KERNEL, "no quantisation mode", TYPE_F16, TYPE_S32, 9, ok, 0, gm);
	refuse(&r, FAIL_KERNEL, "13 does not turn s32 into f16", TYPE_F16, TYPE_S32, 13, ok, 0, gm);
	refuse(&r, FAIL_MODEL, "8-bit floats", TYPE_S8, TYPE_F32, 25, ok, 0, gm);
	s = ok, s.m = 17;
	refuse(&r, FAIL_KERNEL, "reads L0C bytes", TYPE_F32, TYPE_F32, 0, s, 131072 - 1024, gm);
	refuse(&r, FAIL_KERNEL, "writes GM bytes", TYPE_F32, TYPE_F32, 0, ok, 0, gm + r.gm_size - 1020);
	r.op.spr.fpc = 255 << 8;
	refuse(&r, FAIL_KERNEL, "reads FB bytes", TYPE_F16, TYPE_S32, 4, ok, 0, gm);
	s = ok, s.m = 0;
	unit_run(&r, INSN_copy_matrix_cc_to_gm, 0, gm, 0, word_m(&s), word_t(&s, 0));
	cr_assert(r.e.nop);
	s = ok, s.nd = 0;
	unit_refuse(&r, FAIL_KERNEL, "in L1 is not a multiple of 32", INSN_copy_matrix_cc_to_cbuf,
		    unit_variant(INSN_copy_matrix_cc_to_cbuf, TYPE_F16, TYPE_F32, TYPE_NONE), 16, 0, word_m(&s),
			word_t(&s, 1));
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_copy_matrix_cc_to_gm, 0, gm, 0, word_m(&ok), word_t(&ok,
		0) | 1 << 20);
	unit_close(&r);
}
