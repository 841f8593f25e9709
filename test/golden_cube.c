/*
 * golden_cube.c - cycles of single instructions of MTE1, cube and fixpipe on the 910B1, from published rates: `taken` is what
 * a stream costs, `whole` from start to result. DEV: asc-devkit tests/perf; MSK: mskpp tables; TILE: op-tiling cost model.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <stdio.h>

struct golden { enum isa_id insn; const char *call; int taken, whole; };

static void run(const struct golden *g, int n)
{
	static char text[16384];
	struct lab r;
	int at = snprintf(text, sizeof text, "__global__ __aicore__ void k(__gm__ float *o) { set_nd_para(1);\n");
	for (int i = 0; i < n; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%s; pipe_barrier(PIPE_ALL);\n", g[i].call);
	snprintf(text + at, sizeof text - (size_t)at, "}");
	lab_open(&r, "ascend910b1", CORE_CUBE, text, 1, true);
	lab_buffer(&r, NULL, 1 << 17);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < n; i++) {
		int nth = 0;
		for (int k = 0; k < i; k++)
			nth += g[k].insn == g[i].insn;
		const struct lab_event *e = lab_find(&r, g[i].insn, nth);
		cr_expect_eq(e->issue_end - e->start, g[i].taken, "%s takes %d", g[i].call, (int)(e->issue_end - e->start));
		cr_expect_eq(e->end - e->start, g[i].whole, "%s: result after %d", g[i].call, (int)(e->end - e->start));
	}
	lab_close(&r);
}
#define RUN(...) do { static const struct golden g[] = { __VA_ARGS__ }; run(g, sizeof g / sizeof g[0]); } while (0)

/* DEV: 28 + bytes / 256 and / 128; MSK: 2 + bytes / rate in a stream. 8 KB. */
Test(golden_cube, load2d)
{
	RUN({ INSN_load_cbuf_to_ca, "load_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, 0, 16, 1, 0, 0, false, inc)", 34, 60 },
	    { INSN_load_cbuf_to_cb, "load_cbuf_to_cb((__cb__ half *)0, (__cbuf__ half *)0, 0, 16, 1, 0, 0, true, inc)", 66, 92 });
}

#define MAP(w, h) "set_fmatrix(" #w " | (uint64_t)" #h " << 16); "
#define WINDOW(stride) "16, 48, 0, 0, " #stride ", " #stride ", 1, 1, 1, 1, false, false, false, false, 16)"
#define TO_A(stride) "img2colv2_cbuf_to_ca((__ca__ half *)0, (__cbuf__ half *)0, " WINDOW(stride)
#define TO_B(stride) "img2colv2_cbuf_to_cb((__cb__ half *)0, (__cbuf__ half *)0, " WINDOW(stride)

/*
 * TILE: 512 / (n + 2) bytes per cycle into L0A at stride 1, n = row switches of the fractal; 512 / (2 s + n) at strides 2, 4,
 * 8; 32 at others; two cycles more per fractal into L0B. 50 around it (DEV). A map whose output is 7 x 7: the 16 windows of
 * the first three fractals begin in columns 0, 2, 4 and cross into the next row 2, 2, 2 times. So for 3 fractals:
 */
Test(golden_cube, img2col_by_stride_and_row)
{
	RUN({ INSN_img2colv2_cbuf_to_ca, MAP(48, 1) TO_A(1), 2 + 3 * 2, 50 + 3 * 2 },
	    { INSN_img2colv2_cbuf_to_ca, MAP(7, 7) TO_A(1), 2 + 3 * (2 + 2), 50 + 3 * (2 + 2) },
	    { INSN_img2colv2_cbuf_to_cb, MAP(7, 7) TO_B(1), 2 + 3 * (4 + 2), 50 + 3 * (4 + 2) },
	    { INSN_img2colv2_cbuf_to_ca, MAP(14, 14) TO_A(2), 2 + 3 * (4 + 2), 50 + 3 * (4 + 2) },
	    { INSN_img2colv2_cbuf_to_cb, MAP(14, 14) TO_B(2), 2 + 3 * (6 + 2), 50 + 3 * (6 + 2) },
	    { INSN_img2colv2_cbuf_to_ca, MAP(21, 21) TO_A(3), 2 + 3 * 16, 50 + 3 * 16 },
	    { INSN_img2colv2_cbuf_to_cb, MAP(21, 21) TO_B(3), 2 + 3 * 18, 50 + 3 * 18 });
}

/* DEV: 20 + bytes / 32 both; MSK: bytes / 32 and 15 + bytes / 32 in a stream. 512 bytes. */
Test(golden_cube, bias_table_and_fixpipe_buffer)
{
	RUN({ INSN_copy_cbuf_to_bt, "copy_cbuf_to_bt(0, (__cbuf__ void *)0, 0, 1, 8, 0, 0)", 16, 36 },
	    { INSN_copy_cbuf_to_fbuf, "copy_cbuf_to_fbuf((__fbuf__ void *)0, (__cbuf__ void *)0, 1, 4, 0, 0)", 31, 36 });
}

#define MAD(type, m, k, n, zero)                                                                                       \
	"mad((__cc__ float *)0, (__ca__ " #type " *)0, (__cb__ " #type " *)0, " #m ", " #k ", " #n ", 0, false, false, " #zero ")"

/* 16 x 16 x 16 per cycle of f16, 16 x 4 x 16 of f32 (DEV); 22 alone, 2 in a stream, at least 5. An addition to sums that the
 * idle cube does not hold costs 38. */
Test(golden_cube, mad)
{
	RUN({ INSN_mad, MAD(half, 64, 64, 64, true), 2 + 64, 22 + 64 }, { INSN_mad, MAD(half, 16, 16, 16, true), 5, 22 + 1 },
	    { INSN_mad, MAD(float, 64, 64, 64, true), 2 + 256, 22 + 256 },
	    { INSN_mad, MAD(half, 64, 64, 64, false), 2 + 64, 22 + 64 + 38 });
}

/* To L1: 64 elements per cycle, 20 around (DEV). */
Test(golden_cube, fixpipe)
{
	RUN({ INSN_copy_matrix_cc_to_cbuf, "copy_matrix_cc_to_cbuf((__cbuf__ half *)0, (__cc__ float *)0, 0, 64, 64, 64, 64, 0, "
	      "F322F16, 0, false, false)", 64, 84 });
}

#define FLAGGED(order, fix)                                                                                            \
	"__global__ __aicore__ void k(__gm__ float *o) { set_nd_para(1);" order                                        \
	" mad((__cc__ float *)0, (__ca__ half *)0, (__cb__ half *)0, 128, 64, 128, 3, false, false, true);" fix "}"
#define N_FIRST "set_ctrl((uint64_t)get_ctrl() | UINT64_C(1) << 51);"
#define TO_L1 "copy_matrix_cc_to_cbuf((__cbuf__ half *)0, (__cc__ float *)0, 0, 128, 128, 128, 128, 3, F322F16, 0, false, false);"
#define TO_ND "copy_matrix_cc_to_gm(o, (__cc__ float *)0, 0, 128, 128, 128, 128, 3, NoQuant, 0, false, true);"

/* Start of the fixpipe, counted from that of a mad of 8 x 8 fractals and 4 steps each. */
static int64_t follows(const char *source, enum isa_id fix)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_CUBE, source, 1, true);
	lab_buffer(&r, NULL, 1 << 16);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *m = lab_find(&r, INSN_mad, 0), *f = lab_find(&r, fix, 0);
	cr_expect_eq(m->end - m->start, 22 + 256);
	cr_expect_geq(f->end, m->end);
	int64_t start = f->start - m->start;
	lab_close(&r);
	return start;
}

/*
 * Unit flags: fractal i of 64 is there 20 + 258 (i + 1) / 64 cycles after the start of the mad. To L1, M first as the cube
 * goes, the fixpipe needs it 4 i cycles after its own start, so the last one decides: 278 - 252 = 26.
 * ND rows to GM go N first, 65536 / 116 = 564 cycles. With CTRL[51] the cube does too, and the first fractal decides: 24. Without
 * it fractal 7 of the first row is number 56 of the cube: 20 + 258 * 57 / 64 less 7 * 564 / 64.
 */
Test(golden_cube, unit_flags_hand_over_fractal_by_fractal)
{
	cr_expect_eq(follows(FLAGGED("", TO_L1), INSN_copy_matrix_cc_to_cbuf), 26);
	cr_expect_eq(follows(FLAGGED(N_FIRST, TO_ND), INSN_copy_matrix_cc_to_gm), 24);
	cr_expect_eq(follows(FLAGGED("", TO_ND), INSN_copy_matrix_cc_to_gm), 20 + 258 * 57 / 64 - 7 * 564 / 64);
}
