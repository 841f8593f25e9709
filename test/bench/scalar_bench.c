/*
 * scalar_bench.c - speed of the scalar unit on the integer mix of mix/mix.c, on one host core.
 */
#include "../scalar_rig.h"

#include <inttypes.h>
#include <time.h>

static const uint32_t mix[] = {
#include "mix/mix.inc"
};

/* Of this process on a core: other work on the machine does not count. */
static double cpu_seconds(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void)
{
	struct rig rig;
	struct chip chip = rig_chip();
	const uint64_t args[] = { GM_DATA, 4000 };

	/* caches as on 910B: the mix fits, as kernels do */
	chip.scalar.icache_bytes = 32768;
	chip.scalar.icache_line = 128;
	chip.scalar.icache_ways = 4;
	chip.scalar.dcache_bytes = 16384;
	chip.scalar.dcache_ways = 4;
	if (!rig_init(&rig, &chip, mix, sizeof(mix) / sizeof(mix[0]))) {
		fail_print(&rig.f);
		return 1;
	}
	scalar_start(&rig.s, 0, args, 2, NULL);
	double begin = cpu_seconds();
	enum scalar_stop stop = scalar_run(&rig.s, INT64_MAX, &rig.f);
	double took = cpu_seconds() - begin;
	if (stop != SCALAR_RETURN) {
		fail_print(&rig.f);
		return 1;
	}
	printf("scalar unit: %" PRIu64 " instructions, %.3f CPU s, %.0f MIPS (result %016" PRIx64 ", %" PRId64 " cycles)\n",
	       rig.s.instret, took, (double)rig.s.instret / took * 1e-6, rig.s.x[A0], rig.s.cycle);
	rig_free(&rig);
	return 0;
}
