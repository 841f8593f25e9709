/*
 * check_text.c - findings as a person reads them.
 */
#include "check.h"

#include <inttypes.h>
#include <string.h>

const char *check_kind_name(enum check_kind k)
{
	static const char *const name[CHECK_KINDS] = { "memcheck",  "initcheck", "racecheck",
						       "synccheck", "deadlock",  "kernel" };
	return (unsigned)k < CHECK_KINDS ? name[k] : "?";
}

void check_names(unsigned bits, char *text, size_t size)
{
	static const char *const name[] = { "mem", "init", "race", "sync", "oversync" };
	size_t at = 0;
	text[0] = 0;
	for (unsigned i = 0; i < sizeof name / sizeof name[0]; i++)
		if (bits >> i & 1 && at < size)
			at += (size_t)snprintf(text + at, size - at, "%s%s", at ? ", " : "", name[i]);
	if (!text[0])
		snprintf(text, size, "none");
}

static void place(const struct check_place *p, FILE *out)
{
	fprintf(out, "%s", p->line[0] ? p->line : "?");
	if (p->insn[0])
		fprintf(out, ": %s", p->insn);
	if (p->pc)
		fprintf(out, ", pc 0x%" PRIx64, p->pc);
	if (p->core >= 0)
		fprintf(out, ", core %d", p->core);
	if (p->core >= 0 && p->block >= 0)
		fprintf(out, " (block %d)", p->block);
	if (p->pipe >= 0 && p->core >= 0)
		fprintf(out, ", pipe %s", isa_pipe_name((enum isa_pipe)p->pipe));
	if (p->cycle >= 0)
		fprintf(out, ", cycle %" PRId64, p->cycle);
	fputc('\n', out);
}

static void times(const struct check_finding *f, FILE *out)
{
	if (f->count < 2)
		return;
	fprintf(out, "  seen %" PRIu64 " times", f->count);
	if (f->cores > 1)
		fprintf(out, " on %d cores, %d to %d", f->cores, f->core_first, f->core_last);
	fputc('\n', out);
}

static void finding(const struct check_finding *f, int number, int cause, FILE *out)
{
	fputc('\n', out);
	if (number > 0)
		fprintf(out, "%d. ", number);
	fprintf(out, "%s [%s]: %s\n  at ", check_kind_name(f->kind), f->code, f->what);
	place(&f->at, out);
	if (f->other.core >= 0) {
		fprintf(out, "  %s: ", f->other_role);
		place(&f->other, out);
	}
	times(f, out);
	if (cause > 0)
		fprintf(out, "  follows from finding %d\n", cause);
	else if (f->hint[0])
		fprintf(out, "  hint: %s\n", f->hint);
}

/* "matmul.c:88" of a place whose calls would take a line each. */
static void short_place(const struct check_place *p, FILE *out)
{
	fprintf(out, "%.*s", (int)strcspn(p->line, " ,"), p->line);
	if (!p->line[0])
		fprintf(out, "pc 0x%" PRIx64, p->pc);
}

/* What follows from the finding at `head`: a line each, or as long as findings are with `all`. */
static void consequences(const struct check_result *r, int head, bool all, int *number, FILE *out)
{
	int n = 0, cause = *number;
	for (int i = 0; i < r->n_finding; i++)
		n += i != head && r->finding[i].cause == head;
	if (n > 0 && !all)
		fprintf(out, "  and %d more that follow%s from it (--all shows %s in full):\n", n, n == 1 ? "s" : "",
			n == 1 ? "it" : "them");
	for (int i = 0; i < r->n_finding; i++) {
		const struct check_finding *f = &r->finding[i];
		if (i == head || f->cause != head)
			continue;
		if (all) {
			finding(f, ++*number, cause, out);
			continue;
		}
		fprintf(out, "    %s [%s] at ", check_kind_name(f->kind), f->code);
		short_place(&f->at, out);
		if (f->other.core >= 0) {
			fprintf(out, ", %s ", f->other_role);
			short_place(&f->other, out);
		}
		if (f->count > 1)
			fprintf(out, ", %" PRIu64 " times", f->count);
		fputc('\n', out);
	}
}

/* One block per mistake; numbers where there is more than one finding to tell apart. */
static void findings(const struct check_result *r, bool all, FILE *out)
{
	int n = 0, number = 0;
	for (int i = 0; i < r->n_finding; i++)
		n += r->finding[i].cause == i;
	if (r->n_finding == 0)
		fprintf(out, "no mistake found\n");
	else
		fprintf(out, "%d mistake%s", n, n == 1 ? "" : "s");
	if (n < r->n_finding)
		fprintf(out, ", %d findings", r->n_finding);
	if (r->n_finding > 0)
		fputc('\n', out);
	for (int i = 0; i < r->n_finding; i++) {
		if (r->finding[i].cause != i)
			continue;
		number++;
		finding(&r->finding[i], n > 1 || (all && r->n_finding > 1) ? number : 0, 0, out);
		consequences(r, i, all, &number, out);
	}
}

void check_text(const struct check_result *r, bool all, FILE *out)
{
	char names[64];
	check_names(r->bits, names, sizeof names);
	fprintf(out, "\nChecks   %s: ", names);
	findings(r, all, out);
	if (r->more)
		fprintf(out, "\n%" PRIu64 " more findings are not listed\n", r->more);
	if (r->n_over) {
		fprintf(out, "\nOrders nothing that needs order (cycles that the pipe lost there, all cores)\n");
		for (int i = 0; i < r->n_over; i++)
			fprintf(out, "  %12" PRId64 " cycles, %8" PRIu64 " times  %s: %s\n", r->over[i].cycles,
				r->over[i].times, r->over[i].at.line[0] ? r->over[i].at.line : "?", r->over[i].at.insn);
	}
	if (r->n_gap) {
		fprintf(out, "\nNot modelled, passed over; what they would have written is undefined\n");
		for (int i = 0; i < r->n_gap; i++) {
			fprintf(out, "  %8" PRIu64 " times  %s\n    at ", r->gap[i].count, r->gap[i].what);
			place(&r->gap[i].at, out);
		}
	}
}
