/*
 * mte_load_test.c - fractal loads, transposing loads, img2col, fills, table loads and the fused chip's L0C copies against
 * loops written from hardware.md 3.5, 3.6 and 4; one planted mistake per limit.
 */
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

enum { ROUNDS = 30 };

static uint64_t load_word(uint64_t base, uint64_t repeat, uint64_t stride, uint64_t gap, uint64_t transpose,
	uint64_t down)
{
	return base | repeat << 16 | stride << 24 | gap << 44 | transpose << 62 | down << 63;
}

static void load2d(enum isa_id id, enum isa_type type, enum isa_space dst, enum isa_space src, bool transpose,
	uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	unsigned variant = unit_variant(id, type, TYPE_NONE, TYPE_NONE);
	for (int round = 0; round < ROUNDS; round++) {
		bool down = round % 2;
		uint64_t n = unit_between(&r, 1, 9), stride = unit_between(&r, 0, 6), gap = unit_between(&r, 0, 3);
		uint64_t base = down ? (n - 1) * stride + unit_between(&r, 0, 5) : unit_between(&r, 0, 50);
		uint64_t from = (src == SPACE_GM ? r.gm_addr + unit_between(&r, 0, 99) : unit_between(&r, 0, 99) * 32);
		uint64_t to = unit_between(&r, 0, 20) * 512;
		unit_run(&r, id, variant, to, from, 0, load_word(base, n, stride, gap, transpose, down));
		for (uint64_t i = 0; i < n; i++) {
			uint64_t s = from + (down ? base - i * stride : base + i * stride) * 512,
				d = to + i * (gap + 1) * 512;
			for (uint64_t b = 0; b < 512; b++) {
				uint64_t at = transpose ? (b / 2 % 16 * 16 + b / 32) * 2 + b % 2 : b;
				cr_assert_eq(*unit_at(&r, dst, d + b), *unit_before(&r, src, s + at), "seed %" PRIu64,
					seed);
			}
		}
		cr_assert_eq(r.e.repeats, n);
		cr_assert_eq(r.e.gm.any, src == SPACE_GM);
	}
	unit_close(&r);
}

Test(mte_load2d, l1_to_l0a) { load2d(INSN_load_cbuf_to_ca, TYPE_B16, SPACE_L0A, SPACE_L1, false, 1); }
Test(mte_load2d, l1_to_l0b) { load2d(INSN_load_cbuf_to_cb, TYPE_B16, SPACE_L0B, SPACE_L1, false, 2); }
Test(mte_load2d, l1_to_l0a_transposed) { load2d(INSN_load_cbuf_to_ca, TYPE_B16, SPACE_L0A, SPACE_L1, true, 3); }
Test(mte_load2d, l1_to_l0b_transposed) { load2d(INSN_load_cbuf_to_cb, TYPE_B16, SPACE_L0B, SPACE_L1, true, 4); }
Test(mte_load2d, gm_to_l0a) { load2d(INSN_load_gm_to_ca, TYPE_B32, SPACE_L0A, SPACE_GM, false, 5); }
Test(mte_load2d, gm_to_l0b) { load2d(INSN_load_gm_to_cb, TYPE_B8, SPACE_L0B, SPACE_GM, false, 6); }
Test(mte_load2d, s4) { load2d(INSN_load_cbuf_to_ca_s4, TYPE_NONE, SPACE_L0A, SPACE_L1, false, 9); }
Test(mte_load2d, gm_to_l1) { load2d(INSN_load_gm_to_cbuf, TYPE_B16, SPACE_L1, SPACE_GM, false, 7); }

Test(mte_load2d, limits)
{
	struct unit_rig r;
	unsigned b8;

	unit_open(&r, "ascend910b1", CORE_CUBE, 8);
	b8 = unit_variant(INSN_load_cbuf_to_ca, TYPE_B8, TYPE_NONE, TYPE_NONE);
	unit_refuse(&r, FAIL_KERNEL, "in L0A is not a multiple of 512", INSN_load_cbuf_to_ca, 0, 256, 0, 0, load_word(0,
		1, 0, 0, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "in L1 is not a multiple of 32", INSN_load_cbuf_to_ca, 0, 0, 16, 0, load_word(0, 1,
		0, 0, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "2-byte elements", INSN_load_cbuf_to_ca, b8, 0, 0, 0, load_word(0, 1, 0, 0, 1, 0));
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_load_cbuf_to_ca, 0, 0, 0, 0, load_word(0, 1, 0, 0, 0,
		0) | UINT64_C(1) << 60);
	unit_refuse(&r, FAIL_KERNEL, "writes L0A bytes", INSN_load_cbuf_to_ca, 0, 65536 - 512, 0, 0, load_word(0, 2, 1,
		0, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "reads L1 bytes", INSN_load_cbuf_to_ca, 0, 0, 0, 0, load_word(1, 3, 1, 0, 0, 1));
	unit_run(&r, INSN_load_cbuf_to_ca, 0, 0, 0, 0, load_word(2, 3, 1, 0, 0, 1));
	unit_run(&r, INSN_load_cbuf_to_ca, 0, 0, 0, 0, load_word(0, 0, 1, 0, 0, 0));
	cr_assert(r.e.nop);
	unit_close(&r);
}

/* Element (row, column) of a square: rows of 32 bytes, fractals of 16 rows; 4-byte squares have two fractals side by side. */
static unsigned square_get(const uint8_t *const frac[4], unsigned bits, unsigned row, unsigned col, unsigned byte)
{
	const uint8_t *f = bits == 32 ? frac[col / 8] : frac[row / 16];
	unsigned per = 256 / bits, at = row % 16 * per + col % per;

	if (bits == 4)
		return f[at / 2] >> (at % 2 * 4) & 15;
	return f[at * bits / 8 + byte];
}

static void loadtr(enum isa_id id, enum isa_type type, unsigned bits, unsigned side, enum isa_space dst, uint64_t seed)
{
	struct unit_rig r;
	unsigned fractals = bits == 4 ? 4 : bits == 16 ? 1 : 2;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	unsigned variant = bits == 4 ? 0 : unit_variant(id, type, TYPE_NONE, TYPE_NONE);
	for (int round = 0; round < 10; round++) {
		bool down = round % 2;
		uint64_t n = unit_between(&r, 1, 3), stride = unit_between(&r, 1, 3),
			base = down ? (n - 1) * stride : unit_between(&r, 0, 4);
		uint64_t frac_gap = unit_between(&r, 0, 2), src_gap = 0, gap = fractals * (frac_gap + 1) - 1;
		uint64_t to = unit_between(&r, 0, 4) * 512, from = unit_between(&r, 0, 50) * 32;
		unit_run(&r, id, variant, to, from, frac_gap | src_gap << 16,
			base | n << 16 | stride << 24 | gap << 44 | (uint64_t)down << 63);
		for (uint64_t i = 0; i < n; i++) {
			const uint8_t *s[4], *d[4];
			for (unsigned k = 0; k < fractals; k++) {
				s[k] = unit_before(&r, SPACE_L1,
					from + (down ? base - i * stride : base + i * stride) * fractals * 512 + k * 512);
				d[k] = unit_at(&r, dst, to + i * (gap + 1) * 512 + k * (frac_gap + 1) * 512);
			}
			for (unsigned row = 0; row < side; row++)
				for (unsigned col = 0; col < side; col++)
					for (unsigned b = 0; b < (bits == 4 ? 1 : bits / 8); b++)
						cr_assert_eq(square_get(d, bits, row, col, b), square_get(s, bits, col,
							row, b),
							     "(%u, %u) seed %" PRIu64, row, col, seed);
		}
	}
	unit_close(&r);
}

Test(mte_loadtr, b16) { loadtr(INSN_load_cbuf_to_cb_transpose, TYPE_B16, 16, 16, SPACE_L0B, 11); }
Test(mte_loadtr, b16_ca) { loadtr(INSN_load_cbuf_to_ca_transpose, TYPE_B16, 16, 16, SPACE_L0A, 15); }
Test(mte_loadtr, b8_ca) { loadtr(INSN_load_cbuf_to_ca_transpose, TYPE_B8, 8, 32, SPACE_L0A, 16); }
Test(mte_loadtr, b32_cb) { loadtr(INSN_load_cbuf_to_cb_transpose, TYPE_B32, 32, 16, SPACE_L0B, 17); }
Test(mte_loadtr, b8) { loadtr(INSN_load_cbuf_to_cb_transpose, TYPE_B8, 8, 32, SPACE_L0B, 12); }
Test(mte_loadtr, b32) { loadtr(INSN_load_cbuf_to_ca_transpose, TYPE_B32, 32, 16, SPACE_L0A, 13); }
Test(mte_loadtr, s4) { loadtr(INSN_load_cbuf_to_cb_transpose_s4, TYPE_NONE, 4, 64, SPACE_L0B, 14); }

Test(mte_loadtr, limits)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, 15);
	unit_refuse(&r, FAIL_KERNEL, "multiple of 512", INSN_load_cbuf_to_ca_transpose, 0, 32, 0, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "multiple of 32", INSN_load_cbuf_to_ca_transpose, 0, 0, 8, 0, 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", INSN_load_cbuf_to_ca_transpose, 0, 0, 0, UINT64_C(1) << 32,
		1 << 16);
	unit_run(&r, INSN_load_cbuf_to_ca_transpose, 0, 0, 0, 0, 0);
	cr_assert(r.e.nop);
	unit_close(&r);
}

/* img2col: A[m,k] by the formula, from NC1HWC0 */
struct conv { uint64_t w, h, pl, pr, pt, pb, sw, sh, fw, fh, dw, dh, c, c0; };

static uint64_t conv_map(const struct conv *p)
{
	return p->w | p->h << 16 | p->pl << 32 | p->pr << 40 | p->pt << 48 | p->pb << 56;
}

static uint64_t conv_word(const struct conv *p, uint64_t transpose, uint64_t sel)
{
	return p->sw | p->sh << 6 | (p->fw & 255) << 12 | (p->fh & 255) << 20 | p->dw << 28 | p->dh << 36 | p->fw >> 8 << 44 |
	       p->fh >> 8 << 45 | transpose << 46 | sel << 47 | p->c << 48;
}

static uint64_t window_word(uint64_t k_ext, uint64_t m_ext, uint64_t k_pos, uint64_t m_pos)
{
	return k_ext | m_ext << 16 | k_pos << 32 | m_pos << 48;
}

static uint64_t conv_wo(const struct conv *p) { return (p->w + p->pl + p->pr - p->dw * (p->fw - 1) - 1) / p->sw + 1; }
static uint64_t conv_ho(const struct conv *p) { return (p->h + p->pt + p->pb - p->dh * (p->fh - 1) - 1) / p->sh + 1; }

/* Byte of an element of the im2col matrix; beyond the matrix it is zero. */
static uint8_t conv_byte(struct unit_rig *r, const struct conv *p, uint64_t from, uint64_t m, uint64_t k, uint64_t b,
	uint64_t pad)
{
	uint64_t wo = conv_wo(p), elem = 32 / p->c0;
	uint64_t c1 = k / (p->fh * p->fw * p->c0), kh = k / (p->fw * p->c0) % p->fh, kw = k / p->c0 % p->fw,
		c = k % p->c0;
	int64_t h = (int64_t)(m / wo * p->sh + kh * p->dh) - (int64_t)p->pt,
		w = (int64_t)(m % wo * p->sw + kw * p->dw) - (int64_t)p->pl;

	if (m >= wo * conv_ho(p) || c1 * p->c0 >= p->c)
		return 0;
	if (h < 0 || h >= (int64_t)p->h || w < 0 || w >= (int64_t)p->w)
		return (uint8_t)(pad >> 8 * b);
	return *unit_before(r, SPACE_L1,
		from + (((c1 * p->h + (uint64_t)h) * p->w + (uint64_t)w) * p->c0 + c) * elem + b);
}

static struct conv conv_random(struct unit_rig *r, uint64_t c0)
{
	struct conv p;

	do {
		p = (struct conv){ .w = unit_between(r, 1, 12), .h = unit_between(r, 1, 12), .pl = unit_between(r, 0,
			3),
				   .pr = unit_between(r, 0, 3), .pt = unit_between(r, 0, 3), .pb = unit_between(r, 0,
					3),
				   .sw = unit_between(r, 1, 3), .sh = unit_between(r, 1, 3), .fw = unit_between(r, 1,
					3),
				   .fh = unit_between(r, 1, 3), .dw = unit_between(r, 1, 2), .dh = unit_between(r, 1,
					2),
				   .c = unit_between(r, 1, 3) * c0, .c0 = c0 };
	} while (p.w + p.pl + p.pr < p.dw * (p.fw - 1) + 1 || p.h + p.pt + p.pb < p.dh * (p.fh - 1) + 1);
	return p;
}

static void img2col(enum isa_id id, enum isa_type type, uint64_t elem, enum isa_space space, bool transpose,
	uint64_t seed)
{
	struct unit_rig r;
	uint64_t c0 = 32 / elem;
	bool to_b = space == SPACE_L0B, across = to_b || transpose;

	unit_open(&r, space == SPACE_UB ? "ascend310p" : "ascend910b1", space == SPACE_UB ? CORE_FUSED : CORE_CUBE, seed);
	unsigned variant = unit_variant(id, type, TYPE_NONE, TYPE_NONE);
	for (int round = 0; round < ROUNDS; round++) {
		struct conv p = conv_random(&r, c0);
		uint64_t ms = (conv_wo(&p) * conv_ho(&p) + 15) / 16, ks = p.c / c0 * p.fw * p.fh, m1 = unit_between(&r,
			0, ms - 1);
		uint64_t m_pos = m1 * 16, m_ext = unit_between(&r, 1, (ms - m1 < 4 ? ms - m1 : 4) * 16);
		uint64_t k_first = unit_between(&r, 0, ks - 1), k_pos = k_first * c0,
			left = ks - k_first < 5 ? ks - k_first : 5;
		uint64_t k_ext = unit_between(&r, 1, left) * c0, from = unit_between(&r, 0, 50) * 32,
			to = unit_between(&r, 0, 5) * 512;
		bool second = round % 2;
		r.op.spr.padding = unit_random(&r);
		r.op.spr.fmatrix = second ? 0 : conv_map(&p);
		r.op.spr.fmatrix_b = second ? conv_map(&p) : 0;
		unit_run(&r, id, variant, to, from, window_word(k_ext, m_ext, k_pos, m_pos), conv_word(&p, transpose,
			second));
		uint64_t rows = (m_ext + 15) / 16 * 16;
		for (uint64_t m = 0; m < rows; m++)
			for (uint64_t k = 0; k < k_ext; k++) {
				uint64_t at = !across ? layout_zz(m, k, k_ext / c0, c0)
					      : to_b ? layout_zn(m, k, (k_ext + 15) / 16, c0) : layout_zz(k, m,
						(rows + c0 - 1) / c0, c0);
				for (uint64_t b = 0; b < elem; b++)
					cr_assert_eq(*unit_at(&r, space, to + at * elem + b),
						     conv_byte(&r, &p, from, m_pos + m, k_pos + k, b, r.op.spr.padding),
						     "m %" PRIu64 " k %" PRIu64 " round %d seed %" PRIu64, m, k, round,
							seed);
			}
	}
	unit_close(&r);
}

Test(mte_img2col, l0a_f16) { img2col(INSN_img2colv2_cbuf_to_ca, TYPE_B16, 2, SPACE_L0A, false, 41); }
Test(mte_img2col, l0a_b8) { img2col(INSN_img2colv2_cbuf_to_ca, TYPE_B8, 1, SPACE_L0A, false, 42); }
Test(mte_img2col, l0a_f32) { img2col(INSN_img2colv2_cbuf_to_ca, TYPE_B32, 4, SPACE_L0A, false, 43); }
Test(mte_img2col, l0a_transposed) { img2col(INSN_img2colv2_cbuf_to_ca, TYPE_B16, 2, SPACE_L0A, true, 44); }
Test(mte_img2col, l0b_f16) { img2col(INSN_img2colv2_cbuf_to_cb, TYPE_B16, 2, SPACE_L0B, false, 45); }
Test(mte_img2col, l0b_f32) { img2col(INSN_img2colv2_cbuf_to_cb, TYPE_B32, 4, SPACE_L0B, false, 46); }

Test(mte_img2col, l0b_b8) { img2col(INSN_img2colv2_cbuf_to_cb, TYPE_B8, 1, SPACE_L0B, false, 48); }
Test(mte_img2col, ub_f16) { img2col(INSN_img2colv2_cbuf_to_ub, TYPE_B16, 2, SPACE_UB, false, 49); }
Test(mte_img2col, ub_b8) { img2col(INSN_img2colv2_cbuf_to_ub, TYPE_B8, 1, SPACE_UB, false, 50); }
Test(mte_img2col, ub_f32) { img2col(INSN_img2colv2_cbuf_to_ub, TYPE_B32, 4, SPACE_UB, false, 51); }

Test(mte_img2col, limits)
{
	struct unit_rig r;
	struct conv ok = { .w = 8, .h = 8, .sw = 1, .sh = 1, .fw = 3, .fh = 3, .dw = 1, .dh = 1, .c = 16, .c0 = 16 }, p;
	uint64_t win = window_word(16, 16, 0, 0);

	unit_open(&r, "ascend910b1", CORE_CUBE, 47);
	unsigned v = unit_variant(INSN_img2colv2_cbuf_to_ca, TYPE_B16, TYPE_NONE, TYPE_NONE);
	r.op.spr.fmatrix = conv_map(&ok);
	unit_run(&r, INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&ok, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "set_fmatrix", INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&ok, 0, 1));
	p = ok, p.sw = 0;
	unit_refuse(&r, FAIL_KERNEL, "none may be 0", INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&p, 0, 0));
	p = ok, p.c = 8;
	unit_refuse(&r, FAIL_MODEL, "channels", INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&p, 0, 0));
	p = ok, p.fw = 9;
	unit_refuse(&r, FAIL_KERNEL, "does not fit", INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&p, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "window starts", INSN_img2colv2_cbuf_to_ca, v, 0, 0, window_word(16, 16, 8, 0),
		conv_word(&ok, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "window starts", INSN_img2colv2_cbuf_to_ca, v, 0, 0, window_word(16, 16, 0, 8),
		conv_word(&ok, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "multiple of 512", INSN_img2colv2_cbuf_to_ca, v, 32, 0, win, conv_word(&ok, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "reads L1", INSN_img2colv2_cbuf_to_ca, v, 0, 524288 - 512, win, conv_word(&ok, 0,
		0));
	r.op.spr.l3d_rpt = 2 << 16 | UINT64_C(1) << 32;
	unit_refuse(&r, FAIL_MODEL, "set_l3d_rpt", INSN_img2colv2_cbuf_to_ca, v, 0, 0, win, conv_word(&ok, 0, 0));
	unit_close(&r);
}

/* set_l1_3d_size: reads past the boundary go on at the start of L1. */
Test(mte_img2col, circular)
{
	struct unit_rig r;
	struct conv p = { .w = 16, .h = 1, .sw = 1, .sh = 1, .fw = 1, .fh = 1, .dw = 1, .dh = 1, .c = 16, .c0 = 16 };

	unit_open(&r, "ascend910b1", CORE_CUBE, 48);
	r.op.spr.fmatrix = conv_map(&p);
	r.op.spr.l3d_size = 1024;
	unit_run(&r, INSN_img2colv2_cbuf_to_ca, unit_variant(INSN_img2colv2_cbuf_to_ca, TYPE_B16, TYPE_NONE, TYPE_NONE),
		0, 768,
		window_word(16, 16, 0, 0), conv_word(&p, 0, 0));
	cr_assert_eq(memcmp(unit_at(&r, SPACE_L0A, 0), unit_at(&r, SPACE_L1, 768), 256), 0);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_L0A, 256), unit_at(&r, SPACE_L1, 0), 256), 0);
	unit_close(&r);
}

/* Fills */
static void fill(enum isa_id id, unsigned width, enum isa_space space, uint64_t unit, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	for (int round = 0; round < 10; round++) {
		uint64_t n = unit_between(&r, 1, 5), blocks = unit_between(&r, 1, 4), gap = unit_between(&r, 0, 3);
		uint64_t to = unit_between(&r, 0, 9) * unit, value = unit_random(&r);
		unit_run(&r, id, 0, to, value, 0, n | blocks << 16 | gap << 32);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < blocks * unit; b++)
				cr_assert_eq(*unit_at(&r, space, to + i * (blocks + gap) * unit + b),
					(uint8_t)(value >> b % width * 8));
	}
	unit_run(&r, id, 0, 0, 1, 0, 3);
	cr_assert(r.e.nop, "no blocks: nothing happens");
	unit_refuse(&r, FAIL_KERNEL, "not a multiple of", id, 0, 16, 1, 0, 1 | 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "reserved bits", id, 0, 0, 1, 0, 1 | UINT64_C(1) << 50);
	unit_close(&r);
}

Test(mte_fill, l1_bf16) { fill(INSN_create_cbuf_matrix_bf16, 2, SPACE_L1, 32, 51); }
Test(mte_fill, l0a_half) { fill(INSN_create_ca_matrix_h, 2, SPACE_L0A, 512, 52); }
Test(mte_fill, l0b_uint) { fill(INSN_create_cb_matrix_ui, 4, SPACE_L0B, 512, 53); }

/* c100 has repeats of one fractal; blocks and gaps came later. */
Test(mte_fill, first_generation)
{
	struct unit_rig r;
	const uint16_t value = 0x4242;

	unit_open(&r, "ascend910", CORE_FUSED, 54);
	unsigned v = unit_variant(INSN_create_ca_matrix, TYPE_F16, TYPE_NONE, TYPE_NONE);
	unit_run(&r, INSN_create_ca_matrix, v, 512, value, 0, 3);
	for (unsigned i = 0; i < 3 * 256; i++)
		cr_assert_eq(memcmp(unit_at(&r, SPACE_L0A, 512 + 2 * i), &value, 2), 0);
	cr_assert_eq(r.e.bytes, 3u * 512);
	unit_refuse(&r, FAIL_KERNEL, "do not exist on c100", INSN_create_ca_matrix, v, 0, value, 0, 3 | 2 << 16);
	unit_close(&r);
}

/* Tables */
Test(mte_table, bias)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, 61);
	/* two bursts of 64 bytes, source gap 3 x 32 bytes, destination gap 1 x 64 */
	unit_run(&r, INSN_copy_cbuf_to_bt, 0, 64, 96, 0,
		UINT64_C(2) << 4 | 1 << 16 | UINT64_C(3) << 32 | UINT64_C(1) << 48);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_BT, 64), unit_at(&r, SPACE_L1, 96), 64), 0);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_BT, 192), unit_at(&r, SPACE_L1, 256), 64), 0);
	for (uint16_t i = 0; i < 32; i++) {
		uint16_t h = (uint16_t)(0x3c00 + 97 * i);
		memcpy(unit_at(&r, SPACE_L1, 2 * i), &h, 2);
	}
	unit_run(&r, INSN_copy_cbuf_to_bt, 0, 0, 0, 1, 1 << 4 | 1 << 16); /* f16 to f32 */
	for (uint16_t i = 0; i < 32; i++) {
		float got;
		memcpy(&got, unit_at(&r, SPACE_BT, 4 * i), 4);
		cr_assert_eq(got, (float)layout_half((uint16_t)(0x3c00 + 97 * i)));
	}
	unit_refuse(&r, FAIL_KERNEL, "conversion control", INSN_copy_cbuf_to_bt, 0, 0, 0, 2, 1 << 4 | 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "in BT is not a multiple of 64", INSN_copy_cbuf_to_bt, 0, 32, 0, 0,
		1 << 4 | 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "in L1 is not a multiple of 32", INSN_copy_cbuf_to_bt, 0, 0, 8, 0,
		1 << 4 | 1 << 16);
	unit_refuse(&r, FAIL_KERNEL, "writes BT", INSN_copy_cbuf_to_bt, 0, 1024 - 64, 0, 0, 1 << 4 | 2 << 16);
	unit_close(&r);
}

Test(mte_table, fixpipe_parameters)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, 62);
	unit_run(&r, INSN_copy_cbuf_to_fbuf, 0, 128, 32, 0, 1 << 4 | 2 << 16);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_FB, 128), unit_at(&r, SPACE_L1, 32), 256), 0);
	unit_refuse(&r, FAIL_KERNEL, "in FB is not a multiple of 128", INSN_copy_cbuf_to_fbuf, 0, 64, 0, 0,
		1 << 4 | 1 << 16);
	unit_close(&r);
}

/* Fused chips */
static uint64_t burst_word(uint64_t n, uint64_t len, uint64_t sg,
	uint64_t dg) { return n << 4 | len << 16 | sg << 32 | dg << 48; }

Test(mte_ccub, f32_to_ub_and_back)
{
	struct unit_rig r;

	unit_open(&r, "ascend910", CORE_FUSED, 71);
	/* two bursts of two fractals, one fractal apart in L0C, three blocks apart in UB */
	unsigned v = unit_variant(INSN_copy_matrix_cc_to_ubuf, TYPE_F32, TYPE_NONE, TYPE_NONE);
	unit_run(&r, INSN_copy_matrix_cc_to_ubuf, v, 64, 1024, 0, burst_word(2, 2, 1, 3));
	cr_assert_eq(memcmp(unit_at(&r, SPACE_UB, 64), unit_at(&r, SPACE_L0C, 1024), 2048), 0);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_UB, 64 + 2048 + 96), unit_at(&r, SPACE_L0C, 1024 + 3072), 2048), 0);
	v = unit_variant(INSN_copy_matrix_ubuf_to_cc, TYPE_F32, TYPE_NONE, TYPE_NONE);
	unit_run(&r, INSN_copy_matrix_ubuf_to_cc, v, 8192, 0, 0, burst_word(2, 1, 2, 1));
	cr_assert_eq(memcmp(unit_at(&r, SPACE_L0C, 8192), unit_at(&r, SPACE_UB, 0), 1024), 0);
	cr_assert_eq(memcmp(unit_at(&r, SPACE_L0C, 8192 + 2048), unit_at(&r, SPACE_UB, 1024 + 64), 1024), 0);
	unit_close(&r);
}

Test(mte_ccub, conversions)
{
	struct unit_rig r;

	unit_open(&r, "ascend910", CORE_FUSED, 72);
	unsigned to_half = unit_variant(INSN_copy_matrix_cc_to_ubuf, TYPE_F16, TYPE_F32, TYPE_NONE);
	unsigned deq = unit_variant(INSN_copy_matrix_cc_to_ubuf, TYPE_F16, TYPE_S32, TYPE_NONE);
	unsigned same = unit_variant(INSN_copy_matrix_cc_to_ubuf, TYPE_F32, TYPE_NONE, TYPE_NONE);
	for (int i = 0; i < 256; i++) {
		float v = (float)(i - 128) * 1.37f;
		memcpy(unit_at(&r, SPACE_L0C, 4u * (unsigned)i), &v, 4);
	}
	for (unsigned relu = 0; relu < 2; relu++) {
		unit_run(&r, INSN_copy_matrix_cc_to_ubuf, to_half, 0, 0, 1 + relu, burst_word(1, 1, 0, 0));
		for (unsigned i = 0; i < 256; i++) {
			float v, x;
			uint16_t h;
			memcpy(&v, unit_at(&r, SPACE_L0C, 4 * i), 4);
			memcpy(&h, unit_at(&r, SPACE_UB, 2 * i), 2);
			cr_assert_eq(h, layout_to_half(relu && v <= 0 ? 0 : v));
			unit_run(&r, INSN_copy_matrix_cc_to_ubuf, same, 4096, 0, relu ? 5 : 0, burst_word(1, 1, 0, 0));
			memcpy(&x, unit_at(&r, SPACE_UB, 4096 + 4 * i), 4);
			cr_assert_eq(x, relu && v <= 0 ? 0 : v);
		}
	}
	r.op.spr.deqscale = 0x3555; /* about 1/3 */
	for (int32_t i = 0; i < 256; i++) {
		int32_t s = (i - 100) * 77;
		memcpy(unit_at(&r, SPACE_L0C, 4u * (unsigned)i), &s, 4);
	}
	unit_run(&r, INSN_copy_matrix_cc_to_ubuf, deq, 0, 0, 7, burst_word(1, 1, 0, 0));
	for (int32_t i = 0; i < 256; i++) {
		uint16_t h;
		memcpy(&h, unit_at(&r, SPACE_UB, 2u * (unsigned)i), 2);
		cr_assert_eq(h, layout_to_half((float)((i - 100) * 77 * layout_half(0x3555))));
	}
	unit_refuse(&r, FAIL_KERNEL, "keeps the type", INSN_copy_matrix_cc_to_ubuf, to_half, 0, 0, 0, burst_word(1, 1,
		0, 0));
	unit_refuse(&r, FAIL_KERNEL, "makes f16 of f32", INSN_copy_matrix_cc_to_ubuf, same, 0, 0, 1, burst_word(1, 1, 0,
		0));
	unit_refuse(&r, FAIL_MODEL, "conversion mode 12", INSN_copy_matrix_cc_to_ubuf, to_half, 0, 0, 12, burst_word(1, 1,
		0, 0));
	unit_refuse(&r, FAIL_KERNEL, "no conversion mode", INSN_copy_matrix_cc_to_ubuf, to_half, 0, 0, 14, burst_word(1,
		1, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "in UB is not a multiple of 32", INSN_copy_matrix_cc_to_ubuf, same, 16, 0, 0,
		burst_word(1, 1, 0, 0));
	unit_refuse(&r, FAIL_KERNEL, "in L0C is not a multiple of 64", INSN_copy_matrix_cc_to_ubuf, same, 0, 32, 0,
		burst_word(1, 1, 0, 0));
	unit_close(&r);
}

Test(mte_bcast, rows)
{
	struct unit_rig r;

	unit_open(&r, "ascend910", CORE_FUSED, 73);
	unsigned v = unit_variant(INSN_broadcast_ub_to_cc, TYPE_F32, TYPE_NONE, TYPE_NONE);
	/* one burst of three fractals: 48 floats become rows of three fractals */
	unit_run(&r, INSN_broadcast_ub_to_cc, v, 2048, 32, 0, 1 | 3 << 8);
	for (unsigned q = 0; q < 3; q++)
		for (unsigned row = 0; row < 16; row++)
			cr_assert_eq(memcmp(unit_at(&r, SPACE_L0C, 2048 + q * 1024 + row * 64), unit_at(&r, SPACE_UB,
				32 + q * 64), 64), 0);
	v = unit_variant(INSN_broadcast_ub_to_cc, TYPE_F32, TYPE_F16, TYPE_NONE);
	for (uint16_t i = 0; i < 16; i++) {
		uint16_t h = (uint16_t)(0x3c00 + i);
		memcpy(unit_at(&r, SPACE_UB, 2u * i), &h, 2);
	}
	unit_run(&r, INSN_broadcast_ub_to_cc, v, 0, 0, 0, 1 | 1 << 8);
	for (unsigned i = 0; i < 256; i++) {
		float got;
		memcpy(&got, unit_at(&r, SPACE_L0C, 4 * i), 4);
		cr_assert_eq(got, (float)layout_half((uint16_t)(0x3c00 + i % 16)));
	}
	unit_close(&r);
}
