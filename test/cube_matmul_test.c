/*
 * cube_matmul_test.c - whole small matmuls by hand-made ops: nd2nz, fractal loads, mad, fixpipe to rows; odd sizes, with B
 * as it is and transposed, result fp32 and fp16, against a naive product with the same order of additions.
 */
#include "ref/layout_ref.h"
#include "unit_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

struct shape { uint64_t m, k, n; bool b_transposed, half; };

static uint64_t up16(uint64_t v) { return (v + 15) / 16 * 16; }

/* rows x cols halves at GM address from to NZ at L1 address to */
static void to_nz(struct unit_rig *r, uint64_t to, uint64_t from, uint64_t rows, uint64_t cols)
{
	unit_run(r, INSN_copy_gm_to_cbuf_multi_nd2nz_b16, 0, to, from, cols | up16(rows) << 16 | UINT64_C(1) << 32,
		 1 << 4 | rows << 16 | cols << 32);
}

/* A: NZ (k0 columns of 16 rows) to ZZ: for each row of fractals, every K fractal. */
static void load_a(struct unit_rig *r, uint64_t m, uint64_t k)
{
	unsigned v = unit_variant(INSN_load_cbuf_to_ca, TYPE_B16, TYPE_NONE, TYPE_NONE);

	for (uint64_t i = 0; i < up16(m) / 16; i++)
		unit_run(r, INSN_load_cbuf_to_ca, v, i * up16(k) / 16 * 512, 0, 0,
			i | up16(k) / 16 << 16 | up16(m) / 16 << 24);
}

/* B [k, n]: its NZ fractals are 16 k x 16 n; transposed one by one they are ZN. B' [n, k]: they are ZN already. */
static void load_b(struct unit_rig *r, uint64_t l1, const struct shape *s)
{
	unsigned v = unit_variant(INSN_load_cbuf_to_cb, TYPE_B16, TYPE_NONE, TYPE_NONE);
	uint64_t k1 = up16(s->k) / 16, n1 = up16(s->n) / 16;

	for (uint64_t k = 0; k < k1; k++)
		if (s->b_transposed)
			unit_run(r, INSN_load_cbuf_to_cb, v, k * n1 * 512, l1, 0, k * n1 | n1 << 16 | 1 << 24);
		else
			unit_run(r, INSN_load_cbuf_to_cb, v, k * n1 * 512, l1, 0,
				k | n1 << 16 | k1 << 24 | UINT64_C(1) << 62);
}

static uint16_t half_random(struct unit_rig *r)
{
	return (uint16_t)((unit_random(r) & 0x83ff) | unit_between(r, 11, 16) << 10);
}

static void matmul(const struct shape *s, uint64_t seed)
{
	struct unit_rig r;

	unit_open(&r, "ascend910b1", CORE_CUBE, seed);
	uint64_t a = r.gm_addr + 2, b = a + 2 * s->m * s->k, c = b + 2 * s->k * s->n + 6, l1_b = 65536;
	for (uint64_t i = 0; i < s->m * s->k + s->k * s->n; i++) {
		uint16_t h = half_random(&r);
		memcpy(unit_at(&r, SPACE_GM, a + 2 * i), &h, 2);
	}
	to_nz(&r, 0, a, s->m, s->k);
	if (s->b_transposed)
		to_nz(&r, l1_b, b, s->n, s->k);
	else
		to_nz(&r, l1_b, b, s->k, s->n);
	load_a(&r, s->m, s->k);
	load_b(&r, l1_b, s);
	uint64_t m = s->m == 1 ? 16 : s->m; /* one row would mean a plain vector in L0A */
	unit_run(&r, INSN_mad, unit_variant(INSN_mad, TYPE_F32, TYPE_F16, TYPE_F16), 0, 0, 0,
		m | s->k << 12 | s->n << 24 | UINT64_C(1) << 63);
	r.op.spr.nd_para = 1;
	unit_run(&r, INSN_copy_matrix_cc_to_gm, unit_variant(INSN_copy_matrix_cc_to_gm, s->half ? TYPE_F16 : TYPE_F32,
		TYPE_F32, TYPE_NONE),
		 c, 0, s->n << 4 | s->m << 16 | s->n << 32, up16(m) | (uint64_t)s->half << 34 | UINT64_C(1) << 43);
	for (uint64_t i = 0; i < s->m; i++)
		for (uint64_t j = 0; j < s->n; j++) {
			volatile float sum = 0;
			uint32_t got = 0, want = 0;
			for (uint64_t k = 0; k < s->k; k++) {
				uint16_t x, y;
				memcpy(&x, unit_at(&r, SPACE_GM, a + 2 * (i * s->k + k)), 2);
				memcpy(&y, unit_at(&r, SPACE_GM,
					b + 2 * (s->b_transposed ? j * s->k + k : k * s->n + j)), 2);
				sum = sum + (float)(layout_half(x) * layout_half(y));
			}
			float v = sum;
			memcpy(&want, &v, 4);
			if (s->half)
				want = layout_to_half(v);
			memcpy(&got, unit_at(&r, SPACE_GM, c + (i * s->n + j) * (s->half ? 2 : 4)), s->half ? 2 : 4);
			cr_assert_eq(got, want,
				"%" PRIu64 "x%" PRIu64 "x%" PRIu64 " transposed %d half %d (%" PRIu64 ", %" PRIu64 ")"
				     " seed %" PRIu64, s->m, s->k, s->n, s->b_transposed, s->half, i, j, seed);
		}
	unit_close(&r);
}

static void sizes(bool b_transposed, bool half)
{
	static const uint64_t size[] = { 1, 15, 16, 17, 33 };

	for (int m = 0; m < 5; m++)
		for (int k = 0; k < 5; k++) {
			struct shape s = { size[m], size[k], size[(m + 2 * k + 1) % 5], b_transposed, half };
			matmul(&s, (uint64_t)(100 + 10 * m + k));
		}
}

Test(cube_matmul, f32) { sizes(false, false); }
Test(cube_matmul, f32_transposed) { sizes(true, false); }
Test(cube_matmul, f16) { sizes(false, true); }
Test(cube_matmul, f16_transposed) { sizes(true, true); }
