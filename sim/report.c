/*
 * report.c - from per-core statistics to the numbers of the report.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

int64_t report_busy(const int64_t cause[CAUSE_COUNT])
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
		double share = cycles ? (double)report_busy(st->cause) / (double)cycles : 0;
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
}

void report_free(struct report *r)
{
	free(r->line);
	r->line = NULL;
	r->n_line = 0;
}

bool report_passed(const struct report *r)
{
	for (int i = 0; i < r->n_output; i++)
		if (r->output[i].compared && !r->output[i].compare.pass)
			return false;
	return !r->check || r->check->n_finding == 0;
}
