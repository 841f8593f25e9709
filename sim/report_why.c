/*
 * report_why.c - the reasons in the report: counters per source line, the critical path.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

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
	r->path_core = p->core;
	memcpy(r->path_hop, p->hop, sizeof r->path_hop);
	return true;
}

bool report_reasons(struct report *r, const struct why *w, bool (*measure)(void *user, struct find *k, struct fail *f),
		    void *user, struct fail *f)
{
	struct find *k = calloc(1, sizeof *k);
	struct why_path p;
	if (!k)
		return fail_set(f, FAIL_INTERNAL, "no memory for findings");
	bool ok = why_path(w, &p, f);
	if (ok) {
		why_find(k, w, &p, r->least_bytes);
		ok = !measure || measure(user, k, f);
		r->n_finding = why_find_sort(k);
		memcpy(r->finding, k->finding, sizeof r->finding);
		why_find_headline(k, r->bottleneck, sizeof r->bottleneck);
		ok = ok && report_lines(r, w, &p, f);
		why_path_free(&p);
	}
	free(k);
	return ok;
}
