/*
 * mte_dma_test.c - block copies, byte-exact copies, atomics and nd2nz against byte loops written from hardware.md 2.5, 3.6
 * and 4; one planted mistake per limit.
 */
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 40 };

static uint64_t dma_word(uint64_t n, uint64_t len, uint64_t src_gap, uint64_t dst_gap)
{
	return n << 4 | len << 16 | src_gap << 32 | dst_gap << 48;
}

static void block_copy(enum isa_id id, const char *chip, enum isa_core kind, enum isa_space dst, enum isa_space src,
		       uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, chip, kind, seed);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t n = unit_between(&r, 1, 9), len = unit_between(&r, 1, 20), sg = unit_between(&r, 0, 5),
			dg = unit_between(&r, 0, 5);
		uint64_t from = unit_between(&r, 0, 100) * 32, to = 65536 + unit_between(&r, 0, 100) * 32;
		if (src == SPACE_GM)
			from = r.gm_addr + unit_between(&r, 0, 999);
		if (dst == SPACE_GM)
			to = r.gm_addr + 65536 + unit_between(&r, 0, 999);
		unit_run(&r, id, 0, to, from, 0, dma_word(n, len, sg, dg));
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < len * 32; b++)
				cr_assert_eq(*unit_at(&r, dst, to + i * (len + dg) * 32 + b),
					     *unit_before(&r, src, from + i * (len + sg) * 32 + b),
					     "round %d seed %" PRIu64, round, seed);
		cr_assert_eq(r.e.bytes, n * len * 32);
		cr_assert_eq(r.e.gm.any, src == SPACE_GM || dst == SPACE_GM);
		if (r.e.gm.any) {
			cr_assert_eq(r.e.gm.write, dst == SPACE_GM);
			cr_assert_eq(r.e.gm.n_burst, n);
			cr_assert_eq(r.e.gm.burst_bytes, len * 32);
			cr_assert_eq(r.e.gm.burst_pitch, (int64_t)((len + (dst == SPACE_GM ? dg : sg)) * 32));
		}
	}
	unit_close(&r);
}

Test(mte_dma, gm_to_ub) { block_copy(INSN_copy_gm_to_ubuf, "ascend910b1", CORE_VEC, SPACE_UB, SPACE_GM, 1); }
Test(mte_dma, ub_to_gm) { block_copy(INSN_copy_ubuf_to_gm, "ascend910b1", CORE_VEC, SPACE_GM, SPACE_UB, 2); }
Test(mte_dma, ub_to_ub) { block_copy(INSN_copy_ubuf_to_ubuf, "ascend910b1", CORE_VEC, SPACE_UB, SPACE_UB, 3); }
Test(mte_dma, gm_to_l1) { block_copy(INSN_copy_gm_to_cbuf, "ascend910b1", CORE_CUBE, SPACE_L1, SPACE_GM, 4); }
Test(mte_dma, l1_to_gm) { block_copy(INSN_copy_cbuf_to_gm, "ascend910b1", CORE_CUBE, SPACE_GM, SPACE_L1, 5); }
Test(mte_dma, l1_to_ub) { block_copy(INSN_copy_cbuf_to_ubuf, "ascend910", CORE_FUSED, SPACE_UB, SPACE_L1, 6); }
Test(mte_dma, ub_to_l1) { block_copy(INSN_copy_ubuf_to_cbuf, "ascend910", CORE_FUSED, SPACE_L1, SPACE_UB, 7); }

Test(mte_dma, limits)
{
	struct unit_rig r;
	uint64_t one = dma_word(1, 1, 0, 0);

	unit_open(&r, "ascend910b1", CORE_VEC, 8);
	uint64_t gm = r.gm_addr, ub = (uint64_t)r.mem.size[SPACE_UB];
	unit_refuse(&r, FAIL_KERNEL, "destination address 0x10 in UB is not a multiple of 32", INSN_copy_gm_to_ubuf, 0,
		16, gm, 0, one);
	unit_refuse(&r, FAIL_KERNEL, "source address 0x3f in UB is not a multiple of 32", INSN_copy_ubuf_to_gm, 0, gm,
		63, 0, one);
	unit_refuse(&r, FAIL_KERNEL, "writes UB bytes", INSN_copy_gm_to_ubuf, 0, ub - 32, gm, 0, dma_word(2, 1, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "reads GM bytes", INSN_copy_gm_to_ubuf, 0, 0, gm + r.gm_size - 63, 0, dma_word(2,
		1, 0, 0));
	unit_run(&r, INSN_copy_gm_to_ubuf, 0, ub - 64, gm + r.gm_size - 64, 0, dma_word(2, 1, 0,
		0)); /* the last bytes are in */
	unit_run(&r, INSN_copy_gm_to_ubuf, 0, 0, 12, 0, dma_word(0, 1, 0, 0));
	cr_assert(r.e.nop, "no bursts: nothing happens");
	unit_run(&r, INSN_copy_gm_to_ubuf, 0, 0, 12, 0, dma_word(1, 0, 0, 0));
	cr_assert(r.e.nop && !r.e.gm.any, "empty bursts: nothing happens");
	unit_close(&r);
	unit_open(&r, "ascend910b1", CORE_CUBE, 9);
	unit_refuse(&r, FAIL_MODEL, "pad mode 8", INSN_copy_gm_to_cbuf, 0, 0, r.gm_addr, 8, one);
	unit_close(&r);
}

/* Byte-exact copies */
static uint64_t align_word(uint64_t n, uint64_t len, uint64_t left, uint64_t right)
{
	return n << 4 | len << 16 | left << 48 | right << 54;
}

static void align_in(enum isa_id id, uint64_t elem, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_VEC, seed);
	for (int round = 0; round < ROUNDS; round++) {
		bool pad = round % 2;
		uint64_t n = unit_between(&r, 1, 8), len = unit_between(&r, 1, 150 / elem) * elem;
		uint64_t left = pad ? unit_between(&r, 0, 32 / elem) : 0, right = pad ? unit_between(&r, 0,
			32 / elem) : 0;
		uint64_t sg = unit_between(&r, 0, 40), dg = unit_between(&r, 0, 3), to = unit_between(&r, 0, 50) * 32;
		uint64_t from = r.gm_addr + unit_between(&r, 0, 500),
			row = (left * elem + len + right * elem + 31) / 32 * 32;
		r.op.spr.mov_pad_val = unit_random(&r);
		unit_run(&r, id, 0, to, from, sg | dg << 32, align_word(n, len, left, right));
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < row; b++) {
				uint64_t start = left * elem;
				uint8_t want = (uint8_t)(r.op.spr.mov_pad_val >> (b % elem * 8));
				if (b >= start && b < start + len)
					want = *unit_before(&r, SPACE_GM, from + i * (len + sg) + b - start);
				else if (left + right == 0)
					want = *unit_before(&r, SPACE_GM, from + i * (len + sg) + b % elem);
				cr_assert_eq(*unit_at(&r, SPACE_UB, to + i * (row + dg * 32) + b), want,
					     "row %" PRIu64 " byte %" PRIu64 " seed %" PRIu64, i, b, seed);
			}
		cr_assert_eq(r.e.gm.burst_pitch, (int64_t)(len + sg));
	}
	unit_close(&r);
}

Test(mte_align, in_b8) { align_in(INSN_copy_gm_to_ubuf_align_b8, 1, 11); }
Test(mte_align, in_b16) { align_in(INSN_copy_gm_to_ubuf_align_b16, 2, 12); }
Test(mte_align, in_b32) { align_in(INSN_copy_gm_to_ubuf_align_b32, 4, 13); }

static void align_out(enum isa_id id, uint64_t elem, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_VEC, seed);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t n = unit_between(&r, 1, 8), len = unit_between(&r, 1, 150 / elem) * elem,
			row = (len + 31) / 32 * 32;
		uint64_t sg = unit_between(&r, 0, 3), dg = unit_between(&r, 0, 40), from = unit_between(&r, 0, 50) * 32;
		uint64_t to = r.gm_addr + unit_between(&r, 0, 500);
		unit_run(&r, id, 0, to, from, sg | dg << 32, align_word(n, len, 0, 0));
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < len; b++)
				cr_assert_eq(*unit_at(&r, SPACE_GM, to + i * (len + dg) + b),
					     *unit_before(&r, SPACE_UB, from + i * (row + sg * 32) + b), "seed %" PRIu64, seed);
	}
	unit_close(&r);
}

Test(mte_align, out_b8) { align_out(INSN_copy_ubuf_to_gm_align_b8, 1, 14); }
Test(mte_align, out_b16) { align_out(INSN_copy_ubuf_to_gm_align_b16, 2, 15); }
Test(mte_align, out_b32) { align_out(INSN_copy_ubuf_to_gm_align_b32, 4, 16); }

Test(mte_align, limits)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_VEC, 17);
	unit_refuse(&r, FAIL_KERNEL, "at most 32 each", INSN_copy_gm_to_ubuf_align_b32, 0, 0, r.gm_addr, 0,
		align_word(1, 4, 9, 0));
	unit_refuse(&r, FAIL_KERNEL, "at most 32 each", INSN_copy_gm_to_ubuf_align_b16, 0, 0, r.gm_addr, 0,
		align_word(1, 4, 0, 17));
	unit_refuse(&r, FAIL_KERNEL, "no whole elements", INSN_copy_gm_to_ubuf_align_b16, 0, 0, r.gm_addr, 0,
		align_word(1, 5, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "no meaning", INSN_copy_ubuf_to_gm_align_b16, 0, r.gm_addr, 0, 0, align_word(1, 4,
		1, 0));
	unit_refuse(&r, FAIL_KERNEL, "not a multiple of 32", INSN_copy_ubuf_to_gm_align_b8, 0, r.gm_addr, 8, 0,
		align_word(1, 4, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_copy_gm_to_ubuf_align_b8, 0, 0, r.gm_addr, 0,
		   align_word(1, 4, 0, 0) | UINT64_C(1) << 60);
	unit_run(&r, INSN_copy_gm_to_ubuf_align_b8, 0, 0, r.gm_addr, 0, align_word(1, 4, 32, 32));
	unit_close(&r);
}

/* Atomics: CTRL[8:6] type, CTRL[10:9] operation. */
static double atomic_value(double old, double v, unsigned op)
{
	return op == 0 ? old + v : op == 1 ? (old > v ? old : v) : old < v ? old : v;
}

static void atomic_out(unsigned code, uint64_t elem, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_VEC, seed);
	for (int round = 0; round < 12; round++) {
		unsigned op = (unsigned)round % 3;
		uint64_t to = r.gm_addr + unit_between(&r, 0, 50) * 4, len = unit_between(&r, 1, 40) * elem;
		for (uint64_t b = 0; b < 1024; b++) { /* exponents in the middle: no inf, no NaN */
			r.mem.buf[SPACE_UB][b] &= b % elem == elem - 1 && code != 3 && code != 4 &&
				code != 5 ? 0xbf : 0xff;
			r.gm_host[b] &= b % elem == elem - 1 && code != 3 && code != 4 && code != 5 ? 0xbf : 0xff;
		}
		r.op.spr.ctrl = CTRL_RESET | (uint64_t)code << 6 | (uint64_t)op << 9;
		unit_run(&r, INSN_copy_ubuf_to_gm_align_b8, 0, to, 0, 0, align_word(1, len, 0, 0));
		cr_assert(r.e.gm.atomic);
		for (uint64_t b = 0; b < len; b += elem) {
			uint32_t old = 0, v = 0, got = 0, want = 0;
			float x, y;
			memcpy(&old, unit_before(&r, SPACE_GM, to + b), elem);
			memcpy(&v, unit_before(&r, SPACE_UB, b), elem);
			memcpy(&got, unit_at(&r, SPACE_GM, to + b), elem);
			switch (code) {
			case 1:
				memcpy(&x, &old, 4);
				memcpy(&y, &v, 4);
				x = (float)atomic_value(x, y, op);
				memcpy(&want, &x, 4);
				break;
			case 2: want = layout_to_half(atomic_value(layout_half((uint16_t)old), layout_half((uint16_t)v),
				op)); break;
			case 6: /* sums of bf16 are rounded to fp32 first */
				want = layout_to_bfloat((float)atomic_value(layout_bfloat((uint16_t)old),
					layout_bfloat((uint16_t)v), op));
				break;
			case 3:
				want = op ? (uint16_t)(int16_t)atomic_value((int16_t)old, (int16_t)v,
					op) : (uint16_t)(old + v);
				break;
			case 5: want = op ? (uint8_t)(int8_t)atomic_value((int8_t)old, (int8_t)v,
				op) : (uint8_t)(old + v); break;
			default:
				want = op ? (uint32_t)(int32_t)atomic_value((int32_t)old, (int32_t)v, op) : old + v;
				break;
			}
			cr_assert_eq(got, want, "type %u op %u: %x with %x gave %x, not %x, seed %" PRIu64, code, op,
				old, v, got, want,
				     seed);
		}
	}
	unit_close(&r);
}

Test(mte_atomic, f32) { atomic_out(1, 4, 21); }
Test(mte_atomic, f16) { atomic_out(2, 2, 22); }
Test(mte_atomic, s16) { atomic_out(3, 2, 23); }
Test(mte_atomic, s32) { atomic_out(4, 4, 24); }
Test(mte_atomic, s8) { atomic_out(5, 1, 25); }
Test(mte_atomic, bf16) { atomic_out(6, 2, 26); }

Test(mte_atomic, limits)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_VEC, 27);
	r.op.spr.ctrl = CTRL_RESET | 7 << 6;
	unit_refuse(&r, FAIL_KERNEL, "no atomic type", INSN_copy_ubuf_to_gm, 0, r.gm_addr, 0, 0, dma_word(1, 1, 0, 0));
	r.op.spr.ctrl = CTRL_RESET | 1 << 6 | 3 << 9;
	unit_refuse(&r, FAIL_KERNEL, "does not exist", INSN_copy_ubuf_to_gm, 0, r.gm_addr, 0, 0, dma_word(1, 1, 0, 0));
	r.op.spr.ctrl = CTRL_RESET | 1 << 6;
	unit_refuse(&r, FAIL_KERNEL, "pieces of 6 bytes", INSN_copy_ubuf_to_gm_align_b16, 0, r.gm_addr, 0, 0,
		align_word(1, 6, 0, 0));
	unit_close(&r);
	unit_open(&r, "ascend910", CORE_FUSED, 28); /* c100 has f32 add alone */
	r.op.spr.ctrl = CTRL_RESET | 2 << 6;
	unit_refuse(&r, FAIL_KERNEL, "atomic add of f16 does not exist", INSN_copy_ubuf_to_gm, 0, r.gm_addr, 0, 0,
		dma_word(1, 1, 0, 0));
	r.op.spr.ctrl = CTRL_RESET | 1 << 6 | 1 << 9;
	unit_refuse(&r, FAIL_KERNEL, "atomic max of f32 does not exist", INSN_copy_ubuf_to_gm, 0, r.gm_addr, 0, 0,
		dma_word(1, 1, 0, 0));
	unit_close(&r);
}

/* nd2nz */
struct nd { uint64_t num, n, d, src_matrix, src_d, c0, row, matrix; };

static void nd_run(struct unit_rig *r, enum isa_id id, uint64_t to, uint64_t from, struct nd p)
{
	unit_run(r, id, 0, to, from, p.src_d | p.c0 << 16 | p.row << 32 | p.matrix << 48,
		p.num << 4 | p.n << 16 | p.d << 32 | p.src_matrix << 48);
}

static void nd2nz(enum isa_id id, uint64_t elem, uint64_t seed)
{
	struct unit_rig r;
	uint64_t per = 32 / elem;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	for (int round = 0; round < ROUNDS; round++) {
		struct nd p = { .num = unit_between(&r, 1, 3), .n = unit_between(&r, 1, 40), .d = unit_between(&r, 1,
			70) };
		uint64_t columns = (p.d + per - 1) / per, to = unit_between(&r, 0, 99) * 32,
			from = r.gm_addr + unit_between(&r, 0, 99);
		p.src_d = p.d + unit_between(&r, 0, 9);
		p.src_matrix = p.n * p.src_d + unit_between(&r, 0, 5);
		p.row = unit_between(&r, 1, 2);
		p.c0 = p.n * p.row + unit_between(&r, 0, 9);
		p.matrix = columns * p.c0 * per;
		if (p.matrix > 65535) /* the field has 16 bits */
			p.num = 1, p.matrix = 0;
		nd_run(&r, id, to, from, p);
		for (uint64_t i = 0; i < p.num; i++)
			for (uint64_t n = 0; n < p.n; n++)
				for (uint64_t b = 0; b < columns * 32; b++) {
					uint64_t at = to + i * p.matrix * elem + b / 32 * p.c0 * 32 + n * p.row * 32 + b % 32;
					uint8_t want = b < p.d * elem ? *unit_before(&r, SPACE_GM,
						from + (i * p.src_matrix + n * p.src_d) * elem + b) : 0;
					cr_assert_eq(*unit_at(&r, SPACE_L1, at), want,
						"matrix %" PRIu64 " row %" PRIu64 " byte %" PRIu64
						     " seed %" PRIu64, i, n, b, seed);
				}
		cr_assert_eq(r.e.bytes, p.num * p.n * p.d * elem);
	}
	unit_close(&r);
}

Test(mte_nd2nz, b8) { nd2nz(INSN_copy_gm_to_cbuf_multi_nd2nz_b8, 1, 31); }
Test(mte_nd2nz, b16) { nd2nz(INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 2, 32); }
Test(mte_nd2nz, b32) { nd2nz(INSN_copy_gm_to_cbuf_multi_nd2nz_b32s, 4, 33); }

/* With dst_nz_c0_stride = rows rounded up to 16 the result is FRACTAL_NZ as the layout's formula has it. */
Test(mte_nd2nz, is_fractal_nz)
{
	struct unit_rig r;
	struct nd p = { .num = 1, .n = 33, .d = 49, .src_d = 49, .c0 = 48, .row = 1 };

	unit_open(&r, "ascend910b1", CORE_CUBE, 34);
	nd_run(&r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 0, r.gm_addr, p);
	for (uint64_t i = 0; i < p.n; i++)
		for (uint64_t j = 0; j < p.d; j++)
			cr_assert_eq(memcmp(unit_at(&r, SPACE_L1, 2 * layout_nz(i, j, 48, 16)),
				r.gm_host + 2 * (i * p.d + j), 2), 0);
	unit_close(&r);
}

static void nd_refuse(struct unit_rig *r, const char *text, uint64_t to, struct nd p)
{
	unit_refuse(r, FAIL_KERNEL, text, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 0, to, r->gm_addr,
		   p.src_d | p.c0 << 16 | p.row << 32 | p.matrix << 48,
			p.num << 4 | p.n << 16 | p.d << 32 | p.src_matrix << 48);
}

Test(mte_nd2nz, limits)
{
	struct unit_rig r;
	struct nd ok = { .num = 1, .n = 4, .d = 40, .src_d = 40, .c0 = 16, .row = 1 }, p;

	unit_open(&r, "ascend910b1", CORE_CUBE, 35);
	nd_run(&r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 0, r.gm_addr, ok);
	nd_refuse(&r, "not a multiple of 32", 16, ok);
	p = ok, p.n = 16385;
	nd_refuse(&r, "n_value is at most 16384", 0, p);
	p = ok, p.c0 = 16385;
	nd_refuse(&r, "dst_nz_c0_stride 16385", 0, p);
	p = ok, p.c0 = 0;
	nd_refuse(&r, "dst_nz_c0_stride 0", 0, p);
	p = ok, p.row = 0;
	nd_refuse(&r, "dst_nz_n_stride 0", 0, p);
	p = ok, p.src_d = 0;
	nd_refuse(&r, "src_d_value", 0, p);
	p = ok, p.num = 2;
	nd_refuse(&r, "dst_nz_matrix_stride is 0", 0, p);
	p = ok, p.num = 2, p.matrix = 3;
	nd_refuse(&r, "no multiple of 32", 0, p);
	nd_refuse(&r, "writes L1 bytes", (uint64_t)r.mem.size[SPACE_L1] - 32, ok);
	p = ok, p.d = 0;
	nd_run(&r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 0, r.gm_addr, p);
	cr_assert(r.e.nop);
	unit_close(&r);
}
