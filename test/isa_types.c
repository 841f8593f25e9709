/*
 * isa_types.c - every row of the data-movement units in every one of its types, where the directed tests took one: fills,
 * fractal loads, transposing loads, img2col of 4-bit elements, copies and broadcasts between UB and L0C, against plain loops.
 */
#include "coverage.h"
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

/* Spaces by the row's name: "load_cbuf_to_ca" is L1 to L0A. */
static enum isa_space space_named(const char *name)
{
	static const struct { const char *name; enum isa_space space; } names[] = {
		{ "cbuf", SPACE_L1 }, { "ca", SPACE_L0A }, { "cb", SPACE_L0B }, { "gm", SPACE_GM } };
	for (size_t i = 0; i < 4; i++)
		if (strncmp(name, names[i].name, strlen(names[i].name)) == 0)
			return names[i].space;
	return SPACE_NONE;
}

static void fills(enum isa_id id, unsigned v)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_CUBE, 400 + id);
	enum isa_space space = space_named(strchr(isa_table[id].name, '_') + 1);
	uint64_t unit = space == SPACE_L1 ? 32 : 512, width = isa_type_bits(isa_operand_type(id, v, 0)) / 8;
	for (int round = 0; round < 4; round++) {
		uint64_t n = unit_between(&r, 1, 4), blocks = unit_between(&r, 1, 4), gap = unit_between(&r, 0, 2), value =
			unit_random(&r);
		unit_run(&r, id, v, 3 * unit, value, 0, n | blocks << 16 | gap << 32);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t b = 0; b < blocks * unit; b++)
				cr_assert_eq(*unit_at(&r, space, 3 * unit + i * (blocks + gap) * unit + b),
					(uint8_t)(value >> b % width * 8),
					     "%s variant %u", isa_table[id].name, v);
	}
	unit_close(&r);
}

static void loads(enum isa_id id, unsigned v)
{
	struct unit_rig r;
	const char *name = isa_table[id].name;
	unit_open(&r, "ascend910b1", CORE_CUBE, 500 + id);
	enum isa_space src = space_named(name + 5), dst = space_named(strstr(name, "_to_") + 4);
	for (int round = 0; round < 4; round++) {
		bool down = round % 2;
		uint64_t n = unit_between(&r, 1, 6), stride = unit_between(&r, 0, 3), gap = unit_between(&r, 0, 2);
		uint64_t base = down ? (n - 1) * stride : unit_between(&r, 0, 9), from = src == SPACE_GM ? r.gm_addr + 7 : 96,
			to = 1024;
		unit_run(&r, id, v, to, from, 0, base | n << 16 | stride << 24 | gap << 44 | (uint64_t)down << 63);
		for (uint64_t i = 0; i < n; i++)
			cr_assert(memcmp(unit_at(&r, dst, to + i * (gap + 1) * 512),
					 unit_at(&r, src, from + (down ? base - i * stride : base + i * stride) * 512),
						512) == 0,
				  "%s variant %u", name, v);
	}
	unit_close(&r);
}

Test(isa_types, fills_and_fractal_loads)
{
	char err[256];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	int n = 0;
	for (unsigned id = 0; id < ISA_COUNT; id++)
		for (unsigned v = 0; v < isa_variants((enum isa_id)id); v++) {
			bool creates = strncmp(isa_table[id].name, "create_", 7) == 0;
			if (isa_table[id].form == FORM_FILL && creates)
				fills((enum isa_id)id, v);
			if (isa_table[id].form == FORM_LOAD2D)
				loads((enum isa_id)id, v);
			n += isa_table[id].form == FORM_LOAD2D || creates;
		}
	cr_assert_gt(n, 30);
}

/* --- img2col of 4-bit elements: blocks of 64 channels move whole; padding is a nibble */
Test(isa_types, img2col_s4)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_CUBE, 601);
	uint64_t w = 5, h = 6, wo = 5, ho = 6; /* 3 x 3, padding 1, stride 1 */
	r.op.spr.fmatrix = w | h << 16 | UINT64_C(0x01010101) << 32;
	r.op.spr.padding = 0x9;
	uint64_t filter = 1 | 1 << 6 | 3 << 12 | 3 << 20 | UINT64_C(1) << 28 | UINT64_C(1) << 36 | UINT64_C(64) << 48;
	unit_run(&r, INSN_img2colv2_cbuf_to_ca_s4, 0, 0, 64, 9 * 64 | 32 << 16, filter);
	for (uint64_t m = 0; m < 32; m++)
		for (uint64_t point = 0; point < 9; point++)
			for (uint64_t b = 0; b < 32; b++) {
				int64_t y = (int64_t)(m / wo + point / 3) - 1, x = (int64_t)(m % wo + point % 3) - 1;
				uint8_t want = 0x99, got = *unit_at(&r, SPACE_L0A, ((m / 16 * 9 + point) * 16 + m % 16) * 32 +
					b);
				if (m >= wo * ho)
					want = 0;
				else if (y >= 0 && y < (int64_t)h && x >= 0 && x < (int64_t)w)
					want = *unit_at(&r, SPACE_L1, 64 + ((uint64_t)y * w + (uint64_t)x) * 32 + b);
				cr_assert_eq(got, want, "row %" PRIu64 " point %" PRIu64 " byte %" PRIu64, m, point, b);
			}
	unit_close(&r);
}

/* --- UB and L0C: fractals of one type; fp16 becomes fp32 on the way in */
static void fractal_copies(enum isa_id id, unsigned v)
{
	struct unit_rig r;
	unit_open(&r, "ascend910", CORE_FUSED, 610 + v);
	enum isa_type d = isa_operand_type(id, v, 0), s = isa_operand_type(id, v, 1);
	bool out = id == INSN_copy_matrix_cc_to_ubuf;
	uint64_t bytes = isa_type_bits(s) / 8, to_bytes = isa_type_bits(d) / 8, n = 2, len = 3, src_gap = 2, dst_gap = 1;
	unit_run(&r, id, v, 1024, 2048, d == s ? 0 : 4, n << 4 | len << 16 | src_gap << 32 | dst_gap << 48);
	enum isa_space from = out ? SPACE_L0C : SPACE_UB, to = out ? SPACE_UB : SPACE_L0C;
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < len * 256; j++) {
			uint64_t a = 2048 + i * (len * 256 * bytes + src_gap * (out ? 256 * bytes : 32)) + j * bytes;
			uint64_t b = 1024 + i * (len * 256 * to_bytes + dst_gap * (out ? 32 : 256 * to_bytes)) + j * to_bytes;
			if (d == s) {
				cr_assert(memcmp(unit_at(&r, to, b), unit_at(&r, from, a), bytes) == 0, "%s variant %u",
					isa_table[id].name, v);
				continue;
			}
			uint16_t half;
			float got;
			memcpy(&half, unit_at(&r, from, a), 2);
			memcpy(&got, unit_at(&r, to, b), 4);
			double want = layout_half(half);
			cr_assert(want != want ? got != got : (double)got == want);
		}
	unit_close(&r);
}

Test(isa_types, fractals_between_ub_and_l0c)
{
	char err[256];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	for (unsigned v = 0; v < isa_variants(INSN_copy_matrix_cc_to_ubuf); v++)
		if (isa_operand_type(INSN_copy_matrix_cc_to_ubuf, v, 0) == isa_operand_type(INSN_copy_matrix_cc_to_ubuf, v, 1))
			fractal_copies(INSN_copy_matrix_cc_to_ubuf, v);
	for (unsigned v = 0; v < isa_variants(INSN_copy_matrix_ubuf_to_cc); v++)
		fractal_copies(INSN_copy_matrix_ubuf_to_cc, v);
}

Test(isa_types, broadcasts)
{
	struct unit_rig r;
	unit_open(&r, "ascend310p", CORE_FUSED, 620);
	for (unsigned v = 0; v < isa_variants(INSN_broadcast_ub_to_cc); v++) {
		enum isa_type d = isa_operand_type(INSN_broadcast_ub_to_cc, v, 0), s =
			isa_operand_type(INSN_broadcast_ub_to_cc, v, 1);
		uint64_t bytes = isa_type_bits(d) / 8, n = 2, len = 2, src_gap = 3, dst_gap = 1;
		if (d != s)
			continue; /* mte_bcast.rows */
		unit_run(&r, INSN_broadcast_ub_to_cc, v, 2048, 64, 0, n | len << 8 | src_gap << 16 | dst_gap << 24);
		for (uint64_t i = 0; i < n; i++)
			for (uint64_t q = 0; q < len; q++)
				for (uint64_t row = 0; row < 16; row++)
					cr_assert(memcmp(unit_at(&r, SPACE_L0C, 2048 + (i * (len + dst_gap) +
						q) * 256 * bytes + row * 16 * bytes),
							 unit_at(&r, SPACE_UB, 64 + i * (len * 16 * bytes + src_gap * 32) +
								q * 16 * bytes),
							 16 * bytes) == 0);
	}
	unit_close(&r);
}

Test(isa_types, transpose_of_signed_elements)
{
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_VEC, 621);
	unsigned v = unit_variant(INSN_vtranspose, TYPE_S16, TYPE_NONE, TYPE_NONE);
	unit_run(&r, INSN_vtranspose, v, 1024, 0, 0, 0);
	for (uint64_t i = 0; i < 256; i++)
		cr_assert(memcmp(unit_at(&r, SPACE_UB, 1024 + 2 * i), unit_at(&r, SPACE_UB, 2 * (i % 16 * 16 + i / 16)), 2) ==
			0);
	unit_close(&r);
}

/* scatter_vnchwconv takes its addresses from VA registers: edges and mistakes of the three widths. */
Test(isa_types, transposes_through_va_registers)
{
	static const enum isa_id ids[] = { INSN_scatter_vnchwconv_b8, INSN_scatter_vnchwconv_b16, INSN_scatter_vnchwconv_b32 };
	struct unit_rig r;
	unit_open(&r, "ascend910b1", CORE_VEC, 622);
	uint64_t blocks = (uint64_t)r.mem.size[SPACE_UB] / 32, one = UINT64_C(1) << 56;
	for (int k = 0; k < 3; k++) {
		for (uint16_t i = 0; i < 16; i++) {
			r.op.spr.va[i / 8][i % 8] = i;
			r.op.spr.va[2 + i / 8][i % 8] = (uint16_t)(blocks - 16 + i);
		}
		cr_assert(unit_try(&r, ids[k], 0, 2, 0, 0, one | (k ? 0 : UINT64_C(1) << 32)), "%s", r.f.what);
		unit_refuse(&r, FAIL_KERNEL, "a pair starts at VA0..VA6", ids[k], 0, 7, 0, 0, one);
		unit_refuse(&r, FAIL_KERNEL, "repeat strides must be 0", ids[k], 0, 2, 0, 0, one | 1);
		if (k)
			unit_refuse(&r, FAIL_KERNEL, "halves of blocks", ids[k], 0, 2, 0, 0, one | UINT64_C(1) << 33);
		r.op.spr.va[3][7] = (uint16_t)blocks;
		unit_refuse(&r, FAIL_KERNEL, "writes UB bytes", ids[k], 0, 2, 0, 0, one | (k ? 0 : UINT64_C(1) << 32));
	}
	unit_close(&r);
}
