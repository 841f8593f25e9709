/*
 * write.c - the accuracy document in Markdown, and the figures for CI.
 */
#include "write.h"

#include <stdlib.h>
#include <string.h>

/* Groups of the summary in its order, with the bar that the project set itself; -1 = none. */
static const struct group { const char *name, *what; double mean, worst; } groups[] = {
	{ "vector stream, 4 repeats up", "vector, back to back, from 4 repeats on (MSK 910B1)", 0.03, 0.10 },
	{ "vector stream, 1-3 repeats", "vector, back to back, 1 to 3 repeats: bound by issue (MSK 910B1)", 0.03, 0.10 },
	{ "vector alone", "vector, alone (GE, PTO; where they agree within 10 %)", 0.03, 0.10 },
	{ "cube", "mad, back to back and alone (MSK, DEV)", 0.03, 0.10 },
	{ "L1 to L0", "L1 to L0A, L0B (MSK, DEV)", 0.03, 0.10 },
	{ "L1 to BT and FB", "L1 to bias table and fixpipe buffer (MSK, DEV)", 0.03, 0.10 },
	{ "fixpipe", "fixpipe to GM and L1 (MSK, DEV)", 0.03, 0.10 },
	{ "UB to UB", "UB to UB (MSK)", 0.03, 0.10 },
	{ "UB banks", "UB bank conflicts, 1000 adds (DEV, silicon)", 0.03, 0.03 },
	{ "GM curves", "GM to and from a core, by size (MSK)", 0.10, -1 },
	{ "whole kernels, time", "whole kernels of grade A: time of a core, or of the task where only that is published", 0.10,
	  0.25 },
	{ "pipe mac", "whole kernels: cube time", 0.15, 0.15 },
	{ "pipe vec", "whole kernels: vector time", 0.15, 0.15 },
	{ "pipe mte2", "whole kernels: MTE2 time", 0.15, 0.15 },
	{ "pipe scalar", "whole kernels: scalar time (the vendor library's scalar code is not ours)", 0.15, 0.15 },
	{ "pipe mte1", "whole kernels: MTE1 time", -1, -1 },
	{ "pipe mte3", "whole kernels: MTE3 time", -1, -1 },
	{ "pipe fixpipe", "whole kernels: fixpipe time", -1, -1 },
	{ "whole kernels B, time", "whole kernels of grade B (tiling, state or framework code not published): time", -1, -1 },
	{ "pipes B", "whole kernels of grade B: all pipe times", -1, -1 },
	{ "vector, sources disagree", "vector instructions on which sources disagree by more than 10 %", -1, -1 },
	{ "L1 to L0, sources disagree", "L1 to L0A, 1 KB: two tables of one source, 6.1 and 8.1 cycles", -1, -1 },
	{ "GM curves, sources disagree", "GM curves on which sources disagree", -1, -1 },
};
enum { N_GROUP = sizeof groups / sizeof groups[0] };

static const char *const ladders[] = { "add-a2-", "matmul-a2-", "datacopy-ub-a2-", "datacopy-l1-a2-", "ubbank-a2-", "doctile-",
	"docmdl-", "docunit-", "docstatic-", "docsplitk-", "docpre-", "dockre-", "ptogemm-", "catlass-opt-",
	"msmem-", "msbal-", "msdb-", "nd2nzbank-", "concatcores-", "concatrows-", "concatinputs-" };
enum { N_LADDER = sizeof ladders / sizeof ladders[0] };

static const char *verdict(const struct group *g, const struct summary *s)
{
	bool mean = g->mean < 0 || s->mean <= g->mean, worst = g->worst < 0 || s->worst <= g->worst;
	if (g->mean < 0 && g->worst < 0)
		return "-";
	return mean && worst ? "met" : mean ? "mean met, single values not" : "not met";
}

static void write_bar(FILE *f, const struct group *g)
{
	if (g->mean < 0)
		fprintf(f, "- |");
	else if (g->worst < 0)
		fprintf(f, "mean %.0f %% |", 100 * g->mean);
	else
		fprintf(f, "mean %.0f %%, each %.0f %% |", 100 * g->mean, 100 * g->worst);
}

static void write_summary(const struct table *t, FILE *f)
{
	fprintf(f, "| what | values | mean error | largest | above 10 %% | bar | |\n|---|---|---|---|---|---|---|\n");
	for (int i = 0; i < N_GROUP; i++) {
		struct summary s = table_summary(t, groups[i].name);
		if (s.n == 0)
			continue;
		fprintf(f, "| %s | %d | %.1f %% | %.0f %% | %d | ", groups[i].what, s.n, 100 * s.mean, 100 * s.worst, s.over_10);
		write_bar(f, &groups[i]);
		fprintf(f, " %s |\n", verdict(&groups[i], &s));
	}
}

/* Error of the group over all rows, over the quick ones, over those fitted to, over those held out. */
enum part { ALL, QUICK, FITTED, HELD };

static struct summary part(const struct table *t, const char *group, enum part which)
{
	struct table some = *t;
	struct summary s;
	some.n = 0;
	some.row = malloc((size_t)(t->n ? t->n : 1) * sizeof *some.row);
	for (int i = 0; i < t->n; i++)
		if (which == ALL || (which == QUICK ? !t->row[i].slow : t->row[i].held == (which == HELD)))
			some.row[some.n++] = t->row[i];
	s = table_summary(&some, group);
	free(some.row);
	return s;
}

/* The whole kernels once more: those that parameters were fitted to beside those that they were not. */
static void write_held(const struct table *t, FILE *f)
{
	fprintf(f, "| what | fitted to | mean error | held out | mean error | largest |\n|---|---|---|---|---|---|\n");
	for (int i = 0; i < N_GROUP; i++) {
		struct summary fitted = part(t, groups[i].name, FITTED), held = part(t, groups[i].name, HELD);
		if (held.n > 0)
			fprintf(f, "| %s | %d | %.1f %% | %d | %.1f %% | %.0f %% |\n", groups[i].what, fitted.n,
				100 * fitted.mean, held.n, 100 * held.mean, 100 * held.worst);
	}
}

static const char *ladder_metric(const struct table *t, const char *prefix, const char *group)
{
	for (int i = 0; i < t->n; i++)
		if (strncmp(t->row[i].id, prefix, strlen(prefix)) == 0 && strcmp(t->row[i].group, group) == 0)
			return t->row[i].metric;
	return NULL;
}

static void write_ladders(const struct table *t, FILE *f)
{
	fprintf(f, "| ladder | steps | rank correlation |\n|---|---|---|\n");
	for (int i = 0; i < N_LADDER; i++) {
		const char *group = strcmp(ladders[i], "ubbank-a2-") == 0 ? "UB banks" : "ladder";
		int n;
		double r = table_rank(t, group, ladders[i], NULL, &n);
		if (ladder_metric(t, ladders[i], group) && n > 1)
			fprintf(f, "| %.*s | %d | %.2f |\n", (int)strlen(ladders[i]) - 1, ladders[i], n, r);
	}
}

static void write_row(FILE *f, const struct result *r)
{
	double e = 100 * (r->simulated / r->published - 1);
	const char *form = r->published >= 1000 ? "| %s | %s | %.0f | %.0f | %+.1f %% | %s |\n"
						: "| %s | %s | %.4g | %.4g | %+.1f %% | %s |\n";
	fprintf(f, form, r->id, r->metric, r->published, r->simulated, e, r->held ? "held out" : "fitted");
}

static void write_group(const struct table *t, FILE *f, const char *group)
{
	fprintf(f, "\n| case | value | published | simulated | error | |\n|---|---|---|---|---|---|\n");
	for (int i = 0; i < t->n; i++)
		if (strcmp(t->row[i].group, group) == 0)
			write_row(f, &t->row[i]);
}

/* One line per row of the source file: its points summed up, and three of them. */
static void write_points(const struct table *t, FILE *f, const char *group)
{
	fprintf(f, "\n| row | points | mean error | largest | first, middle, last point: published -> simulated cycles |\n"
		   "|---|---|---|---|---|\n");
	for (int i = 0, n; i < t->n; i += n) {
		double mean = 0, worst = 0;
		for (n = 0; i + n < t->n && strcmp(t->row[i + n].id, t->row[i].id) == 0 &&
		     strcmp(t->row[i + n].group, t->row[i].group) == 0; n++) {
			double e = t->row[i + n].simulated / t->row[i + n].published - 1;
			mean += e < 0 ? -e : e;
			worst = (e < 0 ? -e : e) > worst ? (e < 0 ? -e : e) : worst;
		}
		if (strcmp(t->row[i].group, group) != 0)
			continue;
		fprintf(f, "| %s | %d | %.1f %% | %.0f %% |", t->row[i].id, n, 100 * mean / n, 100 * worst);
		for (int k = 0; k < 3; k++) {
			const struct result *r = &t->row[i + (n - 1) * k / 2];
			if (k < n)
				fprintf(f, "%s %s: %.4g -> %.4g", k ? ";" : "", r->metric, r->published, r->simulated);
		}
		fprintf(f, " |\n");
	}
}

static const char head[] = "# Accuracy\n\n"
			   "Written by `make accuracy` from the facts in `micro.jsonl`, `formulas.jsonl` and "
			   "`measured.jsonl` (each row names its source)\n"
			   "and the kernels in `kernels/`, launched as `cases.jsonl` says. One config per chip for all "
			   "of it; how each of its numbers was\n"
			   "found is in `configs/CALIBRATION.md`. Error: simulated / published - 1. Times of pipes "
			   "count from the start of an instruction\n"
			   "to its result, as the profiler does. What is off stays in the tables. Grades are those of the "
			   "published rows: B where the tiling\n"
			   "or the state of the chip is not said, or where the time is that of code which is not "
			   "public.\n\n";

static const char held_head[] = "\n## Held out\n\n"
				"Some numbers of the chips were fitted to some of these kernels (`fitted` in `cases.jsonl`); "
				"the others show what the model\n"
				"is worth for a kernel that it has not seen.\n\n";

bool accuracy_write(const struct table *t, const char *file)
{
	FILE *f = fopen(file, "w");
	if (!f)
		return false;
	fputs(head, f);
	write_summary(t, f);
	fputs(held_head, f);
	write_held(t, f);
	fprintf(f, "\n## Ladders\n\nDo the steps of one tuning story come out in the published order?\n\n");
	write_ladders(t, f);
	fprintf(f, "\nSteps 5 to 8 of matmul-a2 did the same mads in 3352, 3254, 3164 and 3076 us: the clock changed. At one "
		   "clock they differ by\n1.2 %% at most, which this model cannot tell apart (`configs/CALIBRATION.md`).\n");
	fprintf(f, "\n## Whole kernels\n");
	for (int i = 0; i < N_GROUP; i++)
		if (strncmp(groups[i].name, "pipe", 4) == 0 || strncmp(groups[i].name, "whole", 5) == 0 ||
		    strcmp(groups[i].name, "UB banks") == 0) {
			fprintf(f, "\n### %s\n", groups[i].name);
			write_group(t, f, groups[i].name);
		}
	fprintf(f, "\n## Instructions and paths\n");
	for (int i = 0; i < N_GROUP; i++)
		if (strncmp(groups[i].name, "pipe", 4) != 0 && strncmp(groups[i].name, "whole", 5) != 0 &&
		    strcmp(groups[i].name, "UB banks") != 0) {
			fprintf(f, "\n### %s\n", groups[i].name);
			write_points(t, f, groups[i].name);
		}
	fprintf(f, "\n## Not compared\n\nRows of the facts about the 950 are left out with the chip. These rows are "
		   "here but not compared:\n\n");
	for (int i = 0; i < t->n_left; i++)
		fprintf(f, "- %s: %s\n", t->left[i].id, t->left[i].why);
	return fclose(f) == 0;
}

bool figures_write(const struct table *t, const char *file)
{
	FILE *f = fopen(file, "w");
	if (!f)
		return false;
	fprintf(f, "# mean error in %% of the quick rows, of all rows; group\n");
	for (int i = 0; i < N_GROUP; i++) {
		struct summary quick = part(t, groups[i].name, QUICK), all = part(t, groups[i].name, ALL);
		fprintf(f, "%.3f %.3f %s\n", 100 * quick.mean, 100 * all.mean, groups[i].name);
	}
	return fclose(f) == 0;
}

int figures_check(const struct table *t, const char *file)
{
	FILE *f = fopen(file, "r");
	char line[256], name[128];
	double quick, all;
	int worse = 0, seen = 0;
	while (f && fgets(line, sizeof line, f)) {
		if (sscanf(line, "%lf %lf %127[^\n]", &quick, &all, name) != 3)
			continue;
		struct summary s = part(t, name, QUICK);
		seen++;
		/* the figures have three decimals */
		if (100 * s.mean > quick + 0.001) {
			fprintf(stderr,
				"accuracy: mean error of \"%s\" is %.3f %%, it was %.3f %% (make accuracy shows "
				"where)\n",
				name, 100 * s.mean, quick);
			worse++;
		}
	}
	if (f)
		fclose(f);
	if (seen == 0)
		fprintf(stderr, "accuracy: no figures in %s\n", file);
	return worse + (seen == 0);
}
