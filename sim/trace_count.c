/*
 * trace_count.c - a finished run's statistics as the named counters of a trace; traces/FORMAT.md says what each name means.
 */
#include "report.h"
#include "trace_sink.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 40 };

/* Counters of the run or of one core, in an order that is the same for every core. */
struct list {
	uint32_t n;
	bool by_memory[VTR_COUNTERS]; /* left out when it is 0 everywhere */
	char name[VTR_COUNTERS][NAME_SIZE];
	int64_t value[VTR_COUNTERS];
};

static SIM_PRINTF(3, 4) void put(struct list *l, int64_t value, const char *name, ...)
{
	va_list ap;
	if (l->n == VTR_COUNTERS)
		return;
	va_start(ap, name);
	vsnprintf(l->name[l->n], NAME_SIZE, name, ap);
	va_end(ap);
	l->value[l->n++] = value > 0 ? value : 0;
}

static void put_bytes(struct list *l, uint64_t bytes, const char *kind, const char *a, const char *b)
{
	if (l->n < VTR_COUNTERS)
		l->by_memory[l->n] = true;
	put(l, (int64_t)bytes, "%s.%s.%s", kind, a, b);
}

static int64_t waits(const int64_t cause[CAUSE_COUNT])
{
	int64_t sum = cause[CAUSE_BARRIER] + cause[CAUSE_UNIT_FLAG];
	for (int i = CAUSE_FLAG_S; i <= CAUSE_FLAG_FIX; i++)
		sum += cause[i];
	return sum;
}

static void pipes(struct list *l, const struct core_stats *st)
{
	for (int p = 0; p < PIPE_COUNT; p++) {
		const struct pipe_stats *ps = &st->pipe[p];
		const char *name = isa_pipe_name((enum isa_pipe)p);
		if (p == PIPE_ALL)
			continue;
		put(l, report_busy(ps->cause), "busy.%s", name);
		put(l, waits(ps->cause), "wait.%s", name);
		put(l, ps->cause[CAUSE_SYNC], "sync.%s", name);
		if (p == PIPE_S)
			continue;
		put(l, (int64_t)ps->ops, "ops.%s", name);
		put(l, st->pipe[PIPE_S].behind[p], "queue_full.%s", name);
	}
	put(l, st->pipe[PIPE_S].cause[CAUSE_CROSS_CORE], "cross_core");
	put(l, st->pipe[PIPE_S].cause[CAUSE_ICACHE], "icache_stall");
	put(l, st->pipe[PIPE_S].cause[CAUSE_DCACHE], "dcache_stall");
	put(l, st->pipe[PIPE_V].cause[CAUSE_BANK], "bank_conflict");
}

static void work(struct list *l, const struct core_stats *st)
{
	static const char *const name[WORK_CLASSES] = { "f16", "f32", "s16", "s32", "s8", "other" };
	for (int k = 0; k < WORK_CLASSES; k++) {
		put(l, (int64_t)st->vector[k].ops, "vector_ops.%s", name[k]);
		put(l, st->vector[k].cycles, "vector_cycles.%s", name[k]);
		put(l, (int64_t)st->vector[k].elements, "vector_elements.%s", name[k]);
		put(l, (int64_t)st->cube[k].ops, "cube_ops.%s", name[k]);
		put(l, st->cube[k].cycles, "cube_cycles.%s", name[k]);
		put(l, (int64_t)st->cube[k].elements, "cube_macs.%s", name[k]);
	}
}

static void memories(struct list *l, const struct core_stats *st)
{
	for (int p = 0; p < PIPE_COUNT; p++)
		for (int sp = SPACE_GM; sp < SPACE_COUNT && p != PIPE_ALL; sp++) {
			const char *pipe = isa_pipe_name((enum isa_pipe)p), *space = isa_space_name((enum isa_space)sp);
			put_bytes(l, st->touched[p][sp][0], "read", pipe, space);
			put_bytes(l, st->touched[p][sp][1], "written", pipe, space);
		}
	for (int from = SPACE_GM; from < SPACE_COUNT; from++)
		for (int to = SPACE_GM; to < SPACE_COUNT; to++)
			put_bytes(l, st->path_bytes[from][to], "moved", isa_space_name((enum isa_space)from),
				  isa_space_name((enum isa_space)to));
}

static void of_core(struct list *l, const struct sim *s, const struct core *c)
{
	const struct core_stats *st = &c->stats;
	l->n = 0;
	put(l, st->blocks ? st->last_cycle - st->first_cycle : 0, "cycles");
	put(l, st->blocks ? st->first_cycle : 0, "first_cycle");
	put(l, st->blocks, "blocks");
	pipes(l, st);
	work(l, st);
	put(l, (int64_t)st->rv_insns, "scalar_instructions");
	put(l, (int64_t)st->icache_misses, "icache_misses");
	put(l, (int64_t)st->dcache_hits, "dcache_hits");
	put(l, (int64_t)st->dcache_misses, "dcache_misses");
	put(l, (int64_t)c->scalar.ub_bytes[0], "scalar_ub_read");
	put(l, (int64_t)c->scalar.ub_bytes[1], "scalar_ub_written");
	for (int w = 0; w < 2; w++) {
		put(l, (int64_t)s->memsys.requests[c->id][w][1], "l2_%s_hits", w ? "write" : "read");
		put(l, (int64_t)s->memsys.requests[c->id][w][0], "l2_%s_misses", w ? "write" : "read");
	}
	memories(l, st);
}

/* What the chip could do at most: thousandths of a byte (of a multiply-accumulate, of a vector byte) per cycle. */
static void of_run(struct list *l, const struct sim *s)
{
	const struct chip *c = s->chip;
	const struct memsys *m = &s->memsys;
	put(l, (int64_t)m->hbm_read_bytes, "hbm_read");
	put(l, (int64_t)m->hbm_write_bytes, "hbm_written");
	put(l, (int64_t)m->l2_bytes, "l2_bytes");
	put(l, (int64_t)m->l2_hit_bytes, "l2_hit_bytes");
	put(l, (int64_t)m->l2_miss_bytes, "l2_miss_bytes");
	put(l, c->split, "split");
	put(l, c->split ? c->cores.cube : c->cores.fused, "cores.cube");
	put(l, c->split ? c->cores.vector : c->cores.fused, "cores.vector");
	put(l, c->gm.to_ub_rate, "rate.GM.UB");
	put(l, c->gm.to_l1_rate, "rate.GM.L1");
	put(l, c->gm.ub_out_rate, "rate.UB.GM");
	put(l, c->gm.l1_out_rate, "rate.L1.GM");
	put(l, c->gm.fix_out_rate, "rate.L0C.GM");
	put(l, c->gm.hbm_rate, "rate.hbm");
	put(l, c->gm.l2_rate, "rate.l2");
	put(l, c->cube.step_cycles ? INT64_C(16 * 16 * 16) * 1000000 / c->cube.step_cycles : 0, "rate.cube_f16");
	put(l, c->vector.repeat_bytes * 1000, "rate.vector");
}

/* Drop what is 0 on every core. */
static uint32_t pack(const struct list *l, const struct sim *s, const int64_t *all, vtr_text *name, int64_t *packed)
{
	uint32_t keep[VTR_COUNTERS], n = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		bool any = !l->by_memory[i];
		for (int c = 0; c < s->n_core && !any; c++)
			any = all[(size_t)c * VTR_COUNTERS + i] > 0;
		if (any) {
			name[n] = l->name[i];
			keep[n++] = i;
		}
	}
	for (int c = 0; c < s->n_core; c++)
		for (uint32_t i = 0; i < n; i++)
			packed[(size_t)c * n + i] = all[(size_t)c * VTR_COUNTERS + keep[i]];
	return n;
}

bool trace_counters(struct vtr_writer *w, const struct sim *s, struct fail *f)
{
	vtr_text run_name[VTR_COUNTERS], core_name[VTR_COUNTERS];
	size_t n = (size_t)s->n_core * VTR_COUNTERS;
	struct list *run = calloc(2, sizeof *run), *core = run + 1;
	int64_t *all = calloc(2 * n, sizeof *all), *packed = all ? all + n : NULL;
	bool ok = run && all;
	if (!ok)
		fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	for (int c = 0; ok && c < s->n_core; c++) {
		of_core(core, s, &s->core[c]);
		memcpy(all + (size_t)c * VTR_COUNTERS, core->value, core->n * sizeof *all);
	}
	if (ok) {
		of_run(run, s);
		for (uint32_t i = 0; i < run->n; i++)
			run_name[i] = run->name[i];
		struct vtr_counters counters = { .n_run = run->n, .run_name = run_name, .core_name = core_name,
						 .run_value = run->value, .core_value = packed };
		counters.n_core = pack(core, s, all, core_name, packed);
		ok = vtr_write_counters(w, &counters, (uint32_t)s->n_core, f);
	}
	free(run);
	free(all);
	return ok;
}
