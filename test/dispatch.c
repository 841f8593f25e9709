/*
 * dispatch.c - which core gets which block, and when: the launch reaches cores one after another, each gets a block before
 * one gets a second.
 */
#include "lab.h"

#include <criterion/criterion.h>

static void launch(struct lab *r, int64_t blocks)
{
	lab_open(r, "ascend910b4", CORE_VEC, "__global__ __aicore__ void k(__gm__ uint32_t *x) {"
		 " copy_gm_to_ubuf((__ubuf__ void *)0, x + get_block_idx() * 8, 0, 1, 1, 0, 0); }", blocks, true);
	lab_buffer(r, NULL, (uint64_t)blocks * 32);
	cr_assert(lab_run(r), "%s", r->fail.what);
}

/* The first core has long ended when the launch reaches the last. */
Test(dispatch, as_many_blocks_as_cores)
{
	struct lab r;
	launch(&r, 40);
	const struct core *first = &r.sim.core[0], *last = &r.sim.core[39];
	cr_expect_lt(first->stats.last_cycle + r.chip.cores.block_switch_cycles, last->stats.first_cycle);
	for (int i = 0; i < 40; i++)
		cr_expect_eq(r.sim.core[i].stats.blocks, 1, "core %d has %d", i, (int)r.sim.core[i].stats.blocks);
	cr_expect_eq(last->stats.first_cycle, r.chip.cores.launch_cycles + 39 * r.chip.cores.launch_skew_cycles / 40);
	lab_close(&r);
}

/* Of ten more, the cores that end first take what is left over; nobody goes without, no block is done twice. */
Test(dispatch, more_blocks_than_cores)
{
	struct lab r;
	launch(&r, 50);
	int sum = 0;
	for (int i = 0; i < 40; i++) {
		cr_expect_geq(r.sim.core[i].stats.blocks, 1, "core %d has none", i);
		sum += (int)r.sim.core[i].stats.blocks;
	}
	cr_expect_eq(sum, 50);
	cr_expect_gt(r.sim.core[0].stats.blocks, 1);
	lab_close(&r);
}
