/*
 * why_ladder.c - published optimisation ladders, step by step: what the next step changed stands among the findings of the
 * step before. The steps are those of the vendor's tuning guides, on this repository's kernels and smaller shapes; at least
 * 80 % of them must be named.
 */
#include "why_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const struct rig_change add_single[] = { { "STAGES = 2 };", "STAGES = 1 };" }, { 0 } };
static const struct rig_change add_colliding[] = { { "UB_Y = 0x10100", "UB_Y = 0x10000" }, { 0 } };
static const struct rig_change add_eight_times[] = {
	{ "STAGES = 2 };", "STAGES = 1 };" },
	{ "		add_tile(ub_z, ub_x, ub_y, t.bytes, size);\n",
	  "		for (uint32_t j = 0; j < 8; j++)\n			add_tile(ub_z, ub_x, ub_y, t.bytes,"
	  " size);\n" }, { 0 } };
static const struct rig_change matmul_single[] = { { "STAGES = 2 };", "STAGES = 1 };" }, { 0 } };

/* A step, and the findings of which one names what the next step does. */
static const struct step {
	const char *what, *kernel;
	const struct rig_change *change;
	const char *set[12], *names[4];
} steps[] = {
	{ "add, one core -> all cores", "add", NULL, { "n=2000000", "blocks=1" }, { "idle cores" } },
	{ "add, 8 KB copies -> 32 KB", "add", add_single, { "n=4000000", "tile_bytes=8192" }, { "small transfers",
			"short bursts" } },
	{ "add, one buffer -> two", "add", add_single, { "n=8000000", "tile_bytes=28672" }, { "single buffer" } },
	{ "add, colliding banks -> apart, L2 bypassed", "add", add_colliding, { "n=8000000", "tile_bytes=28672" },
	  { "bank conflicts" } },
	{ "add of 8 per tile, one buffer -> two", "add", add_eight_times,
	  { "n=4000000", "tile_bytes=28672", "chip=ascend910b4", "blocks=8" }, { "single buffer" } },
	{ "copy, small tiles -> large", "add", add_single, { "n=2000000", "tile_bytes=1024" }, { "small transfers",
			"short bursts" } },
	{ "add, 4 KB copies -> larger, 8 blocks", "add", NULL, { "n=2000000", "tile_bytes=2048", "chip=ascend910b4",
								 "blocks=8" },
	  { "small transfers", "short bursts" } },
	{ "matmul, one core and 64 x 64 -> 24 cores and 128 x 256", "matmul", matmul_single,
	  { "M=512", "N=512", "K=512", "blocks=1", "base_m=64", "base_n=64", "base_k=64", "step_m=64",
	    "step_n=64", "step_k=64", "pass_k=0" },
	  { "idle cores", "cube tile too small" } },
	{ "matmul, one base tile in L1 -> several along K", "matmul", matmul_single,
	  { "M=1024", "N=1536", "K=1024", "base_m=128", "base_n=256", "base_k=64", "step_m=128", "step_n=256",
	    "step_k=64", "pass_k=0" },
	  { "short bursts", "small transfers" } },
	{ "matmul, one L0C -> unit flag", "matmul", NULL,
	  { "M=1024", "N=3072", "K=1024", "base_m=128", "base_n=256", "base_k=64", "step_n=256", "step_k=256",
	    "pass_k=0" },
	  { "fixpipe not overlapped", "single buffer" } },
	{ "matmul of short K -> unit flag", "matmul", NULL,
	  { "M=128", "N=30720", "K=64", "chip=ascend910b4", "base_m=128", "base_n=256", "base_k=64", "step_n=256",
	    "step_k=64", "pass_k=0" },
	  { "fixpipe not overlapped", "single buffer" } },
	{ "matmul, 24 tiles on 20 cores -> 20 tiles", "matmul", NULL,
	  { "M=1024", "N=576", "K=2048", "chip=ascend910b4", "base_m=128", "base_n=192", "base_k=64", "step_n=192",
	    "blocks=24", "pass_k=0" },
	  { "unequal cores" } },
};

Test(why_ladder, findings_name_what_the_next_step_fixed)
{
	static struct run r;
	int n = (int)(sizeof steps / sizeof steps[0]), named = 0;
	for (int i = 0; i < n; i++) {
		bool found = false;
		rig_run(&r, steps[i].kernel, "launch.cfg", steps[i].set, steps[i].change);
		for (int k = 0; k < 4 && steps[i].names[k]; k++)
			found |= rig_finding(&r, steps[i].names[k]) >= 0 && rig_finding(&r, steps[i].names[k]) < 3;
		named += found;
		if (!found) {
			char *text = rig_text(&r);
			cr_log_info("not among the first three findings of \"%s\":\n%s", steps[i].what, text);
			free(text);
		}
		run_free(&r);
	}
	cr_expect_geq(named * 100, n * 80, "%d of %d steps are named", named, n);
}
