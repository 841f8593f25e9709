/*
 * vector_ops.c - every lane-by-lane vector row and type, reductions, compares and select, on random operands,
 * strides, masks and repeats, against test/ref/vector_ref.c; the fast and the plain path; and the effect's footprint,
 * byte by byte.
 */
#include "vector_bench.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 40 };

static bool lane_form(unsigned form)
{
	return form == FORM_VBIN || form == FORM_VUN || form == FORM_VUNS || form == FORM_VDUP || form == FORM_VCOPY;
}

/* Half blocks have loops of their own in isa_vector.c. */
static bool half_blocks(unsigned id)
{
	return strstr(isa_table[id].name, "deqs162b8") != NULL;
}

/* Every variant of the rows of a form, ROUNDS times. */
static void sweep(bool (*wanted)(unsigned form), uint32_t first_seed)
{
	int variants = 0;

	bench_init();
	for (unsigned id = 0; id < ISA_COUNT; id++) {
		if (isa_table[id].rv || !wanted(isa_table[id].form) || half_blocks(id))
			continue;
		for (unsigned variant = 0; variant < isa_variants(id); variant++, variants++)
			for (uint32_t round = 0; round < ROUNDS && isa_available(id, variant, ARCH_C220); round++)
				bench_random(id, variant, first_seed + round); /* what other levels have: isa_vector.c */
	}
	cr_assert_gt(variants, 3, "no rows of these forms");
}

static bool reduce_form(unsigned form) { return form == FORM_VRED || form == FORM_VCG || form == FORM_VCPADD; }
static bool compare_form(unsigned form) { return form == FORM_VCMP || form == FORM_VCMPV || form == FORM_VCMPVS; }
static bool select_form(unsigned form) { return form == FORM_VSEL; }

Test(vector, lanes_random) { sweep(lane_form, 1000); }
Test(vector, reductions_random) { sweep(reduce_form, 2000); }
Test(vector, compares_random) { sweep(compare_form, 3000); }
Test(vector, select_random)
{
	bench_init();
	for (unsigned variant = 0; variant < isa_variants(INSN_vsel); variant++)
		for (uint32_t round = 0; round < 3 * ROUNDS; round++)
			bench_random(INSN_vsel, variant, 4000 + round);
	(void)select_form;
}
