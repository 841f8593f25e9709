/*
 * why_cases.c - kernels made slow in one known way: the report names that reason among its first two findings, with the
 * line where it is.
 */
#include "why_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* The finding stands among the first two and its text says all of the words. */
static void expect(struct run *r, const char *id, const char *const *words)
{
	char *text = rig_text(r);
	int n = rig_finding(r, id);
	cr_expect(n == 0 || n == 1, "\"%s\" is finding %d of:\n%s", id, n + 1, text);
	for (; n >= 0 && *words; words++) {
		const struct finding *f = &r->report.finding[n];
		cr_expect(strstr(f->what, *words) || strstr(f->attempt, *words) || strstr(f->place, *words),
			  "finding \"%s\" does not say \"%s\": %s at %s. %s", id, *words, f->what, f->place,
			  f->attempt);
	}
	free(text);
	run_free(r);
}

Test(why_cases, matmul_with_one_buffer_taken_away)
{
	static struct run r;
	const struct rig_change one[] = { { "STAGES = 2 };", "STAGES = 1 };" }, { 0 } };
	const char *const set[] = { "M=1024", "N=1536", "K=1024", NULL };
	rig_run(&r, "matmul", "launch.cfg", set, one);
	expect(&r, "single buffer", (const char *const[]){ "double buffering", "matmul.c:", "take turns", NULL });
}

Test(why_cases, add_with_colliding_banks)
{
	static struct run r;
	const struct rig_change collide[] = { { "UB_Y = 0x10100", "UB_Y = 0x10000" }, { "UB_Z = 0x20000",
			"UB_Z = 0x20000" }, { 0 } };
	const char *const set[] = { "n=6291456", NULL };
	rig_run(&r, "add", "launch.cfg", set, collide);
	expect(&r, "bank conflicts", (const char *const[]){ "vadd", "0x0 (bank group 0", "0x10000 (bank group 0",
							    "add.c:", NULL });
}

Test(why_cases, softmax_with_a_barrier_too_many)
{
	static struct run r;
	const struct rig_change barrier[] = {
		{ "	wait_flag(PIPE_MTE2, PIPE_V, stage);\n", "	wait_flag(PIPE_MTE2, PIPE_V,"
		  " stage);\n	pipe_barrier(PIPE_ALL);\n" }, { 0 } };
	const char *const set[] = { "rows=8192", NULL };
	rig_run(&r, "softmax", "launch.cfg", set, barrier);
	expect(&r, "barrier too wide", (const char *const[]){ "PIPE_ALL", "softmax.c:", "remove it", NULL });
}

Test(why_cases, matmul_with_a_base_tile_too_small)
{
	static struct run r;
	const char *const set[] = { "base_m=32", "base_n=32", "base_k=64", "step_m=32", "step_n=64", "step_k=64", NULL };
	rig_run(&r, "matmul", "launch.cfg", set, NULL);
	expect(&r, "cube tile too small", (const char *const[]){ "32 x 32 x 64", "128 x 128", "matmul.c:", NULL });
}

/* Rows of 777 and 3000 fp16 begin anywhere: DEV data_copy has them three times as long under way. */
Test(why_cases, matmul_of_rows_that_begin_within_a_block)
{
	static struct run r;
	const char *const set[] = { "M=1000", "N=3000", "K=777", NULL };
	rig_run(&r, "matmul", "launch.cfg", set, NULL);
	expect(&r, "misaligned transfers", (const char *const[]){ "MTE2", "within a block of 32 bytes", "pad them", "matmul.c:",
								  NULL });
}

Test(why_cases, launched_on_half_the_cores)
{
	static struct run r;
	const char *const set[] = { "blocks=12", NULL };
	rig_run(&r, "matmul", "launch.cfg", set, NULL);
	expect(&r, "idle cores", (const char *const[]){ "12 of 24 cube cores", "launch 24 blocks", NULL });
}

Test(why_cases, blocks_that_find_nothing_to_do)
{
	static struct run r;
	const char *const set[] = { "rows=20", "cols=20000", NULL };
	rig_run(&r, "softmax", "launch.cfg", set, NULL);
	expect(&r, "idle cores", (const char *const[]){ "20 of 48 vector cores", "found nothing to do", NULL });
}
