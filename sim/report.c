/*
 * report.c - from per-core statistics to the numbers of the report.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

static int64_t busy_of(const int64_t cause[CAUSE_COUNT])
{
	/* a transfer slowed by others, an operand conflict: the pipe was taken all the same */
	return cause[CAUSE_BUSY] + cause[CAUSE_BANK] + cause[CAUSE_BANDWIDTH] + cause[CAUSE_L2MISS];
}

static void make_pipe(struct report_kind *k, const struct sim *s, int p, int64_t cycles)
{
	struct report_pipe *rp = &k->pipe[p];
	int n = 0;
	rp->min = 2;
	for (int i = 0; i < s->n_core; i++) {
		const struct pipe_stats *st = &s->core[i].stats.pipe[p];
		if (s->core[i].kind != k->kind || s->core[i].stats.blocks == 0)
			continue;
		double share = cycles ? (double)busy_of(st->cause) / (double)cycles : 0;
		rp->ops += st->ops;
		rp->mean += share;
		rp->min = share < rp->min ? share : rp->min;
		rp->max = share > rp->max ? share : rp->max;
		n++;
	}
	rp->mean = n ? rp->mean / n : 0;
	rp->min = n ? rp->min : 0;
	memcpy(rp->cause, s->core[k->last_core].stats.pipe[p].cause, sizeof rp->cause);
	rp->present = p == PIPE_S || rp->ops > 0;
}

static void make_kinds(struct report *r, const struct sim *s)
{
	for (int i = 0; i < s->n_core; i++) {
		const struct core *c = &s->core[i];
		struct report_kind *k = NULL;
		for (int j = 0; j < r->n_kind; j++)
			if (r->kind[j].kind == c->kind)
				k = &r->kind[j];
		if (!k) {
			k = &r->kind[r->n_kind++];
			k->kind = c->kind;
			k->last_core = i;
		}
		k->cores++;
		if (c->stats.last_cycle > s->core[k->last_core].stats.last_cycle)
			k->last_core = i;
	}
	for (int j = 0; j < r->n_kind; j++)
		for (int p = 0; p < PIPE_COUNT; p++)
			if (p != PIPE_ALL)
				make_pipe(&r->kind[j], s, p, s->end);
}

static void make_memory(struct report *r, const struct sim *s)
{
	const struct memsys *m = &s->memsys;
	double cycles = s->end ? (double)s->end : 1;
	r->gm_bytes = m->l2_bytes;
	r->hbm_bytes = m->hbm_read_bytes + m->hbm_write_bytes;
	r->l2_hit_bytes = m->l2_hit_bytes;
	r->l2_miss_bytes = m->l2_miss_bytes;
	r->hbm_share = (double)r->hbm_bytes / cycles / ((double)s->chip->gm.hbm_rate / 1000);
	r->l2_share = (double)r->gm_bytes / cycles / ((double)s->chip->gm.l2_rate / 1000);
	for (int from = 0; from < SPACE_COUNT; from++)
		for (int to = 0; to < SPACE_COUNT; to++) {
			uint64_t bytes = 0;
			for (int i = 0; i < s->n_core; i++)
				bytes += s->core[i].stats.path_bytes[from][to];
			/* vector work stays in UB; only moves between memories are paths */
			if (bytes && from != to && from && to && r->n_path < REPORT_PATHS)
				r->path[r->n_path++] = (struct report_path){ from, to, bytes };
		}
}

static void make_cube(struct report *r, const struct sim *s)
{
	double possible = 0, done = 0;
	for (int i = 0; i < s->n_core; i++) {
		const struct core_stats *st = &s->core[i].stats;
		if (s->core[i].kind == CORE_VEC || st->blocks == 0)
			continue;
		r->macs += st->macs;
		/* a step at full rate takes step_cycles; peak is one after the other */
		done += (double)st->cube_steps[0] * (double)s->chip->cube.step_cycles +
			(double)st->cube_steps[1] * (double)s->chip->cube.f32_step_cycles;
		possible += (double)s->end * 1000;
	}
	r->mac_share = possible > 0 ? done / possible : 0;
}

static int by_count(const void *a, const void *b)
{
	const struct report_insn *x = a, *y = b;
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return (int)x->id - (int)y->id;
}

static void make_insns(struct report *r, const struct sim *s)
{
	static const int max = REPORT_INSNS;
	for (int id = 0; id < ISA_COUNT; id++)
		if (s->insn_count[id] && r->n_insn < max)
			r->insn[r->n_insn++] = (struct report_insn){ id, s->insn_count[id] };
	qsort(r->insn, (size_t)r->n_insn, sizeof r->insn[0], by_count);
	r->ops = s->ops;
	r->rv_insns = s->rv_insns;
	for (int i = 0; i < s->n_core; i++) {
		r->icache_misses += s->core[i].stats.icache_misses;
		r->dcache_misses += s->core[i].stats.dcache_misses;
	}
}

/* The largest cause of not working on a pipe of the last core. */
static enum cause main_wait(const struct report_pipe *p, int64_t *cycles)
{
	enum cause best = CAUSE_EMPTY;
	*cycles = -1;
	for (int k = 0; k < CAUSE_COUNT; k++) {
		if (k == CAUSE_BUSY || k == CAUSE_DONE || k == CAUSE_BANK || k == CAUSE_BANDWIDTH)
			continue;
		if (p->cause[k] > *cycles) {
			*cycles = p->cause[k];
			best = k;
		}
	}
	return best;
}

/* One sentence: which pipe holds the run back, on the core that finished last. */
static void make_bottleneck(struct report *r)
{
	const struct report_kind *kind = NULL;
	int best = PIPE_S;
	int64_t most = -1;
	for (int j = 0; j < r->n_kind; j++)
		for (int p = 0; p < PIPE_COUNT; p++) {
			int64_t busy = busy_of(r->kind[j].pipe[p].cause);
			if (r->kind[j].pipe[p].present && busy > most) {
				most = busy;
				best = p;
				kind = &r->kind[j];
			}
		}
	if (!kind || r->cycles == 0)
		return;
	const struct report_pipe *bp = &kind->pipe[best];
	double share = 100.0 * (double)most / (double)r->cycles;
	int64_t wait_cycles;
	enum cause wait = main_wait(bp, &wait_cycles);
	double wait_share = 100.0 * (double)wait_cycles / (double)r->cycles;
	const char *name = best == PIPE_S ? "scalar" : isa_pipe_name(best);
	size_t n = sizeof r->bottleneck;
	int64_t launch = bp->cause[CAUSE_LAUNCH];
	if (launch * 2 > r->cycles)
		snprintf(r->bottleneck, n, "launch-bound: %.0f %% of the cycles pass before the kernel's first instruction; %s is busy"
			 " %.0f %%", 100.0 * (double)launch / (double)r->cycles, name, share);
	else if (share >= 75)
		snprintf(r->bottleneck, n, "%s-bound: %s is busy %.0f %% of the time, the others wait for it", name, name, share);
	else
		snprintf(r->bottleneck, n, "latency-bound: no pipe is busy all the time; %s leads with %.0f %% and loses most, %.0f %%, to"
			 " \"%s\": the pipes' work does not overlap enough", name, share, wait_share, cause_text(wait));
	if (bp->cause[CAUSE_BANDWIDTH] * 4 > most) {
		size_t at = strlen(r->bottleneck);
		snprintf(r->bottleneck + at, n - at, "; %.0f %% of its busy time is lost to shared GM bandwidth",
			 100.0 * (double)bp->cause[CAUSE_BANDWIDTH] / (double)most);
	}
	if (bp->cause[CAUSE_BANK] * 4 > most) {
		size_t at = strlen(r->bottleneck);
		snprintf(r->bottleneck + at, n - at, "; %.0f %% of its busy time are UB bank conflicts",
			 100.0 * (double)bp->cause[CAUSE_BANK] / (double)most);
	}
}

void report_make(struct report *r, const struct sim *s)
{
	snprintf(r->chip, sizeof r->chip, "%s", s->chip->name);
	r->blocks = s->blocks;
	r->cycles = s->end;
	r->clock_mhz = s->chip->clock.core_mhz;
	r->cores = s->n_core;
	r->timing_only = s->options.timing_only;
	make_kinds(r, s);
	make_memory(r, s);
	make_cube(r, s);
	make_insns(r, s);
	for (r->n_note = 0; r->n_note < s->n_note; r->n_note++)
		memcpy(r->note[r->n_note], s->note[r->n_note], sizeof r->note[0]);
	make_bottleneck(r);
}

bool report_passed(const struct report *r)
{
	for (int i = 0; i < r->n_output; i++)
		if (r->output[i].compared && !r->output[i].compare.pass)
			return false;
	return !r->check || r->check->n_finding == 0;
}
