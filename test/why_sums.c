/*
 * why_sums.c - the books close: causes of every pipe, the critical path, and the views by instruction and by line all sum
 * to the same cycles; what-if runs and waits are what a calculation by hand says.
 */
#include "lab.h"
#include "why_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void books_close(const char *name, const char *const *set)
{
	static struct run r;
	int64_t path = 0, site_work[PIPE_COUNT] = { 0 }, core_work[PIPE_COUNT] = { 0 }, site_stall[PIPE_COUNT] = { 0 };
	int64_t core_stall[PIPE_COUNT] = { 0 }, lines = 0, sites = 0, line_path = 0;
	rig_run(&r, name, "launch.cfg", set, NULL);
	for (int q = 0; q < PIPE_COUNT; q++)
		for (int k = 0; k < PART_COUNT; k++)
			path += r.report.path_part[q][k];
	cr_expect_eq(path, r.sim.end, "%s: the critical path has %lld cycles of %lld", name, (long long)path,
		     (long long)r.sim.end);
	cr_expect_eq(r.report.path_known, r.sim.end);
	for (int i = 0; i < r.sim.n_core; i++)
		for (int q = 0; q < PIPE_COUNT; q++) {
			const int64_t *c = r.sim.core[i].stats.pipe[q].cause;
			int64_t sum = 0;
			for (int k = 0; k < CAUSE_COUNT; k++)
				sum += c[k];
			cr_expect(q == PIPE_ALL || sum == r.sim.end, "%s: core %d pipe %d", name, i, q);
			if (q == PIPE_S || q == PIPE_ALL)
				continue;
			core_work[q] += c[CAUSE_BUSY] + c[CAUSE_SYNC] + c[CAUSE_BANK] + c[CAUSE_BANDWIDTH] +
			c[CAUSE_L2MISS];
			for (int k = CAUSE_FLAG_S; k <= CAUSE_UNIT_FLAG; k++)
				core_stall[q] += c[k];
		}
	for (int p = 0; p < 2; p++)
		for (uint32_t i = 0; r.has_program[p] && i < r.program[p].n_insn; i++) {
			const struct why_site *s = &r.why.site[p][i];
			site_work[s->pipe] += s->busy + s->bank + s->bandwidth;
			site_stall[s->pipe] += s->stall;
			sites += s->busy + s->bank + s->bandwidth + s->stall + s->held + s->empty + s->issue;
		}
	for (int q = 0; q < PIPE_COUNT; q++) {
		cr_expect_eq(site_work[q], core_work[q], "%s: work of %s by instruction %lld, by core %lld", name,
			     isa_pipe_name(q),
			     (long long)site_work[q], (long long)core_work[q]);
		cr_expect_eq(site_stall[q], core_stall[q], "%s: waits of %s by instruction %lld, by core %lld", name,
			     isa_pipe_name(q),
			     (long long)site_stall[q], (long long)core_stall[q]);
	}
	for (int i = 0; i < r.report.n_line; i++) {
		const struct report_line *l = &r.report.line[i];
		lines += l->busy + l->bank + l->bandwidth + l->stall + l->held + l->empty + l->issue;
		line_path += l->path;
	}
	cr_expect_eq(lines, sites);
	/* launch and the end of the kernel belong to no line */
	cr_expect_leq(line_path, r.sim.end);
	int64_t launch = 0;
	for (int i = 0; i < r.sim.n_core; i++)
		if (r.sim.core[i].stats.pipe[PIPE_V].cause[CAUSE_LAUNCH] > launch)
			launch = r.sim.core[i].stats.pipe[PIPE_V].cause[CAUSE_LAUNCH];
	cr_expect_gt(line_path, (r.sim.end - launch) / 3);
	run_free(&r);
}

Test(why_sums, add) { books_close("add", NULL); }
Test(why_sums, softmax) { books_close("softmax", NULL); }
Test(why_sums, matmul) { books_close("matmul", NULL); }
Test(why_sums, matmul_more_blocks_than_cores)
{
	books_close("matmul", (const char *const[]){ "M=300", "N=700", "base_m=32", "base_n=48", "step_n=48",
						     "blocks=60", NULL });
}
Test(why_sums, fused_core) { books_close("matmul_bias_relu", NULL); }

Test(why_sums, a_shorter_memory_shortens_the_path_only)
{
	static struct run r;
	struct fail f = { 0 };
	struct why_path p;
	struct why w;
	int64_t sum = 0;
	rig_run(&r, "softmax", "launch.cfg", NULL, NULL);
	/* the same events again into a ring of few steps: a second simulation of the same run */
	struct sim *s = calloc(1, sizeof *s);
	struct sim_options o = { .timing_only = true, .on_event = why_event, .on_hold = why_hold, .user = &w };
	cr_assert(sim_init(s, &r.chip, r.sim.program[0], r.sim.program[1], r.sim.blocks, &o, &f), "%s", f.what);
	cr_assert(run_args_again(&r, s, &f) && why_open(&w, s, 48 * 64, &f) && sim_run(s, &f), "%s", f.what);
	cr_expect_eq(s->end, r.sim.end);
	cr_assert(why_path(&w, &p, &f));
	for (int q = 0; q < PIPE_COUNT; q++)
		for (int k = 0; k < PART_COUNT; k++)
			sum += p.part[q][k];
	cr_expect_eq(sum, s->end);
	cr_expect_lt(p.known, s->end);
	cr_expect_gt(p.known, 0);
	cr_expect_eq(p.part[PIPE_S][PART_BEFORE], s->end - p.known);
	why_path_free(&p);
	why_close(&w);
	sim_free(s);
	free(s);
	run_free(&r);
}

static int64_t changed(const struct run *r, const char *change)
{
	struct fail f = { 0 };
	int64_t cycles = -1;
	cr_assert(whatif_run(r, &change, 1, &cycles, &f), "%s: %s", change, f.what);
	return cycles;
}

Test(why_sums, what_if_runs)
{
	static struct run r;
	struct fail f = { 0 };
	const char *wrong = "warp=9";
	int64_t cycles;
	rig_run(&r, "softmax", "launch.cfg", NULL, NULL);
	int64_t now = r.sim.end;
	/* no change, no difference; twice in a row, to see that nothing of a changed run stays behind */
	cr_expect_eq(changed(&r, "queue=2"), changed(&r, "queue=2"));
	cr_expect_eq(changed(&r, "gm.hbm_rate=1x"), now);
	cr_expect_lt(changed(&r, "s=ideal"), now);
	cr_expect_eq(changed(&r, "gm.hbm_rate=1x"), now);
	/* the launch is in front of everything: without it the run is shorter by what core 0 waited, at least */
	cr_expect_leq(changed(&r, "launch=ideal"), now - r.chip.cores.launch_cycles);
	cr_expect_lt(changed(&r, "v=ideal"), now);
	cr_expect_lt(changed(&r, "v=2x"), now);
	cr_expect_lt(changed(&r, "v=ideal"), changed(&r, "v=2x"));
	cr_expect_lt(changed(&r, "barriers=off"), now);
	cr_expect_gt(changed(&r, "hbm=0.1x"), now);
	cr_expect(!whatif_run(&r, &wrong, 1, &cycles, &f));
	cr_expect_eq(f.class, FAIL_USER);
	f.class = FAIL_NONE;
	wrong = "barrier@softmax.c:1=off";
	cr_expect(!whatif_run(&r, &wrong, 1, &cycles, &f));
	cr_expect_eq(f.class, FAIL_USER);
	run_free(&r);
}

Test(why_sums, changes_are_checked_before_the_run)
{
	static const char *const good[] = { "hbm=2x", "l2=ideal", "mte2=ideal", "V=1.5x", "no-bank-conflicts",
					    "barrier@a.c:8=off",
		"barriers=off", "buffers=+1", "buffer@MTE1-MTE2=+2", "queue=64", "launch=ideal", "sync=ideal",
		"gm.l2_rate=2x" };
	static const char *const bad[] = { "", "hbm", "v=", "v=0x", "v=fast", "buffers=+0", "buffers=1",
					   "buffer@MTE2-MTE1=+1",
		"buffer@A-B=+1", "barrier@a.c:8", "nothing" };
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		struct fail f = { 0 };
		cr_expect(whatif_check(good[i], &f), "%s: %s", good[i], f.what);
	}
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		struct fail f = { 0 };
		cr_expect(!whatif_check(bad[i], &f) && f.class == FAIL_USER, "\"%s\" passed", bad[i]);
	}
}

/* The scalar unit waits for a flag of V while MTE2 has nothing: MTE2's empty cycles are the scalar unit's wait. */
Test(why_sums, an_empty_pipe_says_what_the_scalar_unit_did)
{
	static struct lab l;
	const char *source =
		"#include \"cce.h\"\n"
		"__global__ __aicore__ void k(__gm__ float *x) {\n"
		"	set_vector_mask(-1, -1);\n"
		"	for (int i = 0; i < 20; i++)\n"
		"		vadds((__ubuf__ float *)0, (__ubuf__ float *)0, 1.0f, 255, 1, 1, 8, 8);\n"
		"	set_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
		"	wait_flag(PIPE_V, PIPE_S, EVENT_ID0);\n"
		"	copy_gm_to_ubuf((__ubuf__ void *)0, x, 0, 1, 8, 0, 0);\n"
		"}\n";
	lab_open(&l, "ascend910b1", CORE_VEC, source, 1, false);
	lab_buffer(&l, NULL, 4096);
	cr_assert(lab_run(&l), "%s", l.fail.what);
	const struct pipe_stats *s = &l.sim.core[0].stats.pipe[PIPE_S], *m = &l.sim.core[0].stats.pipe[PIPE_MTE2];
	int64_t wait = s->cause[CAUSE_FLAG_V], queue = s->cause[CAUSE_QUEUE];
	cr_expect_gt(wait + queue, 19 * 255);
	cr_expect_eq(m->cause[CAUSE_EMPTY_WAIT], wait);
	cr_expect_eq(m->cause[CAUSE_EMPTY_QUEUE], queue);
	cr_expect_eq(m->behind[PIPE_V], queue);
	lab_close(&l);
}
