/*
 * why_find_sync.c - findings about pipes that wait for each other: single buffers, a fixpipe that does not overlap,
 * barriers.
 */
#include "why_find.h"

#include <string.h>

#define NO_WORD UINT32_MAX

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Pipes on the way of data: from producer to consumer, through which buffer. */
static const struct { uint8_t from, to; const char *buffer; } stages[] = {
	{ PIPE_MTE2, PIPE_V, "UB input buffer" }, { PIPE_V, PIPE_MTE3, "UB output buffer" },
	{ PIPE_MTE2, PIPE_MTE1, "L1 buffer" }, { PIPE_MTE1, PIPE_M, "L0A/L0B buffer" },
	{ PIPE_M, PIPE_FIX, "L0C buffer" }, { PIPE_M, PIPE_V, "L0C buffer" }, { PIPE_MTE2, PIPE_MTE3, "UB buffer" },
};

/* The wait_flag between two pipes that waited longest in all. */
static uint32_t flag_word(const struct find *k, int src, int dst)
{
	uint32_t best = NO_WORD;
	for (uint32_t i = 0; i < k->text->n_insn; i++) {
		const uint8_t *b = k->text->text + 4 * (uint64_t)i;
		uint32_t raw = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
		bool wait = k->text->insn[i].id < ISA_COUNT && isa_table[k->text->insn[i].id].form == FORM_WAITFLAG;
		if (wait && (int)(raw >> 23 & 7) == src && (int)(raw >> 20 & 7) == dst && k->site[i].calls &&
		    (best == NO_WORD || k->site[i].stall > k->site[best].stall))
			best = i;
	}
	return best;
}

static void say_single(struct find *k, int i, uint64_t hops)
{
	const struct why_pair *forth = &k->why->pair[k->program][stages[i].from][stages[i].to];
	const struct why_pair *back = &k->why->pair[k->program][stages[i].to][stages[i].from];
	const char *from = isa_pipe_name(stages[i].from), *to = isa_pipe_name(stages[i].to);
	int64_t a = why_path_pipe(k->path, stages[i].from), b = why_path_pipe(k->path, stages[i].to);
	bool single = (forth->ids & (forth->ids - 1)) == 0 && (back->ids & (back->ids - 1)) == 0;
	char other[200];
	struct finding *f = find_add(k, single ? "single buffer" : "few buffers", find_bounded(k, PIPE_ALL, smaller(a,
			b)),
				     flag_word(k, stages[i].to, stages[i].from));
	find_place(k, flag_word(k, stages[i].from, stages[i].to), other, sizeof other);
	f->cost = single ? smaller(a, b) : 0;
	snprintf(f->what, sizeof f->what, "%s and %s take turns instead of working at once: %s waits %lld cycles per "
		 "core for %s to hand the %s back, %s waits %lld for %s to fill it (%s); the critical path changes "
		 "between them %llu times%s", from, to, from, (long long)(back->cycles / k->cores), to,
		 stages[i].buffer, to, (long long)(forth->cycles / k->cores), from, other, (unsigned long long)hops,
		 single ? ", always by the same event id: there is one buffer" : "");
	if (single)
		snprintf(f->attempt, sizeof f->attempt, "double buffering: a second %s with its own event id, so that "
			 "%s fills one while %s works on the other%s", stages[i].buffer, from, to,
			 stages[i].to == PIPE_FIX ? "; or the unit flag, which hands L0C over piece by piece" : "");
	else
		snprintf(f->attempt, sizeof f->attempt, "one more %s, or issue %s's next instructions earlier",
			 stages[i].buffer, from);
	snprintf(f->what_if, sizeof f->what_if, "buffer@%s-%s=+1", to, from);
}

void find_buffers(struct find *k)
{
	for (size_t i = 0; i < sizeof stages / sizeof stages[0]; i++) {
		uint64_t forth = k->path->hop[stages[i].from][stages[i].to], back =
		k->path->hop[stages[i].to][stages[i].from];
		uint64_t hops = forth < back ? forth : back;
		if (hops < 2 || !k->why->pair[k->program][stages[i].to][stages[i].from].waits)
			continue;
		int64_t a = why_path_pipe(k->path, stages[i].from), b = why_path_pipe(k->path, stages[i].to);
		if (smaller(a, b) * 33 > k->cycles)
			say_single(k, (int)i, hops);
	}
	int64_t fix = why_path_pipe(k->path, PIPE_FIX);
	const struct why_pair *back = &k->why->pair[k->program][PIPE_FIX][PIPE_M];
	if (fix * 10 < k->cycles || k->path->hop[PIPE_FIX][PIPE_M] >= 2)
		return;
	struct finding *f = find_add(k, "fixpipe not overlapped", find_bounded(k, PIPE_FIX, fix), flag_word(k, PIPE_FIX,
			PIPE_M));
	snprintf(f->what, sizeof f->what, "the fixpipe stores results while the cube stands still: %lld cycles (%.0f "
		 "%%) of the critical path are FIX, and M waits %lld cycles per core for it", (long long)fix,
		 find_percent(k, fix), (long long)(back->cycles / k->cores));
	snprintf(f->attempt, sizeof f->attempt, "split L0C into two slots and store one while the cube fills the "
		 "other, or use the unit flag");
	snprintf(f->what_if, sizeof f->what_if, "fix=ideal");
}

static bool is_barrier(const struct find *k, uint32_t word)
{
	return k->text->insn[word].id < ISA_COUNT && isa_table[k->text->insn[word].id].form == FORM_BARRIER;
}

/* Cycles per core that a barrier took: for all pipes the scalar unit's wait, else the pipe's wait and issue. */
static int64_t cost_of(const struct find *k, const struct why_site *s)
{
	return (s->calls ? s->stall + s->busy : s->held) / k->cores;
}

/* What the barrier's source line says is its what-if too. */
static void barrier_what_if(const struct find *k, uint32_t word, struct finding *f)
{
	const char *file;
	int line;
	if (!program_source(k->text, k->text->text_addr + 4 * (uint64_t)word, &file, &line))
		return;
	const char *slash = strrchr(file, '/');
	snprintf(f->what_if, sizeof f->what_if, "barrier@%.60s:%d=off", slash ? slash + 1 : file, line);
}

static void say_wide(struct find *k, uint32_t word)
{
	const struct why_site *s = &k->site[word];
	char by[200];
	struct finding *f = find_add(k, "barrier too wide", cost_of(k, s), word);
	find_place(k, s->releaser, by, sizeof by);
	snprintf(f->what, sizeof f->what, "pipe_barrier(PIPE_ALL) stops the core until every pipe is empty: %lld "
		 "cycles (%.0f %%) per core%s%s", (long long)cost_of(k, s), find_percent(k, cost_of(k, s)),
		 by[0] ? ", mostly for what was issued at " : "", by);
	snprintf(f->attempt, sizeof f->attempt, "remove it, or put set_flag/wait_flag between just the two pipes that "
		 "share data");
	barrier_what_if(k, word, f);
}

static void say_needless(struct find *k, uint32_t word)
{
	const struct why_site *s = &k->site[word];
	struct finding *f = find_add(k, "needless barrier", cost_of(k, s), word);
	snprintf(f->what, sizeof f->what, "pipe_barrier(PIPE_%s) protects nothing: in %llu executions no instruction "
		 "behind it touched bytes that one before it had written or read; it costs %lld cycles (%.1f %%) per "
		 "core", isa_pipe_name(s->pipe), (unsigned long long)s->calls, (long long)cost_of(k, s),
		 find_percent(k, cost_of(k, s)));
	snprintf(f->attempt, sizeof f->attempt, "remove it");
	barrier_what_if(k, word, f);
}

void find_barriers(struct find *k)
{
	int64_t sum = 0, n = 0, most = 0;
	uint32_t worst = NO_WORD;
	for (uint32_t i = 0; i < k->text->n_insn; i++) {
		const struct why_site *s = &k->site[i];
		if (!is_barrier(k, i) || (s->calls == 0 && s->held == 0))
			continue;
		int64_t cost = cost_of(k, s);
		if (s->calls == 0) {
			if (cost * 50 > k->cycles)
				say_wide(k, i);
			continue;
		}
		if (s->guards == 0 && s->calls > 1 && cost * 100 > k->cycles)
			say_needless(k, i);
		sum += cost;
		n += (int64_t)s->calls;
		if (cost > most) {
			most = cost;
			worst = i;
		}
	}
	if (worst == NO_WORD || sum * 10 < k->cycles)
		return;
	struct finding *f = find_add(k, "many barriers", smaller(sum, k->cycles), worst);
	snprintf(f->what, sizeof f->what, "%lld pipe barriers per core cost %lld cycles (%.0f %%)",
		 (long long)(n / k->cores), (long long)sum, find_percent(k, sum));
	size_t at = strlen(f->what);
	if (most < sum)
		snprintf(f->what + at, sizeof f->what - at, "; those of this line take %lld of them", (long long)most);
	else
		snprintf(f->what + at, sizeof f->what - at, ", all of them at this line");
	snprintf(f->attempt, sizeof f->attempt, "put independent instructions side by side and one barrier behind them "
		 "all; let one instruction handle more data, so that fewer steps depend on each other");
	snprintf(f->what_if, sizeof f->what_if, "barriers=off");
}
