/*
 * lab.c - compile, launch and watch a small kernel from a test.
 */
#include "lab.h"

#include "coverage.h"

#include "../sim/cc.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void keep(void *user, const struct event *e)
{
	struct lab *r = user;
	if (r->n_event == r->max_event) {
		r->max_event = r->max_event ? 2 * r->max_event : 64;
		r->event = realloc(r->event, (size_t)r->max_event * sizeof *r->event);
	}
	r->event[r->n_event++] = (struct lab_event){ e->core, e->block, e->op->pipe, e->op->insn, e->op->seq, e->stall_begin,
						     e->start, e->issue_end, e->end, e->cause };
}

static void compile(struct lab *r, unsigned core, const char *source)
{
	char c[256], elf[256];
	static int number;
	bool cpp = strncmp(source, "// C++", 6) == 0;
	snprintf(c, sizeof c, "build/lab-%d-%d.%s", (int)getpid(), number, cpp ? "cpp" : "c");
	snprintf(elf, sizeof elf, "build/lab-%d-%d.elf", (int)getpid(), number++);
	FILE *f = fopen(c, "w");
	cr_assert_not_null(f, "build/ can be written");
	fputs(source, f);
	fclose(f);
	struct cc_options cc = { .source = c, .output = elf, .arch = r->chip.arch, .core = core };
	cr_assert(cc_compile(&cc, &r->fail), "%s", r->fail.what);
	int slot = core == CORE_VEC;
	cr_assert(program_load(elf, &r->program[slot], &r->fail), "%s", r->fail.what);
	cr_assert(program_entry(&r->program[slot], NULL, &r->fail), "%s", r->fail.what);
	r->has[slot] = true;
	char dep[300];
	snprintf(dep, sizeof dep, "%s.dep", elf);
	unlink(c);
	unlink(elf);
	unlink(dep);
}

void lab_open(struct lab *r, const char *chip, unsigned core, const char *source, int64_t blocks, bool timing_only)
{
	char err[512];
	struct sim_options o = { .timing_only = timing_only, .on_event = keep, .user = r, .max_cycles = 50000000 };
	memset(r, 0, sizeof *r);
	cr_assert(isa_init(err, sizeof err), "%s", err);
	cr_assert(chip_load(chip, &r->chip, &r->fail), "%s", r->fail.what);
	/* cycles in these tests are derived by hand: where the code's lines fall must not matter */
	r->chip.scalar.icache_miss_cycles = r->chip.scalar.dcache_miss_cycles = 0;
	for (unsigned bit = CORE_CUBE; bit <= CORE_FUSED; bit <<= 1)
		if (core & bit)
			compile(r, bit, source);
	cr_assert(sim_init(&r->sim, &r->chip, r->has[0] ? &r->program[0] : NULL, r->has[1] ? &r->program[1] : NULL, blocks, &o,
			   &r->fail), "%s", r->fail.what);
	r->has_sim = true;
}

void lab_again(struct lab *r, int64_t blocks)
{
	struct sim_options o = r->sim.options;
	sim_free(&r->sim);
	memset(&r->fail, 0, sizeof r->fail);
	cr_assert(sim_init(&r->sim, &r->chip, r->has[0] ? &r->program[0] : NULL, r->has[1] ? &r->program[1] : NULL, blocks, &o,
			   &r->fail), "%s", r->fail.what);
}

uint8_t *lab_buffer(struct lab *r, const void *bytes, uint64_t size)
{
	struct gm_region *g = gm_add_arg(&r->sim.gm, "buffer", size, true, &r->fail);
	cr_assert_not_null(g, "%s", r->fail.what);
	if (bytes)
		memcpy(g->host, bytes, size);
	cr_assert(sim_arg(&r->sim, g->addr, false, &r->fail));
	return g->host;
}

void lab_scalar(struct lab *r, uint64_t value)
{
	cr_assert(sim_arg(&r->sim, value, false, &r->fail));
}

bool lab_run(struct lab *r)
{
	bool ok = sim_run(&r->sim, &r->fail);
	coverage_sim(&r->sim);
	return ok;
}

void lab_close(struct lab *r)
{
	if (r->has_sim)
		sim_free(&r->sim);
	for (int i = 0; i < 2; i++)
		if (r->has[i])
			program_free(&r->program[i]);
	free(r->event);
}

const struct lab_event *lab_find(const struct lab *r, enum isa_id insn, int n)
{
	for (int i = 0; i < r->n_event; i++)
		if (r->event[i].core == 0 && r->event[i].insn == insn && n-- == 0)
			return &r->event[i];
	cr_assert(false, "no such event of %s", isa_table[insn].name);
	return NULL;
}
