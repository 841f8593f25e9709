/*
 * rig.c - compile, launch and watch a kernel of the accuracy tables.
 */
#include "rig.h"

#include "../../sim/cc.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool is_work(const struct op *op)
{
	return isa_table[op->insn].time != TIME_sync;
}

/* A fixpipe waits for unit flags at work, as profilers count (asc-devkit, matmul_high_performance, case 8). */
static int64_t counted_from(const struct event *e)
{
	if (e->op->pipe != PIPE_FIX || e->cause != CAUSE_UNIT_FLAG)
		return e->start;
	return e->stall_begin > e->op->arrived ? e->stall_begin : e->op->arrived;
}

static void watch(void *user, const struct event *e)
{
	struct rig *r = user;
	int p = e->op->pipe;
	if (!is_work(e->op))
		return;
	int64_t *until = &r->until[e->core][p], from = counted_from(e) > *until ? counted_from(e) : *until;
	if (e->end > from) {
		r->active[e->core][p] += e->end - from;
		*until = e->end;
	}
	if (!r->keep || e->core != 0)
		return;
	if (r->n_shot == r->max_shot) {
		r->max_shot = r->max_shot ? 2 * r->max_shot : 1024;
		r->shot = realloc(r->shot, (size_t)r->max_shot * sizeof *r->shot);
	}
	r->shot[r->n_shot++] = (struct shot){ (uint8_t)e->core, (uint8_t)p, e->op->insn, e->start, e->issue_end, e->end };
}

static bool load(struct rig *r, const char *name, unsigned core, int slot)
{
	char source[256], elf[256];
	mkdir("build", 0777);
	mkdir("build/accuracy", 0777);
	snprintf(source, sizeof source, "test/accuracy/kernels/%s.c", name);
	snprintf(elf, sizeof elf, "build/accuracy/%s-%u-%u.elf", name, r->chip.arch, core);
	struct cc_options cc = { .source = source, .output = elf, .arch = r->chip.arch, .core = core };
	if (!cc_up_to_date(&cc) && !cc_compile(&cc, &r->fail))
		return false;
	r->has[slot] = program_load(elf, &r->program[slot], &r->fail);
	return r->has[slot];
}

bool rig_load(struct rig *r, const char *chip, const char *name, unsigned core)
{
	char err[512];
	memset(r, 0, sizeof *r);
	snprintf(r->chip_name, sizeof r->chip_name, "%s", chip);
	if (!isa_init(err, sizeof err))
		return fail_set(&r->fail, FAIL_INTERNAL, "%s", err);
	return chip_load(chip, &r->chip, &r->fail) && load(r, name, core, core == CORE_VEC);
}

bool rig_begin(struct rig *r, const char *entry, int64_t blocks, bool keep)
{
	struct sim_options o = { .timing_only = true, .on_event = watch, .user = r };
	r->n_shot = 0;
	r->keep = keep;
	memset(r->active, 0, sizeof r->active);
	memset(r->until, 0, sizeof r->until);
	memset(&r->fail, 0, sizeof r->fail);
	for (int i = 0; i < 2; i++)
		if (r->has[i] && !program_entry(&r->program[i], entry, &r->fail))
			return false;
	return sim_init(&r->sim, &r->chip, r->has[0] ? &r->program[0] : NULL, r->has[1] ? &r->program[1] : NULL, blocks, &o,
			&r->fail);
}

bool rig_buffer(struct rig *r, uint64_t size, bool bypass, uint8_t **host)
{
	struct gm_region *g = gm_add_arg(&r->sim.gm, "buffer", size, true, &r->fail);
	if (!g)
		return false;
	g->bypass = bypass;
	if (host)
		*host = g->host;
	return sim_arg(&r->sim, g->addr, false, &r->fail);
}

bool rig_scalar(struct rig *r, uint64_t value) { return sim_arg(&r->sim, value, false, &r->fail); }

bool rig_run(struct rig *r) { return sim_run(&r->sim, &r->fail); }

void rig_end(struct rig *r)
{
	sim_free(&r->sim);
	memset(&r->sim, 0, sizeof r->sim);
}

void rig_free(struct rig *r)
{
	for (int i = 0; i < 2; i++)
		if (r->has[i])
			program_free(&r->program[i]);
	free(r->shot);
}

double rig_active(const struct rig *r, int pipe)
{
	double sum = 0;
	for (int i = 0; i < r->sim.n_core; i++)
		sum += (double)r->active[i][pipe];
	return sum / r->sim.n_core;
}

double rig_core_cycles(const struct rig *r)
{
	double sum = 0;
	for (int i = 0; i < r->sim.n_core; i++)
		sum += (double)(r->sim.core[i].stats.last_cycle - r->sim.core[i].stats.first_cycle);
	return sum / r->sim.n_core;
}

double rig_core_max(const struct rig *r)
{
	int64_t most = 0;
	for (int i = 0; i < r->sim.n_core; i++) {
		int64_t own = r->sim.core[i].stats.last_cycle - r->sim.core[i].stats.first_cycle;
		most = own > most ? own : most;
	}
	return (double)most;
}

double rig_scalar_cycles(const struct rig *r)
{
	double sum = 0;
	for (int i = 0; i < r->sim.n_core; i++) {
		const int64_t *cause = r->sim.core[i].stats.pipe[PIPE_S].cause;
		sum += (double)(cause[CAUSE_BUSY] + cause[CAUSE_SYNC] + cause[CAUSE_ICACHE] + cause[CAUSE_DCACHE]);
	}
	return sum / r->sim.n_core;
}
