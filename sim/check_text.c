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

static void finding(const struct check_finding *f, FILE *out)
{
	fprintf(out, "\n%s [%s]: %s\n  at ", check_kind_name(f->kind), f->code, f->what);
	place(&f->at, out);
	if (f->other.core >= 0) {
		fprintf(out, "  %s: ", f->other_role);
		place(&f->other, out);
	}
	if (f->count > 1)
		fprintf(out, "  seen %" PRIu64 " times\n", f->count);
	if (f->hint[0])
		fprintf(out, "  hint: %s\n", f->hint);
}

void check_text(const struct check_result *r, FILE *out)
{
	char names[64];
	check_names(r->bits, names, sizeof names);
	fprintf(out, "\nChecks   %s: ", names);
	if (r->n_finding == 0)
		fprintf(out, "no mistake found\n");
	else
		fprintf(out, "%d mistake%s\n", r->n_finding, r->n_finding == 1 ? "" : "s");
	for (int i = 0; i < r->n_finding; i++)
		finding(&r->finding[i], out);
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
