/*
 * golden_vector.c - cycles of one vector instruction of every timing class on the 910B1, from what is published: `taken` is
 * what a stream of it costs (MSK), `later` how long after that the result is there (GE's constant between barriers, less
 * the barrier; PTO's less the 4 that it reads for nothing). Operands lie in different banks.
 */
#include "lab.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define F(at) "(__ubuf__ float *)" at
#define H(at) "(__ubuf__ half *)" at
#define I(at) "(__ubuf__ int32_t *)" at
#define S(at) "(__ubuf__ int16_t *)" at
#define U(at) "(__ubuf__ uint16_t *)" at
#define W(at) "(__ubuf__ uint32_t *)" at
#define A "0"
#define B "0x10100"
#define D "0x20000"
#define BIN "16, 1, 1, 1, 8, 8, 8"
#define UN "16, 1, 1, 8, 8"
#define RED "16, 1, 1, 8"

enum { NOT_PUBLISHED = -1 };

struct golden { enum isa_id insn; const char *call; int taken, later; };

static const struct golden table[] = {
	{ INSN_vadd, "vadd(" F(D) ", " F(A) ", " F(B) ", " BIN ")", 16, 21 },          /* DEV, silicon: 22 + R */
	{ INSN_vadd, "vadd(" I(D) ", " I(A) ", " I(B) ", " BIN ")", 16, 19 },          /* PTO, silicon: 151 for 64 in phase */
	{ INSN_vaddrelu, "vaddrelu(" H(D) ", " H(A) ", " H(B) ", " BIN ")", 16, 21 },
	{ INSN_vmul, "vmul(" F(D) ", " F(A) ", " F(B) ", " BIN ")", 16, 22 },
	{ INSN_vmul, "vmul(" I(D) ", " I(A) ", " I(B) ", " BIN ")", 16, 20 },          /* PTO, silicon: 152 for 64 in phase */
	{ INSN_vmax, "vmax(" F(D) ", " F(A) ", " F(B) ", " BIN ")", 16, 19 },
	{ INSN_vabs, "vabs(" H(D) ", " H(A) ", " UN ")", 16, 19 },
	{ INSN_vrelu, "vrelu(" F(D) ", " F(A) ", " UN ")", 16, 19 },
	{ INSN_vadds, "vadds(" F(D) ", " F(A) ", 1.0f, " UN ")", 16, 21 },
	{ INSN_vmuls, "vmuls(" F(D) ", " F(A) ", 1.0f, " UN ")", 16, 22 },
	{ INSN_vlrelu, "vlrelu(" F(D) ", " F(A) ", 1.0f, " UN ")", 16, 22 },
	{ INSN_vmaxs, "vmaxs(" F(D) ", " F(A) ", 1.0f, " UN ")", 16, 19 },
	{ INSN_vshl, "vshl(" S(D) ", " S(A) ", 1, " UN ")", 16, NOT_PUBLISHED },
	{ INSN_vexp, "vexp(" F(D) ", " F(A) ", " UN ")", 32, 27 },
	{ INSN_vexp, "vexp(" H(D) ", " H(A) ", " UN ")", 64, 27 },
	{ INSN_vln, "vln(" F(D) ", " F(A) ", " UN ")", 32, 29 },
	{ INSN_vsqrt, "vsqrt(" F(D) ", " F(A) ", " UN ")", 32, 28 },
	{ INSN_vrec, "vrec(" H(D) ", " H(A) ", " UN ")", 16, 20 },
	{ INSN_vdiv, "vdiv(" F(D) ", " F(A) ", " F(B) ", " BIN ")", 64, 28 },
	{ INSN_vdiv, "vdiv(" H(D) ", " H(A) ", " H(B) ", " BIN ")", 68, 28 },
	{ INSN_vmla, "vmla(" F(D) ", " F(A) ", " F(B) ", " BIN ")", 96, NOT_PUBLISHED },
	{ INSN_vmla, "vmla(" F(D) ", " H(A) ", " H(B) ", 16, 1, 1, 1, 8, 4, 4)", 80, NOT_PUBLISHED },
	{ INSN_vaxpy, "vaxpy(" F(D) ", " F(A) ", 1.0f, " UN ")", 32, NOT_PUBLISHED },
	{ INSN_vconv_f162f32, "vconv_f162f32(" F(D) ", " H(A) ", 16, 1, 1, 8, 4)", 16, 19 },
	{ INSN_vconv_vdeqs162b8l, "vconv_vdeqs162b8l((__ubuf__ int8_t *)" D ", " S(A) ", " UN ")", 112, NOT_PUBLISHED },
	{ INSN_vector_dup, "vector_dup(" F(D) ", 1.0f, " UN ")", 16, 16 },
	{ INSN_vcopy, "vcopy(" U(D) ", " U(A) ", " UN ")", 16, 24 },
	{ INSN_vbrcb, "vbrcb(" W(D) ", " W(A) ", 1, 8, 16)", 16, 12 },
	{ INSN_vcmax, "vcmax(" H(D) ", " H(A) ", " RED ")", 112, 20 },
	{ INSN_vcadd, "vcadd(" H(D) ", " H(A) ", " RED ")", 112, 34 },
	{ INSN_vcgmax, "vcgmax(" H(D) ", " H(A) ", " RED ")", 112, 17 },
	{ INSN_vcgmax, "vcgmax(" F(D) ", " F(A) ", " RED ")", 16, 17 },
	{ INSN_vcpadd, "vcpadd(" F(D) ", " F(A) ", " RED ")", 16, 36 },
	{ INSN_vcmpv_eq, "vcmpv_eq((__ubuf__ uint8_t *)" D ", " F(A) ", " F(B) ", " BIN ")", 16, 20 },
	{ INSN_vcmpvs_eq, "vcmpvs_eq((__ubuf__ uint8_t *)" D ", " H(A) ", (half)1, " UN ")", 16, 21 },
	{ INSN_vsel, "vsel(" F(D) ", " F(A) ", " F(B) ", " BIN ", 0)", 16, 23 },
	{ INSN_vand, "vand(" U(D) ", " U(A) ", " U(B) ", " BIN ")", 16, 16 },
	{ INSN_vnot, "vnot(" U(D) ", " U(A) ", " UN ")", 16, 16 },
	{ INSN_vgather, "vgather(" U(D) ", " W(A) ", 0, 8, 2)", 51, 12 },
	{ INSN_vgather, "vgather(" W(D) ", " W(A) ", 0, 8, 2)", 27, 12 },
	{ INSN_vgatherb, "vgatherb(" U(D) ", " W(A) ", 0, 8, 1, 9)", 10 + 9 + 8, NOT_PUBLISHED },
	{ INSN_vreducev2, "vreducev2(" U(D) ", " U(A) ", " U(B) ", 2, 1, 0, 8, 0)", 28, 30 },
	{ INSN_vreduce, "vreduce(" U(D) ", " U(A) ", " U(B) ", 16, 1, 1, 1, 8, 8, 8)", 32, 13 },
	{ INSN_copy_ubuf_to_ubuf, "copy_ubuf_to_ubuf((__ubuf__ void *)" D ", (__ubuf__ void *)0, 0, 1, 1024, 0, 0)", 126,
	  NOT_PUBLISHED }, /* 262 bytes per cycle */
};
enum { N_TABLE = sizeof table / sizeof table[0] };

/* Taken by issue, not by repeats: 3; integers with a scalar operand 4; compares that leave a block incomplete 5 or 6 more. */
static const struct golden shortest[] = {
	{ INSN_vrelu, "vrelu(" F(D) ", " F(A) ", 1, 1, 1, 8, 8)", 3, 1 + 19 - 3 },
	{ INSN_vmuls, "vmuls(" S(D) ", " S(A) ", (int16_t)1, 1, 1, 1, 8, 8)", 3, 1 + 20 - 3 },
	{ INSN_vadds, "vadds(" S(D) ", " S(A) ", (int16_t)1, 1, 1, 1, 8, 8)", 4, 1 + 19 - 4 },
	{ INSN_vmaxs, "vmaxs(" I(D) ", " I(A) ", 1, 3, 1, 1, 8, 8)", 4, 3 + 19 - 4 },
	{ INSN_vshr, "vshr(" W(D) ", " W(A) ", 1, 2, 1, 1, 8, 8, false)", 4, NOT_PUBLISHED },
	{ INSN_vcmpv_eq, "vcmpv_eq((__ubuf__ uint8_t *)" D ", " F(A) ", " F(B) ", 1, 1, 1, 1, 8, 8, 8)", 1 + 5, 20 - 5 },
	{ INSN_vcmpvs_eq, "vcmpvs_eq((__ubuf__ uint8_t *)" D ", " H(A) ", (half)1, 3, 1, 1, 8, 8)", 3 + 6, 21 - 6 },
};

static void run(const struct golden *g, int n, const char *before)
{
	static char text[16384];
	struct lab r;
	int at = snprintf(text, sizeof text, "__global__ __aicore__ void k(void) { %s\n", before);
	for (int i = 0; i < n; i++)
		at += snprintf(text + at, sizeof text - (size_t)at, "%s; pipe_barrier(PIPE_V);\n", g[i].call);
	snprintf(text + at, sizeof text - (size_t)at, "}");
	lab_open(&r, "ascend910b1", CORE_VEC, text, 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	for (int i = 0; i < n; i++) {
		int nth = 0;
		for (int k = 0; k < i; k++)
			nth += g[k].insn == g[i].insn;
		const struct lab_event *e = lab_find(&r, g[i].insn, nth);
		cr_expect_eq(e->issue_end - e->start, g[i].taken, "%s takes %d", g[i].call, (int)(e->issue_end - e->start));
		if (g[i].later != NOT_PUBLISHED)
			cr_expect_eq(e->end - e->issue_end, g[i].later, "%s: result %d later", g[i].call,
				     (int)(e->end - e->issue_end));
	}
	lab_close(&r);
}

Test(golden_vector, published_cycles_of_every_class)
{
	run(table, N_TABLE, "set_vector_mask(~UINT64_C(0), ~UINT64_C(0));");
}

Test(golden_vector, the_shortest_instructions)
{
	run(shortest, sizeof shortest / sizeof shortest[0], "set_vector_mask(~UINT64_C(0), ~UINT64_C(0));");
}

/* Counter mode: 100 floats are two repeats, and 16 cycles for the partial one; 128 are two. */
Test(golden_vector, counter_mode_pays_for_a_partial_repeat)
{
	static const struct golden partial = { INSN_vadds, "vadds(" F(D) ", " F(A) ", 1.0f, 1, 1, 1, 8, 8)", 2 + 16, 21 };
	static const struct golden whole = { INSN_vadds, "vadds(" F(D) ", " F(A) ", 1.0f, 1, 1, 1, 8, 8)", 3, 2 + 21 - 3 };
	run(&partial, 1, "set_mask_count(); set_vector_mask(0, 100);");
	run(&whole, 1, "set_mask_count(); set_vector_mask(0, 128);");
}

/* PTO: one source list of 64 records in blocks: 78 per repeat, 20 in all around them. */
Test(golden_vector, merge_of_sorted_lists)
{
	struct lab r;
	lab_open(&r, "ascend910b1", CORE_VEC, "__global__ __aicore__ void k(void) {"
		 " __ubuf__ float *lists[4] = { (__ubuf__ float *)0, (__ubuf__ float *)0x100, (__ubuf__ float *)0x200,"
		 "  (__ubuf__ float *)0x300 };"
		 " vmrgsort4((__ubuf__ float *)0x20000, lists, 1, 16, 16, 16, 16, false, 15); }", 1, true);
	cr_assert(lab_run(&r), "%s", r.fail.what);
	const struct lab_event *e = lab_find(&r, INSN_vmrgsort4, 0);
	cr_expect_eq(e->end - e->start, 78 + 20);
	lab_close(&r);
}
