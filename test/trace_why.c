/*
 * trace_why.c - what a trace says about why: the holds of the scalar unit sum to its cycles by cause, the findings in the file
 * make the same text as the run's own report, and a live run comes to the same findings.
 */
#include "../sim/live.h"
#include "../sim/reasons.h"
#include "why_rig.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void run_traced(struct run *r, const char *kernel, const char *const *set, const char *file)
{
	struct run_options o = { .quiet = true, .no_check = true, .timing_only = true };
	struct fail f = { 0 };
	char path[256], err[400];
	memset(r, 0, sizeof *r);
	cr_assert(isa_init(err, sizeof err), "%s", err);
	snprintf(path, sizeof path, "kernels/%s/launch.cfg", kernel);
	snprintf(o.trace, sizeof o.trace, "%s", file);
	cr_assert(launch_load(path, &r->launch, &f), "%s", f.what);
	for (; set && *set; set++)
		cr_assert(launch_set(&r->launch, *set, &f), "%s", f.what);
	cr_assert(run_launch(r, &o, &f), "%s", f.what);
}

struct sums { int64_t (*cause)[CAUSE_COUNT], *last; uint32_t n; };

static void add_hold(void *user, const struct vtr_hold *h)
{
	struct sums *s = user;
	cr_assert_geq(h->from, s->last[h->core], "holds of core %u overlap at %lld", h->core, (long long)h->from);
	cr_assert_gt(h->to, h->from);
	cr_assert_eq(h->pipe, PIPE_S);
	s->last[h->core] = h->to;
	s->cause[h->core][h->cause] += h->to - h->from;
	s->n++;
}

/* Every cycle that a core's scalar unit lost is in one hold, with the cause that the accounting gives it. */
static void holds_are_the_lost_cycles(const char *kernel, const char *const *set)
{
	static struct run r;
	char file[64];
	struct vtr t;
	struct fail f = { 0 };
	snprintf(file, sizeof file, "build/why-%d.vtr", (int)getpid());
	run_traced(&r, kernel, set, file);
	cr_assert(vtr_open(file, &t, &f), "%s", f.what);
	unlink(file);
	struct sums s = { calloc(t.head.n_core, sizeof *s.cause), calloc(t.head.n_core, sizeof *s.last), 0 };
	cr_assert_eq(vtr_each_hold(&t, add_hold, &s), 0);
	cr_assert_gt(s.n, 0);
	for (uint32_t c = 0; c < t.head.n_core; c++)
		for (int k = 0; k < CAUSE_COUNT; k++)
			/* a core that got no block was never held: it had nothing to begin with */
			if (r.sim.core[c].stats.blocks && k != CAUSE_BUSY && k != CAUSE_SYNC && k != CAUSE_DONE)
				cr_assert_eq(s.cause[c][k], r.sim.core[c].stats.pipe[PIPE_S].cause[k], "%s, core %u: %s",
					     kernel, c, cause_text(k));
	free(s.cause);
	free(s.last);
	vtr_close(&t);
	run_free(&r);
}

Test(trace_why, holds_of_matmul) { holds_are_the_lost_cycles("matmul", NULL); }
Test(trace_why, holds_of_add) { holds_are_the_lost_cycles("add", (const char *const[]){ "blocks=100", NULL }); }
Test(trace_why, holds_of_softmax) { holds_are_the_lost_cycles("softmax", NULL); }

static char *text_of(const struct vtr_findings *x, const vtr_text *pipe, int64_t cycles)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);
	reasons_text(x, cycles, out);
	reasons_path_text(x, pipe, PIPE_COUNT, cycles, out);
	fclose(out);
	return text;
}

Test(trace_why, a_trace_says_what_the_report_said)
{
	static struct run r;
	struct reasons own;
	char file[64];
	struct vtr t;
	struct fail f = { 0 };
	snprintf(file, sizeof file, "build/why-%d.vtr", (int)getpid());
	run_traced(&r, "matmul", (const char *const[]){ "blocks=12", NULL }, file);
	cr_assert(vtr_open(file, &t, &f), "%s", f.what);
	unlink(file);
	cr_assert_not_null(t.findings);
	reasons_of(&r.report, NULL, &own);
	char *a = text_of(&own.all, t.head.pipe, r.sim.end), *b = text_of(t.findings, t.head.pipe, t.done.end);
	cr_assert_str_eq(a, b);
	cr_assert(strstr(a, "idle cores: 12 of 24 cube cores run"), "%s", a);
	/* what has a line leads to an instruction of that line */
	for (uint32_t i = 0; i < t.findings->n_finding; i++) {
		const struct vtr_finding *x = &t.findings->finding[i];
		if (x->site != UINT32_MAX)
			cr_assert_eq(strncmp(t.site[x->site].line, x->place, strlen(x->place)), 0, "%s is not at %s",
				     t.site[x->site].line, x->place);
	}
	free(a);
	free(b);
	vtr_close(&t);
	run_free(&r);
}

Test(trace_why, a_live_run_comes_to_the_same_findings)
{
	static struct run r;
	struct fail f = { 0 };
	char file[64];
	struct live_until forever = LIVE_FOREVER, half = LIVE_FOREVER;
	snprintf(file, sizeof file, "build/why-%d.vtr", (int)getpid());
	run_traced(&r, "softmax", NULL, file);
	unlink(file);
	struct live *l = live_open("kernels/softmax", NULL, NULL, NULL, &f);
	cr_assert_not_null(l, "%s", f.what);
	half.cycle = r.sim.end / 2;
	live_to(l, &half, 0);
	cr_assert_null(live_findings(l), "a report before the run has ended");
	cr_assert_eq(live_to(l, &forever, 0), LIVE_ENDED);
	const struct vtr_findings *x = live_findings(l);
	cr_assert_not_null(x);
	cr_assert_eq((int)x->path_links, (int)r.report.path_links);
	for (int q = 0; q < PIPE_COUNT; q++)
		for (int k = 0; k < PART_COUNT; k++)
			cr_assert_eq(x->path[q * PART_COUNT + k], r.report.path_part[q][k]);
	for (int i = 0; i < r.report.n_finding; i++) {
		bool found = false;
		for (uint32_t j = 0; j < x->n_finding; j++)
			found |= strcmp(x->finding[j].what, r.report.finding[i].what) == 0;
		cr_expect(found || x->n_finding == FINDINGS, "the live run does not find: %s", r.report.finding[i].what);
	}
	/* back, and to the end again: the report goes and comes */
	cr_assert(live_back(l, half.cycle, NULL, &f), "%s", f.what);
	cr_assert_null(live_findings(l));
	cr_assert_eq(live_to(l, &forever, 0), LIVE_ENDED);
	cr_assert_not_null(live_findings(l));
	live_free(l);
	run_free(&r);
}
