/*
 * why_find.c - the list of findings: who looks, in which order they stand, the sentence above them.
 */
#include "why_find.h"

#include <stdlib.h>
#include <string.h>

#define NO_WORD UINT32_MAX

uint64_t find_ops(const struct core *c)
{
	uint64_t ops = 0;
	for (int q = 0; q < PIPE_COUNT; q++)
		ops += q == PIPE_S ? 0 : c->stats.pipe[q].ops;
	return ops;
}

double find_percent(const struct find *k, int64_t cycles)
{
	return k->cycles ? 100.0 * (double)cycles / (double)k->cycles : 0;
}

int64_t find_bounded(const struct find *k, int pipe, int64_t gain)
{
	int64_t most = 0;
	for (int q = 0; q < PIPE_COUNT; q++) {
		const int64_t *c = k->last->stats.pipe[q].cause;
		int64_t work = c[CAUSE_BUSY] + c[CAUSE_SYNC] + c[CAUSE_BANK] + c[CAUSE_BANDWIDTH] + c[CAUSE_L2MISS];
		if (q != pipe && work > most)
			most = work;
	}
	int64_t rest = k->cycles - k->launch - most;
	return gain < rest ? gain : rest > 0 ? rest : 0;
}

/* "matmul.c:88 in load_step, inlined at ..." shortened to its innermost call: a finding names one line. */
void find_place(const struct find *k, uint32_t word, char *text, size_t size)
{
	text[0] = 0;
	if (word == NO_WORD)
		return;
	program_line(k->text, k->text->text_addr + 4 * (uint64_t)word, text, size);
	char *comma = strchr(text, ',');
	if (comma)
		*comma = 0;
}

struct finding *find_add(struct find *k, const char *id, int64_t gain, uint32_t word)
{
	static struct finding none;
	struct finding *f = k->n < FINDINGS * 2 ? &k->finding[k->n++] : &none;
	memset(f, 0, sizeof *f);
	snprintf(f->id, sizeof f->id, "%s", id);
	f->gain = gain;
	f->program = k->program;
	f->word = word;
	f->cause = CAUSE_COUNT;
	find_place(k, word, f->place, sizeof f->place);
	return f;
}

/* The launch comes last: the kernel's author cannot make it shorter. */
static int by_gain(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	bool x_launch = strcmp(x->id, "launch") == 0, y_launch = strcmp(y->id, "launch") == 0;
	if (x_launch != y_launch)
		return x_launch ? 1 : -1;
	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	return strcmp(x->id, y->id);
}

int why_find_sort(struct find *k)
{
	int n = 0;
	/* half a per cent is noise to a reader */
	for (int i = 0; i < k->n; i++)
		if (k->finding[i].gain * 200 > k->cycles || k->finding[i].cost * 40 > k->cycles)
			k->finding[n++] = k->finding[i];
	qsort(k->finding, (size_t)n, sizeof k->finding[0], by_gain);
	return k->n = n < FINDINGS ? n : FINDINGS;
}

void why_find(struct find *k, const struct why *w, const struct why_path *p, uint64_t least_bytes)
{
	const struct sim *s = w->sim;
	memset(k, 0, sizeof *k);
	k->why = w;
	k->path = p;
	k->sim = s;
	k->last = &s->core[p->core];
	k->program = why_program(s, p->core);
	k->text = s->program[k->program];
	k->site = w->site[k->program];
	k->cycles = s->end;
	k->launch = p->part[PIPE_S][PART_LAUNCH];
	k->least_bytes = least_bytes;
	for (int i = 0; i < s->n_core; i++)
		k->cores += s->core[i].kind == k->last->kind && find_ops(&s->core[i]) > 0;
	if (k->cores == 0)
		k->cores = 1;
	find_cores(k);
	find_scalar(k);
	find_buffers(k);
	find_barriers(k);
	find_banks(k);
	find_transfers(k);
	find_tile(k);
	why_find_sort(k);
}

static const char *bound_name(int pipe)
{
	switch (pipe) {
	case PIPE_S: return "the scalar unit";
	case PIPE_M: return "the cube (M)";
	case PIPE_V: return "the vector unit (V)";
	case PIPE_FIX: return "the fixpipe (FIX)";
	default: return isa_pipe_name(pipe);
	}
}

void why_find_headline(const struct find *k, char *text, size_t size)
{
	int best = PIPE_S, part = PART_WORK;
	int64_t most = -1;
	for (int q = 0; q < PIPE_COUNT; q++) {
		int64_t sum = why_path_pipe(k->path, q) - (q == PIPE_S ? k->launch : 0);
		if (sum > most) {
			most = sum;
			best = q;
		}
	}
	for (int i = 0; i < PART_COUNT; i++)
		if (i != PART_LAUNCH && k->path->part[best][i] > k->path->part[best][part])
			part = i;
	int at = snprintf(text, size, "%s is the largest part of the critical path, %.0f %% of the run, most of it %s",
			  bound_name(best), find_percent(k, most), why_part_text(part));
	if (text[0] == 't')
		text[0] = 'T';
	if (k->launch * 10 > k->cycles * 3 && at > 0 && (size_t)at < size)
		at += snprintf(text + at, size - (size_t)at, "; %.0f %% of the time is launch", find_percent(k,
				k->launch));
	if (k->n == 0 && at > 0 && (size_t)at < size)
		snprintf(text + at, size - (size_t)at, "; nothing stands out that the kernel could do better");
}
