/*
 * bounds_test.c - no kernel is faster than the machine: every launch file of kernels/ against closed forms, core by core and
 * for the chip: MACs / peak, repeats of the vector unit, bytes / rate of every path, of L2 and of HBM.
 */
#include "why_rig.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

static int64_t up(uint64_t amount, int64_t per_cycle_milli)
{
	uint64_t rate = (uint64_t)per_cycle_milli;
	return rate ? (int64_t)((amount * 1000 + rate - 1) / rate) : 0;
}

/* Multiply-adds of a core per cycle: 16 x 32 bytes x 16 of the widest operand type that the launch has (hardware facts 1.3);
 * 4:2 sparse weights count twice. Vector kernels have none. */
static int64_t peak_macs(const struct run *r)
{
	int64_t peak = 4096;
	for (int i = 0; i < r->launch.n_arg; i++)
		if (r->launch.arg[i].dtype == DT_S8 || r->launch.arg[i].dtype == DT_U8)
			peak = 8192;
	return r->sim.insn_count[INSN_mad_sp] ? 2 * peak : peak;
}

static void hold(const char *what, const char *file, int core, int64_t least, int64_t took)
{
	cr_expect_leq(least, took, "%s, core %d: %s alone takes %lld cycles, the run took %lld", file, core, what,
		      (long long)least, (long long)took);
}

static void check_core(const struct run *r, const char *file, int core, int64_t took)
{
	const struct core_stats *st = &r->sim.core[core].stats;
	const struct chip *c = &r->chip;
	const uint64_t (*b)[SPACE_COUNT] = st->path_bytes;
	hold("the cube", file, core, up(st->macs, peak_macs(r) * 1000), took);
	hold("the vector unit", file, core, (int64_t)st->vector_repeats, took);
	hold("GM to UB", file, core, up(b[SPACE_GM][SPACE_UB], c->gm.to_ub_rate), took);
	hold("GM to L1", file, core, up(b[SPACE_GM][SPACE_L1], c->gm.to_l1_rate), took);
	hold("UB to GM", file, core, up(b[SPACE_UB][SPACE_GM], c->gm.ub_out_rate), took);
	hold("L0C to GM", file, core, up(b[SPACE_L0C][SPACE_GM], c->gm.fix_out_rate), took);
	/* the index of sparse weights is counted, a quarter of their bytes, but goes beside them */
	uint64_t l0b = r->sim.insn_count[INSN_load_cbuf_to_cb_sp] ? b[SPACE_L1][SPACE_L0B] * 4 / 5 : b[SPACE_L1][SPACE_L0B];
	hold("L1 to L0", file, core, up(b[SPACE_L1][SPACE_L0A], c->local.l1_to_l0a) + up(l0b, c->local.l1_to_l0b), took);
}

static void check_launch(const char *kernel, const char *cfg, uint64_t *work)
{
	static struct run r;
	char file[600];
	snprintf(file, sizeof file, "kernels/%s/%s", kernel, cfg);
	rig_run(&r, kernel, cfg, NULL, NULL);
	int64_t took = r.sim.end - r.chip.cores.launch_cycles;
	uint64_t gm = 0;
	*work = 0;
	for (int i = 0; i < r.sim.n_core; i++) {
		const struct core_stats *st = &r.sim.core[i].stats;
		check_core(&r, file, i, took);
		for (int s = 0; s < SPACE_COUNT; s++)
			gm += st->path_bytes[SPACE_GM][s];
		*work += st->macs + st->vector_repeats;
	}
	hold("HBM", file, -1, up(r.sim.memsys.hbm_read_bytes, r.chip.gm.hbm_rate), took);
	hold("L2", file, -1, up(gm, r.chip.gm.l2_rate), took);
	run_free(&r);
}

Test(bounds, no_kernel_beats_the_machine)
{
	DIR *kernels = opendir("kernels");
	int folders = 0;
	cr_assert_not_null(kernels);
	for (struct dirent *k; (k = readdir(kernels));) {
		char path[300];
		int launches = 0;
		snprintf(path, sizeof path, "kernels/%s", k->d_name);
		DIR *folder = k->d_name[0] == '.' ? NULL : opendir(path);
		for (struct dirent *e; folder && (e = readdir(folder));) {
			const char *dot = strrchr(e->d_name, '.');
			uint64_t work;
			if (!dot || strcmp(dot, ".cfg") != 0)
				continue;
			check_launch(k->d_name, e->d_name, &work);
			cr_expect_gt(work, 0, "%s/%s does nothing", path, e->d_name);
			launches++;
		}
		if (folder)
			closedir(folder);
		folders += launches > 0;
	}
	closedir(kernels);
	cr_expect_geq(folders, 24, "%d folders with launch files", folders);
}
