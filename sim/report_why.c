/*
 * report_why.c - the reasons in the report: counters per source line, the critical path, the findings as text.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 118, TOP_LINES = 6, KEEP = 0x1f /* a blank where a line must not break */ };

static int by_place(const void *a, const void *b)
{
	const struct report_line *x = a, *y = b;
	int order = strcmp(x->file, y->file);
	return order ? order : x->line != y->line ? (x->line < y->line ? -1 : 1) : x->program - y->program;
}

static int by_path(const void *a, const void *b)
{
	const struct report_line *x = a, *y = b;
	int64_t px = x->path, py = y->path;
	if (px == py) {
		px = x->busy + x->stall + x->held + x->issue;
		py = y->busy + y->stall + y->held + y->issue;
	}
	return px != py ? (px > py ? -1 : 1) : by_place(a, b);
}

static void add_line(struct report_line *to, const struct report_line *l)
{
	if (l->pc_path > to->pc_path) {
		to->pc_path = l->pc_path;
		to->pc = l->pc;
	}
	to->calls += l->calls;
	to->path += l->path;
	to->issue += l->issue;
	to->held += l->held;
	to->empty += l->empty;
	to->stall += l->stall;
	to->busy += l->busy;
	to->bank += l->bank;
	to->bandwidth += l->bandwidth;
	for (int k = 0; k < CAUSE_COUNT; k++)
		to->cause[k] += l->cause[k];
}

static struct report_line line_of(const struct why *w, const struct why_path *p, int program, uint32_t word)
{
	const struct why_site *s = &w->site[program][word];
	const struct program *text = w->sim->program[program];
	struct report_line l = { .program = program, .pc = text->text_addr + 4 * (uint64_t)word, .pc_path =
				 p->site[program][word], .calls = s->calls, .path = p->site[program][word], .issue =
				 s->issue,
		.held = s->held, .empty = s->empty, .stall = s->stall, .busy = s->busy, .bank = s->bank,
		.bandwidth = s->bandwidth };
	l.cause[s->cause] += s->stall;
	l.cause[s->hold_cause] += s->held;
	if (!program_source(text, text->text_addr + 4 * (uint64_t)word, &l.file, &l.line)) {
		l.file = "";
		l.line = 0;
	}
	return l;
}

bool report_lines(struct report *r, const struct why *w, const struct why_path *p, struct fail *f)
{
	size_t n = 0;
	for (int i = 0; i < 2; i++)
		n += w->sim->program[i] ? w->sim->program[i]->n_insn : 0;
	struct report_line *l = calloc(n + 1, sizeof *l);
	if (!l)
		return fail_set(f, FAIL_INTERNAL, "no memory for source lines");
	n = 0;
	for (int i = 0; i < 2; i++)
		for (uint32_t k = 0; w->sim->program[i] && k < w->sim->program[i]->n_insn; k++)
			if (w->site[i][k].calls || w->site[i][k].held || p->site[i][k])
				l[n++] = line_of(w, p, i, k);
	qsort(l, n, sizeof *l, by_place);
	size_t out = 0;
	for (size_t i = 0; i < n; i++)
		if (out > 0 && by_place(&l[out - 1], &l[i]) == 0)
			add_line(&l[out - 1], &l[i]);
		else
			l[out++] = l[i];
	qsort(l, out, sizeof *l, by_path);
	r->line = l;
	r->text[0] = w->sim->program[0];
	r->text[1] = w->sim->program[1];
	r->n_line = (int)out;
	memcpy(r->path_part, p->part, sizeof r->path_part);
	r->path_known = p->known;
	r->path_links = p->links;
	memcpy(r->path_hop, p->hop, sizeof r->path_hop);
	return true;
}

static double percent(const struct report *r, int64_t cycles)
{
	return r->cycles ? 100.0 * (double)cycles / (double)r->cycles : 0;
}

/* Counts in a finding's text as everywhere in the report: "12 345". Addresses, line numbers and fractions stay. */
static void grouped(const char *from, char *to, size_t size)
{
	size_t o = 0;
	for (const char *p = from; *p && o + 8 < size;) {
		size_t n = strspn(p, "0123456789");
		char before = p > from ? p[-1] : ' ';
		bool count = n >= 4 && (before == ' ' || before == '(') && p[n] != 'x';
		if (n == 0) {
			to[o++] = *p++;
			continue;
		}
		for (size_t i = 0; i < n && o + 8 < size; i++) {
			if (count && i > 0 && (n - i) % 3 == 0)
				to[o++] = KEEP;
			to[o++] = p[i];
		}
		p += n;
	}
	to[o] = 0;
}

/* Words of `text`, wrapped, each line behind `indent` spaces; the first stands at column `at` already. */
static void wrapped(FILE *out, int at, int indent, const char *text)
{
	int column = at;
	for (const char *word = text; *word;) {
		int n = (int)strcspn(word, " ");
		if (column > indent && column + n + 1 > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		fputs(column > indent ? " " : "", out);
		for (int i = 0; i < n; i++) /* the mark that kept a number together */
			fputc(word[i] == KEEP ? ' ' : word[i], out);
		column += n + (column > indent);
		word += n;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}

void report_verdict_text(const struct report *r, FILE *out)
{
	char text[1024], what[768], num[32];
	if (!r->bottleneck[0])
		return;
	snprintf(text, sizeof text, "%s%s", r->bottleneck, r->n_finding ? ". Largest first:" : ".");
	fprintf(out, "Verdict  ");
	wrapped(out, 9, 9, text);
	for (int i = 0; i < r->n_finding; i++) {
		const struct finding *f = &r->finding[i];
		grouped(f->what, what, sizeof what);
		snprintf(text, sizeof text, "%s%s%s: %s.", f->id, f->place[0] ? ", " : "", f->place, what);
		fprintf(out, "\n  %d. ", i + 1);
		wrapped(out, 5, 5, text);
		snprintf(text, sizeof text, "Try: %s.", f->attempt);
		fprintf(out, "     ");
		wrapped(out, 5, 5, text);
		if (f->gain * 1000 <= r->cycles)
			snprintf(text, sizeof text, "Alone this saves nothing: something else takes longer meanwhile.");
		else if (f->measured)
			snprintf(text, sizeof text, "Saves at most %s cycles (%.0f %%): the run with --what-if %s takes"
				 " that much less.",
				 report_number(f->gain, num), percent(r, f->gain), f->what_if);
		else
			snprintf(text, sizeof text, "Saves at most about %s cycles (%.0f %%), by the critical path.",
				 report_number(f->gain, num),
				 percent(r, f->gain));
		fprintf(out, "     ");
		wrapped(out, 5, 5, text);
	}
}

static void path_pipe_text(const struct report *r, int pipe, int64_t sum, FILE *out)
{
	bool shown[PART_COUNT] = { false };
	char num[32];
	fprintf(out, "  %-5s %5.1f %% %11s cycles: ", isa_pipe_name(pipe), percent(r, sum), report_number(sum, num));
	for (int n = 0; n < PART_COUNT; n++) {
		int most = -1;
		for (int k = 0; k < PART_COUNT; k++)
			if (!shown[k] && r->path_part[pipe][k] > 0 && (most < 0 ||
								       r->path_part[pipe][k] > r->path_part[pipe][most]))
				most = k;
		if (most < 0)
			break;
		shown[most] = true;
		fprintf(out, "%s%s %s", n ? ", " : "", why_part_text(most), report_number(r->path_part[pipe][most],
				num));
	}
	fputc('\n', out);
}

void report_path_text(const struct report *r, FILE *out)
{
	char num[32];
	bool done[PIPE_COUNT] = { false };
	if (r->path_known == 0)
		return;
	fprintf(out, "\nCritical path: the %s instructions that determined the end, each waiting for the one before\n",
		report_number((int64_t)r->path_links, num));
	for (int n = 0; n < PIPE_COUNT; n++) {
		int best = -1;
		int64_t most = 0;
		for (int q = 0; q < PIPE_COUNT; q++) {
			int64_t sum = 0;
			for (int k = 0; k < PART_COUNT; k++)
				sum += r->path_part[q][k];
			if (!done[q] && sum > most) {
				most = sum;
				best = q;
			}
		}
		if (best < 0)
			break;
		done[best] = true;
		path_pipe_text(r, best, most, out);
	}
	for (int i = 0; i < r->n_line && i < TOP_LINES && percent(r, r->line[i].path) >= 1; i++) {
		char place[400];
		program_line(r->text[r->line[i].program], r->line[i].pc, place, sizeof place);
		place[strcspn(place, ",")] = 0; /* the innermost call says enough here */
		fprintf(out, "  %5.1f %% %11s cycles at %s\n", percent(r, r->line[i].path),
			report_number(r->line[i].path, num),
			place[0] ? place : "code without source");
	}
}
