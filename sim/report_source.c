/*
 * report_source.c - hot spots: the kernel's source, and its disassembly, with cycles, calls and stalls in front.
 */
#include "report_views.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXT = 3 };

static const char legend[] =
	"path: share of the critical path. calls: instructions given to pipes. Cycles, sums over all cores: busy,"
	" waited (at the\n"
	"head of its pipe, or the scalar unit stood there), idle (its pipe had nothing before it), issue (scalar time"
	" up to it).\n";

static const char columns[] = "  path     calls         busy       waited         idle        issue";

static void put_count(FILE *out, int width, int64_t v)
{
	char num[32];
	fprintf(out, " %*s", width, v ? report_number(v, num) : ".");
}

static void put_counters(FILE *out, const struct report *r, const struct report_line *l)
{
	double path = r->cycles ? 100.0 * (double)l->path / (double)r->cycles : 0;
	if (path >= 0.05)
		fprintf(out, "%5.1f%%", path);
	else
		fprintf(out, "     .");
	put_count(out, 9, (int64_t)l->calls);
	put_count(out, 12, l->busy + l->bank + l->bandwidth);
	put_count(out, 12, l->stall + l->held);
	put_count(out, 12, l->empty);
	put_count(out, 12, l->issue);
}

/* " <- wait for MTE2 4 000, UB bank conflict 128" */
static void put_causes(FILE *out, const struct report_line *l)
{
	char num[32];
	const char *mark = "  <- ";
	for (int k = 0; k < CAUSE_COUNT; k++)
		if (l->cause[k] > 0 && (l->stall + l->held) > 0 && l->cause[k] * 5 >= l->stall + l->held) {
			fprintf(out, "%s%s %s", mark, cause_text(k), report_number(l->cause[k], num));
			mark = ", ";
		}
	if (l->bank > 0)
		fprintf(out, "%sUB bank conflict %s", mark, report_number(l->bank, num));
}

/* Counters of a file's lines, by line number; NULL where there are none. */
static const struct report_line **lines_of(const struct report *r, const char *file, int *last)
{
	*last = 0;
	for (int i = 0; i < r->n_line; i++)
		if (strcmp(r->line[i].file, file) == 0 && r->line[i].line > *last)
			*last = r->line[i].line;
	const struct report_line **at = calloc((size_t)*last + 2, sizeof *at);
	for (int i = 0; at && i < r->n_line; i++)
		if (strcmp(r->line[i].file, file) == 0 && r->line[i].line >= 0)
			at[r->line[i].line] = &r->line[i];
	return at;
}

static bool near(const struct report_line **at, int last, int n)
{
	for (int i = n - CONTEXT; i <= n + CONTEXT; i++)
		if (i > 0 && i <= last && at[i])
			return true;
	return false;
}

static bool one_file(const struct report *r, const char *file, FILE *out, struct fail *f)
{
	int last, n = 0;
	bool gap = false;
	char text[1000];
	const struct report_line **at = lines_of(r, file, &last);
	if (!at)
		return fail_set(f, FAIL_INTERNAL, "no memory for the source view");
	FILE *in = fopen(file, "r");
	fprintf(out, "\n%s%s\n%s   line\n", file, in ? "" : " (the file is not there: counters alone)", columns);
	while (++n <= last + CONTEXT) {
		bool any = n <= last && at[n];
		if (in && !fgets(text, sizeof text, in))
			break;
		text[strcspn(in ? text : "", "\r\n")] = 0;
		if (!(in ? near(at, last, n) : any)) {
			gap = true;
			continue;
		}
		if (gap)
			fprintf(out, "%*s...\n", 72, "");
		gap = false;
		if (any)
			put_counters(out, r, at[n]);
		else
			fprintf(out, "%68s", "");
		fprintf(out, " %6d  %s", n, in ? text : "");
		if (any)
			put_causes(out, at[n]);
		fputc('\n', out);
	}
	if (in)
		fclose(in);
	free(at);
	return true;
}

bool report_source(const struct run *r, FILE *out, struct fail *f)
{
	const struct report *rep = &r->report;
	fputs(legend, out);
	for (int i = 0; i < rep->n_line; i++) {
		bool first = rep->line[i].file[0] != 0;
		for (int k = 0; k < i && first; k++)
			first = strcmp(rep->line[k].file, rep->line[i].file) != 0;
		if (first && !one_file(rep, rep->line[i].file, out, f))
			return false;
	}
	return true;
}

static struct report_line line_of_site(const struct why_site *s, int64_t path)
{
	struct report_line l = { .calls = s->calls, .path = path, .issue = s->issue, .held = s->held, .empty = s->empty,
		.stall = s->stall, .busy = s->busy, .bank = s->bank, .bandwidth = s->bandwidth };
	l.cause[s->cause] += s->stall;
	l.cause[s->hold_cause] += s->held;
	return l;
}

static void put_word(const struct run *r, int program, uint32_t word, int64_t path, FILE *out)
{
	const struct program *p = &r->program[program];
	const struct why_site *s = &r->why.site[program][word];
	const uint8_t *b = p->text + 4 * (uint64_t)word;
	uint32_t raw = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
	uint64_t pc = p->text_addr + 4 * (uint64_t)word;
	char text[160], by[400];
	struct report_line l = line_of_site(s, path);
	isa_disasm(raw, pc, text, sizeof text);
	put_counters(out, &r->report, &l);
	fprintf(out, "  %9" PRIx64 "  %s", pc, text);
	put_causes(out, &l);
	if (s->stall + s->held > 0 && s->releaser != UINT32_MAX) {
		program_line(p, p->text_addr + 4 * (uint64_t)s->releaser, by, sizeof by);
		by[strcspn(by, ",")] = 0;
		fprintf(out, ", ended by %" PRIx64 " %s", p->text_addr + 4 * (uint64_t)s->releaser, by);
	}
	fputc('\n', out);
}

bool report_disassembly(const struct run *r, FILE *out, struct fail *f)
{
	struct why_path path;
	char now[400], last[400] = "";
	if (!why_path(&r->why, &path, f))
		return false;
	fputs(legend, out);
	for (int k = 0; k < 2; k++) {
		const struct program *p = &r->program[k];
		if (!r->has_program[k])
			continue;
		fprintf(out, "\n%s\n%s   address\n", p->file, columns);
		for (uint32_t i = 0; i < p->n_insn; i++) {
			const struct why_site *s = &r->why.site[k][i];
			if (!s->calls && !s->held && !path.site[k][i])
				continue;
			program_line(p, p->text_addr + 4 * (uint64_t)i, now, sizeof now);
			if (strcmp(now, last) != 0)
				fprintf(out, "%70s; %s\n", "", now);
			memcpy(last, now, sizeof last);
			put_word(r, k, i, path.site[k][i], out);
		}
	}
	why_path_free(&path);
	return true;
}
