/*
 * reasons.c - findings and critical path: from a report into the form that travels in traces, and from that form to text.
 */
#include "reasons.h"

#include <string.h>

enum { WIDTH = 118 };
#define NO_BREAK "\xc2\xa0"

static uint32_t site_at(uint32_t *const site_of[2], int program, uint32_t word)
{
	return site_of && site_of[program] && word != UINT32_MAX ? site_of[program][word] : UINT32_MAX;
}

static double percent(int64_t part, int64_t whole) { return whole ? 100.0 * (double)part / (double)whole : 0; }

static void take_path(const struct report *r, uint32_t *const site_of[2], struct reasons *o)
{
	for (int i = 0; i < PART_COUNT; i++)
		o->part[i] = why_part_text(i);
	for (int q = 0; q < PIPE_COUNT; q++)
		memcpy(o->path + q * PART_COUNT, r->path_part[q], PART_COUNT * sizeof o->path[0]);
	uint32_t n = 0;
	for (int i = 0; i < r->n_line && n < REASONS_LINES && percent(r->line[i].path, r->cycles) >= 1; i++, n++) {
		const struct report_line *l = &r->line[i];
		const struct program *p = r->text[l->program];
		program_line(p, l->pc, o->place[n], sizeof o->place[n]);
		o->place[n][strcspn(o->place[n], ",")] = 0; /* the innermost call says enough here */
		o->line[n] = (struct vtr_path_line){ o->place[n][0] ? o->place[n] : "code without source",
						     site_at(site_of, l->program, (uint32_t)((l->pc - p->text_addr) / 4)),
						     l->path };
	}
	o->all.n_line = n;
}

void reasons_of(const struct report *r, uint32_t *const site_of[2], struct reasons *o)
{
	memset(o, 0, sizeof *o);
	take_path(r, site_of, o);
	for (int i = 0; i < r->n_finding; i++) {
		const struct finding *f = &r->finding[i];
		o->finding[i] = (struct vtr_finding){
			.id = f->id, .what = f->what, .attempt = f->attempt, .place = f->place, .what_if = f->what_if,
			.gain = f->gain, .measured = f->measured, .site = site_at(site_of, f->program, f->word),
			.cause = f->cause < CAUSE_COUNT ? f->cause : UINT32_MAX,
		};
	}
	o->all.headline = r->bottleneck;
	o->all.n_finding = (uint32_t)r->n_finding;
	o->all.finding = o->finding;
	o->all.n_part = PART_COUNT;
	o->all.part = o->part;
	o->all.path = o->path;
	o->all.line = o->line;
	o->all.path_core = (uint32_t)r->path_core;
	o->all.path_cycles = r->path_known;
	o->all.path_links = r->path_links;
}

/* ---- text ---- */

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
			if (count && i > 0 && (n - i) % 3 == 0) {
				to[o++] = NO_BREAK[0];
				to[o++] = NO_BREAK[1];
			}
			to[o++] = p[i];
		}
		p += n;
	}
	to[o] = 0;
}

void reasons_headline(const struct vtr_findings *x, char *text, size_t size)
{
	/* as why_find_sort has them */
	bool launch = x->n_finding > 1 && strcmp(x->finding[x->n_finding - 1].id, "launch") == 0;
	snprintf(text, size, "%s%s", x->headline,
		 x->n_finding == 0 ? "."
		 : launch          ? ". What saves most first, the launch last:"
				   : ". What saves most first:");
}

void reasons_what(const struct vtr_finding *f, char *text, size_t size)
{
	char what[1024];
	grouped(f->what, what, sizeof what);
	snprintf(text, size, "%s%s%s: %s.", f->id, f->place[0] ? ", " : "", f->place, what);
}

void reasons_saves(const struct vtr_finding *f, int64_t cycles, char *text, size_t size)
{
	char plain[400];
	if (f->gain * 1000 <= cycles)
		snprintf(plain, sizeof plain, "Alone this saves nothing: something else takes longer meanwhile.");
	else if (f->measured)
		snprintf(plain, sizeof plain, "Saves at most %lld cycles (%.0f %%): the run with --what-if %s takes "
			 "that much less.", (long long)f->gain, percent(f->gain, cycles), f->what_if);
	else
		snprintf(plain, sizeof plain, "Saves at most about %lld cycles (%.0f %%), by the critical path.",
			 (long long)f->gain, percent(f->gain, cycles));
	grouped(plain, text, size);
}

/* Words of `text`, wrapped, each line behind `indent` spaces; the first stands at column `at` already. */
static void wrapped(FILE *out, int at, int indent, const char *text)
{
	int column = at;
	for (const char *word = text; *word;) {
		int bytes = (int)strcspn(word, " "), n = bytes;
		for (int i = 0; i < bytes; i++)
			n -= (word[i] & 0xc0) == 0x80;
		if (column > indent && column + n + 1 > WIDTH) {
			fprintf(out, "\n%*s", indent, "");
			column = indent;
		}
		fputs(column > indent ? " " : "", out);
		for (int i = 0; i < bytes; i++) { /* the mark that kept a number together is a blank on paper */
			bool mark = memcmp(word + i, NO_BREAK, 2) == 0;
			fputc(mark ? ' ' : word[i], out);
			i += mark;
		}
		column += n + (column > indent);
		word += bytes;
		word += strspn(word, " ");
	}
	fputc('\n', out);
}

void reasons_text(const struct vtr_findings *x, int64_t cycles, FILE *out)
{
	char text[1400];
	if (!x->headline[0])
		return;
	reasons_headline(x, text, sizeof text);
	fprintf(out, "Verdict  ");
	wrapped(out, 9, 9, text);
	for (uint32_t i = 0; i < x->n_finding; i++) {
		const struct vtr_finding *f = &x->finding[i];
		reasons_what(f, text, sizeof text);
		fprintf(out, "\n  %u. ", i + 1);
		wrapped(out, 5, 5, text);
		snprintf(text, sizeof text, "Try: %s.", f->attempt);
		fprintf(out, "     ");
		wrapped(out, 5, 5, text);
		reasons_saves(f, cycles, text, sizeof text);
		fprintf(out, "     ");
		wrapped(out, 5, 5, text);
	}
}

/* Of n values the largest not yet shown, -1 when all that is left is 0. */
static int next_largest(const int64_t *v, const bool *shown, uint32_t n)
{
	int most = -1;
	for (uint32_t k = 0; k < n; k++)
		if (!shown[k] && v[k] > 0 && (most < 0 || v[k] > v[most]))
			most = (int)k;
	return most;
}

static void pipe_text(const struct vtr_findings *x, vtr_text name, const int64_t *part, int64_t sum, int64_t cycles, FILE *out)
{
	bool shown[VTR_FINDINGS] = { false };
	char num[32];
	fprintf(out, "  %-5s %5.1f %% %11s cycles: ", name, percent(sum, cycles), report_number(sum, num));
	for (int n = 0, k; (k = next_largest(part, shown, x->n_part)) >= 0; n++) {
		shown[k] = true;
		fprintf(out, "%s%s %s", n ? ", " : "", x->part[k], report_number(part[k], num));
	}
	fputc('\n', out);
}

void reasons_path_text(const struct vtr_findings *x, const vtr_text *pipe, uint32_t n_pipe, int64_t cycles, FILE *out)
{
	int64_t sum[VTR_PIPES] = { 0 };
	bool shown[VTR_PIPES] = { false };
	char num[32];
	if (x->path_cycles == 0)
		return;
	if (x->path_links == 0)
		fprintf(out, "\nCritical path: the scalar unit alone determined the end, no pipe's instruction did\n");
	else
		fprintf(out, "\nCritical path: the %s instruction%s that determined the end, each waiting for the one before\n",
			report_number((int64_t)x->path_links, num), x->path_links == 1 ? "" : "s");
	for (uint32_t q = 0; q < n_pipe; q++)
		for (uint32_t k = 0; k < x->n_part; k++)
			sum[q] += x->path[q * x->n_part + k];
	for (int q; (q = next_largest(sum, shown, n_pipe)) >= 0;) {
		shown[q] = true;
		pipe_text(x, pipe[q], x->path + (uint32_t)q * x->n_part, sum[q], cycles, out);
	}
	for (uint32_t i = 0; i < x->n_line; i++)
		fprintf(out, "  %5.1f %% %11s cycles at %s\n", percent(x->line[i].cycles, cycles),
			report_number(x->line[i].cycles, num), x->line[i].place);
}
