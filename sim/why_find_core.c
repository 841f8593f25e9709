/*
 * why_find_core.c - findings about cores: too few, unequal, started late; and about the scalar unit that feeds the pipes.
 */
#include "why_find.h"

#include <string.h>

#define NO_WORD UINT32_MAX

static const char *kind_text(unsigned kind)
{
	return kind == CORE_CUBE ? "cube" : kind == CORE_VEC ? "vector" : "fused";
}

static int64_t cores_there(const struct find *k)
{
	const struct chip *c = k->sim->chip;
	switch (k->last->kind) {
	case CORE_CUBE: return c->cores.cube;
	case CORE_VEC: return c->cores.vector;
	default: return c->cores.fused;
	}
}

/* Cores that the launch leaves without a block, and those whose blocks found nothing to do. */
static void find_idle(struct find *k)
{
	int64_t there = cores_there(k), launched = 0, empty = 0;
	const char *kind = kind_text(k->last->kind);
	for (int i = 0; i < k->sim->n_core; i++) {
		const struct core *c = &k->sim->core[i];
		launched += c->kind == k->last->kind;
		empty += c->kind == k->last->kind && find_ops(c) == 0;
	}
	int64_t idle = there - launched + empty;
	if (idle * 10 < there)
		return;
	struct finding *f = find_add(k, "idle cores", (k->cycles - k->launch) * idle / there, NO_WORD);
	if (empty == 0)
		snprintf(f->what, sizeof f->what, "%d of %lld %s cores run: %lld of the chip's cores have no block, "
			 "since the launch has %lld block%s", k->cores, (long long)there, kind, (long long)idle,
			 (long long)k->sim->blocks, k->sim->blocks == 1 ? "" : "s");
	else
		snprintf(f->what, sizeof f->what, "%d of %lld %s cores have work: the blocks of %lld found nothing to do%s",
			 k->cores, (long long)there, kind, (long long)empty, launched < there ? ", the others have none" : "");
	snprintf(f->attempt, sizeof f->attempt, "cut the problem into at least %lld equal shares (smaller tiles, or "
		 "split along another axis) and launch %lld blocks", (long long)there, (long long)there);
}

static int64_t work_end(const struct core *c) { return c->stats.last_cycle - c->stats.first_cycle; }

/* Cores that had work should end together. */
static void find_unbalanced(struct find *k)
{
	const struct core *first = NULL;
	int64_t sum = 0, n = 0;
	for (int i = 0; i < k->sim->n_core; i++) {
		const struct core *c = &k->sim->core[i];
		if (c->kind != k->last->kind || find_ops(c) == 0)
			continue;
		sum += work_end(c);
		n++;
		if (!first || work_end(c) < work_end(first))
			first = c;
	}
	if (n < 2 || (work_end(k->last) - sum / n) * 12 < k->cycles)
		return;
	struct finding *f = find_add(k, "unequal cores", work_end(k->last) - sum / n, NO_WORD);
	snprintf(f->what, sizeof f->what, "core %d works %lld cycles, core %d only %lld; the mean of %lld cores is "
		 "%lld", k->last->id, (long long)work_end(k->last), first->id, (long long)work_end(first), (long long)n,
		 (long long)(sum / n));
	if (k->last->stats.blocks != first->stats.blocks)
		snprintf(f->attempt, sizeof f->attempt, "%lld blocks do not divide evenly over the cores (%d on one, "
			 "%d on another): launch a multiple of the core count", (long long)k->sim->blocks,
			 k->last->stats.blocks, first->stats.blocks);
	else
		snprintf(f->attempt, sizeof f->attempt, "deal the work out in smaller or equal shares, the largest "
			 "ones first");
}

static void find_launch(struct find *k)
{
	if (k->launch * 10 < k->cycles * 3)
		return;
	struct finding *f = find_add(k, "launch", k->launch, NO_WORD);
	f->cause = CAUSE_LAUNCH;
	snprintf(f->what, sizeof f->what, "%lld cycles (%.0f %%) pass before the first instruction of the core that "
		 "ends last", (long long)k->launch, find_percent(k, k->launch));
	snprintf(f->attempt, sizeof f->attempt, "give one launch more work: fuse this kernel with its neighbours, or "
		 "take a larger batch");
	snprintf(f->what_if, sizeof f->what_if, "launch=ideal");
}

void find_cores(struct find *k)
{
	find_idle(k);
	find_unbalanced(k);
	find_launch(k);
}

/* The word with the most of `value` per instruction. */
static uint32_t most_issue(const struct find *k)
{
	uint32_t best = NO_WORD;
	for (uint32_t i = 0; i < k->text->n_insn; i++)
		if (k->site[i].issue > 0 && (best == NO_WORD || k->site[i].issue > k->site[best].issue))
			best = i;
	return best;
}

static void find_issue(struct find *k)
{
	int64_t scalar = k->path->part[PIPE_S][PART_SCALAR];
	uint64_t ops = find_ops(k->last);
	if (scalar * 10 < k->cycles)
		return;
	uint32_t word = most_issue(k);
	struct finding *f = find_add(k, "scalar unit", find_bounded(k, PIPE_S, scalar), word);
	f->cause = CAUSE_EMPTY_ISSUE;
	snprintf(f->what, sizeof f->what, "the pipes wait for the scalar unit: %lld cycles (%.0f %%) of the critical "
		 "path are scalar instructions, %.1f for each instruction that goes to a pipe", (long long)scalar,
		 find_percent(k, scalar), ops ? (double)k->last->stats.rv_insns / (double)ops : 0);
	snprintf(f->attempt, sizeof f->attempt, "let one instruction do more (repeat counts, larger tiles), move "
		 "address arithmetic out of the loop, and issue the next tile's loads before this tile's work");
	snprintf(f->what_if, sizeof f->what_if, "s=ideal");
}

static void find_caches(struct find *k)
{
	int64_t fetch = k->path->part[PIPE_S][PART_ICACHE], load = k->path->part[PIPE_S][PART_DCACHE];
	if (fetch * 20 > k->cycles) {
		struct finding *f = find_add(k, "instruction fetch", fetch, NO_WORD);
		f->cause = CAUSE_ICACHE;
		snprintf(f->what, sizeof f->what, "%lld cycles (%.0f %%) of the critical path fetch instructions: core "
			 "%d missed the instruction cache %llu times in %llu bytes of code", (long long)fetch,
			 find_percent(k, fetch), k->last->id, (unsigned long long)k->last->stats.icache_misses,
			 (unsigned long long)k->text->text_size);
		snprintf(f->attempt, sizeof f->attempt, "less code: no unrolling, one loop for all cases; start the "
			 "first transfer before the code that follows it is needed");
		snprintf(f->what_if, sizeof f->what_if, "icache=ideal");
	}
	if (load * 20 > k->cycles) {
		uint32_t word = NO_WORD;
		for (uint32_t i = 0; i < k->text->n_insn; i++)
			if (k->path->site[k->program][i] > 0 && (word == NO_WORD ||
								 k->site[i].issue > k->site[word].issue))
				word = i;
		struct finding *f = find_add(k, "scalar loads", load, word);
		f->cause = CAUSE_DCACHE;
		snprintf(f->what, sizeof f->what, "%lld cycles (%.0f %%) of the critical path are scalar loads and "
			 "stores that go to GM: core %d missed its data cache %llu times", (long long)load,
			 find_percent(k, load), k->last->id, (unsigned long long)k->last->stats.dcache_misses);
		snprintf(f->attempt, sizeof f->attempt, "read the tiling data once, packed into few cache lines, into "
			 "locals; keep single elements of tensors away from the scalar unit");
		snprintf(f->what_if, sizeof f->what_if, "dcache=ideal");
	}
}

void find_scalar(struct find *k)
{
	find_issue(k);
	find_caches(k);
}
