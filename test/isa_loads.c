/*
 * isa_loads.c - pad modes of copy_gm_to_cbuf, sparse weights, repeats of img2col and its first version, fills from the
 * register, against loops written from the public pages and hardware.md 3.4, 3.5; one planted mistake per limit.
 */
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 20 };

Test(isa_loads, pad_modes)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_CUBE, 101);
	for (int round = 0; round < 5 * ROUNDS; round++) {
		uint64_t mode = (uint64_t)round % 5 + 1, piece = 1u << (mode - 1), n = unit_between(&r, 1, 40);
		uint64_t gap = unit_between(&r, 0, 3), from = r.gm_addr + unit_between(&r, 0, 500), to = 32 * unit_between(&r,
			0, 9);
		r.op.spr.padding = unit_random(&r);
		unit_run(&r, INSN_copy_gm_to_cbuf, 0, to, from, mode, n << 4 | 1 << 16 | gap << 48);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < 32; b++) {
				uint8_t pad = (uint8_t)(r.op.spr.padding >> (mode == 1 ? 0 : b % 2 * 8));
				cr_assert_eq(*unit_at(&r, SPACE_L1, to + i * (1 + gap) * 32 + b),
					     b < piece ? *unit_at(&r, SPACE_GM, from + i * piece + b) : pad,
					     "mode %" PRIu64 " burst %" PRIu64 " byte %" PRIu64 " seed %" PRIu64, mode, i, b,
						r.seed);
			}
		cr_assert_eq(r.e.gm.bytes, n * piece);
	}
	uint64_t one = 1 << 4 | 1 << 16;
	unit_refuse(&r, FAIL_MODEL, "pad mode 6", INSN_copy_gm_to_cbuf, 0, 0, r.gm_addr, 6, one);
	unit_refuse(&r, FAIL_KERNEL, "pad mode 9 does not exist", INSN_copy_gm_to_cbuf, 0, 0, r.gm_addr, 9, one);
	unit_refuse(&r, FAIL_KERNEL, "needs bursts of 1", INSN_copy_gm_to_cbuf, 0, 0, r.gm_addr, 1, 1 << 4 | 2 << 16);
	unit_refuse(&r, FAIL_KERNEL, "source gap of 0", INSN_copy_gm_to_cbuf, 0, 0, r.gm_addr, 1, one | UINT64_C(1) << 32);
	unit_refuse(&r, FAIL_KERNEL, "in L1 is not a multiple of 32", INSN_copy_gm_to_cbuf, 0, 16, r.gm_addr, 1, one);
	unit_run(&r, INSN_copy_gm_to_cbuf, 0, 0, 12, 1, 1 << 16);
	cr_assert(r.e.nop);
	unit_close(&r);
}

static void fill(enum isa_id id, enum isa_space space, uint64_t unit)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_CUBE, 102);
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t n = unit_between(&r, 1, 5), blocks = unit_between(&r, 1, 5), gap = unit_between(&r, 0, 3), to =
			unit * 2;
		uint16_t value = (uint16_t)unit_random(&r);
		r.op.spr.l0_value = value;
		unit_run(&r, id, 0, to, 0, 0, n | blocks << 16 | gap << 32);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < blocks * unit; b += 2)
				cr_assert(memcmp(unit_at(&r, space, to + i * (blocks + gap) * unit + b), &value, 2) == 0);
	}
	unit_refuse(&r, FAIL_KERNEL, "is not a multiple of", id, 0, unit / 2, 0, 0, 1 | 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", id, 0, 0, 0, 0, 1 << 15);
	unit_close(&r);
}

Test(isa_loads, fills_from_the_register)
{
	fill(INSN_set_l0a_2d, SPACE_L0A, 512);
	fill(INSN_set_l0b_2d, SPACE_L0B, 512);
	fill(INSN_set_l1_2d, SPACE_L1, 32);
}

/* --- sparse weights: a logical B of K x N with at most two non-zero of every four along K, packed by the page's table */

static void pack_four(const int8_t four[4], int8_t stored[2], unsigned index[2])
{
	int at[2] = { -1, -1 }, n = 0;
	for (int i = 0; i < 4 && n < 2; i++)
		if (four[i])
			at[n++] = i;
	if (n == 1 && at[0] == 3) {
		at[1] = 3; /* a lone last element is the second one */
		at[0] = -1;
	}
	for (int e = 0; e < 2; e++) {
		stored[e] = at[e] < 0 ? 0 : four[at[e]];
		index[e] = at[e] < 0 ? 0 : (unsigned)(at[e] - e);
	}
}

static void sparse(struct unit_rig *r, uint32_t m, uint32_t k, uint32_t n, bool zero)
{
	static int8_t a[128][256], b[256][128];
	uint32_t k1 = (k + 31) / 32, kb = (k + 63) / 64, n1 = (n + 15) / 16, m1 = (m + 15) / 16;
	uint64_t weights = 4096, index = 65536, base = unit_between(r, 0, 3);
	memset(b, 0, sizeof b);
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t g = 0; g < k; g += 4)
			for (int count = 0; count < 2; count++)
				if (g + 3 < k)
					b[g + unit_between(r, 0, 3)][j] = (int8_t)unit_random(r);
	memset(unit_at(r, SPACE_L1, weights), 0, (base + kb * n1) * 512);
	memset(unit_at(r, SPACE_L1, index), 0, (base + kb * n1) * 128);
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t g = 0; g < k; g += 4) {
			int8_t four[4] = { b[g][j], b[g + 1][j], b[g + 2][j], b[g + 3][j] }, stored[2];
			unsigned idx[2];
			pack_four(four, stored, idx);
			for (uint32_t e = 0; e < 2; e++) {
				uint64_t at = base * 512 + layout_zn(g / 2 + e, j, n1, 32);
				*unit_at(r, SPACE_L1, weights + at) = (uint8_t)stored[e];
				*unit_at(r, SPACE_L1, index + at / 4) |= (uint8_t)(idx[e] << at % 4 * 2);
			}
		}
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t q = 0; q < k; q++) {
			a[i][q] = (int8_t)unit_random(r);
			*unit_at(r, SPACE_L0A, m == 1 ? q : layout_zz(i, q, k1, 32)) = (uint8_t)a[i][q];
		}
	uint64_t to = 512 * unit_between(r, 0, 3);
	unit_run(r, INSN_load_cbuf_to_cb_sp, 0, to, weights | index << 32, 0, base | (uint64_t)kb * n1 << 16);
	unit_run(r, INSN_mad_sp, 0, 0, 0, to, m | k << 12 | (uint64_t)n << 24 | (uint64_t)zero << 63);
	for (uint32_t i = 0; i < m; i++)
		for (uint32_t j = 0; j < n; j++) {
			uint64_t at = 4 * layout_nz(i, j, m1 * 16, 16);
			int32_t want, got;
			memcpy(&want, unit_before(r, SPACE_L0C, at), 4);
			uint32_t sum = zero ? 0 : (uint32_t)want;
			for (uint32_t q = 0; q < k; q++)
				sum += (uint32_t)(a[i][q] * b[q][j]);
			memcpy(&got, unit_at(r, SPACE_L0C, at), 4);
			cr_assert_eq(got, (int32_t)sum, "%ux%ux%u (%u, %u) seed %" PRIu64, m, k, n, i, j, r->seed);
		}
	cr_assert_eq(r->e.cube_steps, m1 * n1 * kb);
}

Test(isa_loads, sparse_weights)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_CUBE, 103);
	sparse(&r, 16, 64, 16, true);
	for (int round = 0; round < ROUNDS; round++)
		sparse(&r, round % 5 ? (uint32_t)unit_between(&r, 1, 64) : 1, (uint32_t)unit_between(&r, 1, 60) * 4,
		       (uint32_t)unit_between(&r, 1, 64), round % 2);
	/* index 3 of an element that counts; one that does not count is let be */
	memset(r.mem.index0b, 0, 256);
	r.mem.index0b[0] = 3;
	unit_refuse(&r, FAIL_KERNEL, "sparse index of stored row 0, column 0 is 3", INSN_mad_sp, 0, 0, 0, 0,
		    16 | 4 << 12 | UINT64_C(16) << 24);
	r.mem.index0b[0] = 3 << 4;
	unit_run(&r, INSN_mad_sp, 0, 0, 0, 0, 16 | 4 << 12 | UINT64_C(16) << 24);
	uint64_t l1 = (uint64_t)r.mem.size[SPACE_L1];
	unit_refuse(&r, FAIL_KERNEL, "destination address 0x100 in L0B", INSN_load_cbuf_to_cb_sp, 0, 256, 0, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "source address 0x10 in L1", INSN_load_cbuf_to_cb_sp, 0, 0, 16, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "index address 0x10 in L1", INSN_load_cbuf_to_cb_sp, 0, 0, UINT64_C(16) << 32, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_load_cbuf_to_cb_sp, 0, 0, 0, 0, 1 << 16 | 1 << 24);
	unit_refuse(&r, FAIL_KERNEL, "reads L1 bytes", INSN_load_cbuf_to_cb_sp, 0, 0, l1 - 480, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "reads L1 bytes", INSN_load_cbuf_to_cb_sp, 0, 0, (l1 - 96) << 32, 0, 1 << 16);
	unit_run(&r, INSN_load_cbuf_to_cb_sp, 0, 65536 - 512, (l1 - 512) | (l1 - 128) << 32, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "writes L0B bytes", INSN_load_cbuf_to_cb_sp, 0, 65536 - 512, 0, 0, 2 << 16);
	unit_close(&r);
}

/* --- img2col v2, repeats: the same as one call per step, each behind the last */

Test(isa_loads, img2col_repeats)
{
	struct unit_rig r, one;
	unit_open(&r, "ascend910b1", CORE_CUBE, 104);
	unit_open(&one, "ascend910b1", CORE_CUBE, 104);
	unsigned v = unit_variant(INSN_img2colv2_cbuf_to_ca, TYPE_B16, TYPE_NONE, TYPE_NONE);
	uint64_t config = 1 | 1 << 6 | 3 << 12 | 3 << 20 | UINT64_C(1) << 28 | UINT64_C(1) << 36 | UINT64_C(32) << 48;
	for (int round = 0; round < ROUNDS; round++) {
		uint64_t mode = (uint64_t)round % 2, times = unit_between(&r, 2, 3), stride = unit_between(&r, 0, 2);
		uint64_t m_pos = 16 * unit_between(&r, 0, 1), k_pos = 16 * unit_between(&r, 0, 2);
		r.op.spr.fmatrix = one.op.spr.fmatrix = 10 | 9 << 16 | UINT64_C(0x01010101) << 32;
		r.op.spr.padding = one.op.spr.padding = 0x1234;
		r.op.spr.l3d_rpt = stride | times << 16 | mode << 24;
		unit_run(&r, INSN_img2colv2_cbuf_to_ca, v, 0, 0, 32 | 16 << 16 | k_pos << 32 | m_pos << 48, config);
		for (uint64_t i = 0; i < times; i++) {
			unit_run(&one, INSN_img2colv2_cbuf_to_ca, v, i * 1024, 0, 32 | 16 << 16 | k_pos << 32 | m_pos << 48,
				config);
			m_pos += mode ? 0 : 16 * stride;
			k_pos += mode ? 16 * stride : 0;
		}
		cr_assert(memcmp(unit_at(&r, SPACE_L0A, 0), unit_at(&one, SPACE_L0A, 0), times * 1024) == 0, "round %d", round);
	}
	r.op.spr.l3d_rpt = UINT64_C(1) << 32 | 2 << 16;
	unit_refuse(&r, FAIL_MODEL, "destination strides", INSN_img2colv2_cbuf_to_ca, v, 0, 0, 32 | 16 << 16, config);
	unit_close(&r);
	unit_close(&one);
}

/* --- L0C to UB with scales: 16 x 16 fractals, a parameter for all or one per column */

struct scaled { unsigned mode; enum isa_type dst, src; bool table; };

static void scaled_fractals(struct unit_rig *r, const struct scaled *q)
{
	uint64_t table = 0x10000, n = 3, out = q->dst == TYPE_F16 ? 2 : 1, in = q->src == TYPE_F16 ? 2 : 4;
	unsigned v = unit_variant(INSN_copy_matrix_cc_to_ubuf, q->dst, q->src, TYPE_NONE);
	for (uint64_t i = 0; i < n * 256; i++) {
		int32_t s = (int32_t)unit_between(r, 0, 4000) - 2000;
		if (q->src == TYPE_S32)
			memcpy(unit_at(r, SPACE_L0C, 4 * i), &s, 4);
	}
	uint64_t p[16];
	for (int i = 0; i < 16; i++) {
		float f = (float)unit_between(r, 1, 4095) / 8192.0f; /* 12 bits: nothing is cut off */
		uint32_t bits;
		memcpy(&bits, &f, 4);
		p[i] = (bits & 0xffffe000u) | (unit_random(r) & 511) << 37 | (uint64_t)(q->dst == TYPE_S8) << 46;
	}
	memcpy(unit_at(r, SPACE_UB, table), p, sizeof p);
	uint16_t half = (uint16_t)unit_between(r, 0x2c00, 0x3c00);
	r->op.spr.deqscale = q->table ? table / 32 : q->mode == 6 ? half : p[0];
	unit_run(r, INSN_copy_matrix_cc_to_ubuf, v, 0, 0, q->mode, n << 4 | 1 << 16);
	for (uint64_t i = 0; i < n * 256; i++) {
		uint64_t par = p[q->table ? i % 16 : 0];
		uint32_t scale_bits = (uint32_t)par & 0xffffe000u, got = 0, want;
		float scale;
		int32_t s;
		memcpy(&scale, &scale_bits, 4);
		memcpy(&s, unit_at(r, SPACE_L0C, in * i), 4);
		memcpy(&got, unit_at(r, SPACE_UB, out * i), out);
		if (q->mode == 6) {
			want = layout_to_half(layout_half((uint16_t)s) * layout_half(half));
		} else if (q->mode == 3) {
			want = layout_to_half(s);
		} else if (q->dst == TYPE_F16) {
			want = layout_to_half((double)((float)s * scale));
		} else {
			int64_t offset = (int64_t)(par >> 37 & 511), low = q->dst == TYPE_S8 ? -128 : 0, high = q->dst ==
				TYPE_S8 ? 127 : 255;
			int64_t x = layout_rint((double)((float)s * scale), -256, 255) + (offset > 255 ? offset - 512 : offset);
			want = (uint8_t)(x < low ? low : x > high ? high : x);
		}
		cr_assert_eq(got, want, "mode %u element %" PRIu64 ": 0x%x, not 0x%x, seed %" PRIu64, q->mode, i, got, want,
			r->seed);
	}
}

Test(isa_loads, fractals_with_scales)
{
	static const struct scaled cases[] = {
		{ 3, TYPE_F16, TYPE_S32, false }, { 6, TYPE_F16, TYPE_F16, false }, { 8, TYPE_S8, TYPE_S32, true },
		{ 8, TYPE_U8, TYPE_S32, true },   { 9, TYPE_S8, TYPE_S32, false },  { 9, TYPE_U8, TYPE_S32, false },
		{ 10, TYPE_F16, TYPE_S32, true }, { 11, TYPE_F16, TYPE_S32, false },
	};
	struct unit_rig r;
	unit_open(&r, "ascend910", CORE_FUSED, 111);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (int round = 0; round < 4; round++)
			scaled_fractals(&r, &cases[i]);
	unit_close(&r);
}

/* --- img2col v1 */

struct first { int w, h, pl, pr, pt, pb, sw, sh, fw, fh, dw, dh, fetch_w, fetch_h, x, y, c1, jump, mode, n; };

static void first_words(const struct first *p, struct unit_rig *r, uint64_t *pos, uint64_t *filter)
{
	r->op.spr.fmatrix = (uint64_t)p->w | (uint64_t)p->h << 16 | (uint64_t)p->pl << 32 | (uint64_t)p->pr << 40 |
			    (uint64_t)p->pt << 48 | (uint64_t)p->pb << 56;
	*pos = (uint64_t)p->fetch_w | (uint64_t)p->fetch_h << 8 | (uint64_t)(uint16_t)p->x << 16 |
	       (uint64_t)(uint16_t)p->y << 32 |
	       (uint64_t)p->c1 << 48;
	*filter = (uint64_t)p->sw | (uint64_t)p->sh << 6 | (uint64_t)p->fw << 12 | (uint64_t)p->fh << 20 | (uint64_t)p->dw << 28 |
		  (uint64_t)p->dh << 36 | (uint64_t)p->jump << 44 | (uint64_t)p->mode << 51 | (uint64_t)p->n << 56;
}

/* Byte b of row `row` of repeat `rep`, from window numbers: windows of a row of the padded map, rows one after the other. */
static uint8_t first_byte(struct unit_rig *r, const struct first *p, uint64_t from, int rep, int row, int b, int elem)
{
	int across = (p->w + p->pl + p->pr - p->dw * (p->fw - 1) - 1) / p->sw + 1;
	int down = (p->h + p->pt + p->pb - p->dh * (p->fh - 1) - 1) / p->sh + 1;
	int start = (p->y + p->pt) / p->sh * across + (p->x + p->pl) / p->sw;
	int window = start + row + (p->mode ? 16 * rep : 0);
	int point = p->fetch_h * p->fw + p->fetch_w + (p->mode ? 0 : rep), c1 = p->c1 + point / (p->fw * p->fh);
	point %= p->fw * p->fh;
	if (window >= across * down)
		return 0;
	int x = window % across * p->sw - p->pl + point % p->fw * p->dw, y = window / across * p->sh - p->pt +
		point / p->fw * p->dh;
	if (x < 0 || x >= p->w || y < 0 || y >= p->h)
		return (uint8_t)(r->op.spr.padding >> b % elem * 8);
	return *unit_before(r, SPACE_L1, from + (uint64_t)((c1 * p->h + y) * p->w + x) * 32 + (uint64_t)b);
}

static void first_version(enum isa_id id, enum isa_space space, enum isa_type t, int elem, const char *chip, uint64_t seed)
{
	struct unit_rig r;
	uint64_t pos, filter;
	unit_open(&r, chip, CORE_FUSED, seed);
	unsigned v = unit_variant(id, t, TYPE_NONE, TYPE_NONE);
	for (int round = 0; round < 2 * ROUNDS; round++) {
		struct first p;
		do {
			p = (struct first){ .w = (int)unit_between(&r, 1, 12), .h = (int)unit_between(&r, 1, 12),
					    .pl = (int)unit_between(&r, 0, 2), .pr = (int)unit_between(&r, 0, 2),
					    .pt = (int)unit_between(&r, 0, 2), .pb = (int)unit_between(&r, 0, 2),
					    .sw = (int)unit_between(&r, 1, 3), .sh = (int)unit_between(&r, 1, 3),
					    .fw = (int)unit_between(&r, 1, 3), .fh = (int)unit_between(&r, 1, 3),
					    .dw = (int)unit_between(&r, 1, 2), .dh = (int)unit_between(&r, 1, 2) };
		} while (p.w + p.pl + p.pr < p.dw * (p.fw - 1) + 1 || p.h + p.pt + p.pb < p.dh * (p.fh - 1) + 1);
		int across = (p.w + p.pl + p.pr - p.dw * (p.fw - 1) - 1) / p.sw + 1;
		int down = (p.h + p.pt + p.pb - p.dh * (p.fh - 1) - 1) / p.sh + 1;
		p.x = (int)unit_between(&r, 0, (uint64_t)across - 1) * p.sw - p.pl;
		p.y = (int)unit_between(&r, 0, (uint64_t)down - 1) * p.sh - p.pt;
		p.fetch_w = (int)unit_between(&r, 0, (uint64_t)p.fw - 1);
		p.fetch_h = (int)unit_between(&r, 0, (uint64_t)p.fh - 1);
		p.c1 = (int)unit_between(&r, 0, 2);
		p.n = (int)unit_between(&r, 1, 9);
		p.jump = (int)unit_between(&r, 1, 3);
		p.mode = round % 2;
		r.op.spr.padding = unit_random(&r);
		uint64_t from = 32 * unit_between(&r, 0, 9), to = 512 * unit_between(&r, 0, 3);
		first_words(&p, &r, &pos, &filter);
		unit_run(&r, id, v, to, from, pos, filter);
		for (int rep = 0; rep < p.n; rep++)
			for (int row = 0; row < 16; row++)
				for (int b = 0; b < 32; b++) {
					int at = space == SPACE_L0B ? b / 2 * 32 + row * 2 + b % 2 : row * 32 + b;
					cr_assert_eq(*unit_at(&r, space, to + (uint64_t)(rep * p.jump * 512 + at)),
						     first_byte(&r, &p, from, rep, row, b, elem),
						     "round %d repeat %d row %d byte %d seed %" PRIu64, round, rep, row, b,
							seed);
				}
	}
	struct first ok = { .w = 8, .h = 8, .sw = 1, .sh = 1, .fw = 2, .fh = 2, .dw = 1, .dh = 1, .jump = 1, .n = 1 }, p;
#define REFUSE(class, text, change)                                                                                    \
	p = ok, change, first_words(&p, &r, &pos, &filter), unit_refuse(&r, class, text, id, v, 0, 0, pos, filter)
	REFUSE(FAIL_KERNEL, "feature map of 0 x 8", p.w = 0);
	REFUSE(FAIL_KERNEL, "none may be 0", p.sw = 0);
	REFUSE(FAIL_KERNEL, "none may be 0", p.dh = 0);
	REFUSE(FAIL_KERNEL, "point (2, 0) is outside the filter", p.fetch_w = 2);
	REFUSE(FAIL_KERNEL, "begins before -255", p.x = -256);
	REFUSE(FAIL_KERNEL, "jump stride 0", (p.n = 2, p.jump = 0));
	REFUSE(FAIL_KERNEL, "reads L1 bytes", p.c1 = 4000);
	p = ok, first_words(&p, &r, &pos, &filter);
	unit_refuse(&r, FAIL_MODEL, "small channel blocks", id, v, 0, 0, pos, filter | UINT64_C(1) << 52);
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", id, v, 0, 0, pos | UINT64_C(1) << 60, filter);
	unit_refuse(&r, FAIL_KERNEL, "destination address 0x10", id, v, 16, 0, pos, filter);
	unit_refuse(&r, FAIL_KERNEL, "source address 0x10 in L1", id, v, 0, 16, pos, filter);
	p = ok, p.n = 0, first_words(&p, &r, &pos, &filter);
	unit_run(&r, id, v, 0, 0, pos, filter);
	cr_assert(r.e.nop);
	unit_close(&r);
}

Test(isa_loads, img2col1_to_ca)
{
	first_version(INSN_img2col_cbuf_to_ca, SPACE_L0A, TYPE_B16, 2, "ascend910", 105);
	first_version(INSN_img2col_cbuf_to_ca, SPACE_L0A, TYPE_B8, 1, "ascend310p", 106);
}

Test(isa_loads, img2col1_to_ub)
{
	first_version(INSN_img2col_cbuf_to_ub, SPACE_UB, TYPE_B16, 2, "ascend310p", 107);
	first_version(INSN_img2col_cbuf_to_ub, SPACE_UB, TYPE_B8, 1, "ascend910", 108);
}

Test(isa_loads, img2col1_to_cb)
{
	first_version(INSN_img2col_cbuf_to_cb, SPACE_L0B, TYPE_B16, 2, "ascend910", 109);
}
