/*
 * check_planted.c - kernels with planted mistakes (test/planted/): each must give exactly the finding that its source
 * announces, at the marked lines; kernels announced clean must give none.
 */
#include "../sim/cc.h"
#include "../sim/check.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BUFFER = 65536, MAX_CASES = 100 };

struct planted {
	char name[64], check[16], code[32];
	int blocks, at[2], other;
};

struct plan {
	int n;
	struct planted at[MAX_CASES];
};

/* "//! blocks check [code]", then K(name), then lines marked AT and OTHER. */
static void read_plan(const char *path, struct plan *p)
{
	char text[300];
	FILE *f = fopen(path, "r");
	struct planted *c = NULL;
	cr_assert_not_null(f, "%s", path);
	p->n = 0;
	for (int line = 1; fgets(text, sizeof text, f); line++) {
		if (strncmp(text, "//! ", 4) == 0) {
			cr_assert_lt(p->n, MAX_CASES);
			c = &p->at[p->n++];
			memset(c, 0, sizeof *c);
			cr_assert_geq(sscanf(text + 4, "%d %15s %31s", &c->blocks, c->check, c->code), 2, "%s:%d", path,
				      line);
		} else if (c && !c->name[0] && sscanf(text, "K(%63[a-z0-9_])", c->name) == 1) {
			continue;
		}
		char *mark = c ? strstr(text, "// ") : NULL;
		if (mark && strstr(mark, "AT"))
			c->at[c->at[0] != 0] = line;
		if (mark && strstr(mark, "OTHER"))
			c->other = line;
	}
	fclose(f);
}

static int line_of(const struct check_place *p)
{
	const char *colon = strchr(p->line, ':');
	return colon ? atoi(colon + 1) : 0;
}

static uint64_t buffer(struct sim *s, const char *name, bool writable, bool undefined, struct fail *f)
{
	struct gm_region *g = gm_add_arg(&s->gm, name, BUFFER, writable, f);
	cr_assert_not_null(g, "%s", f->what);
	g->undefined = undefined;
	for (int i = 0; i < BUFFER; i++)
		g->host[i] = writable ? 0 : (uint8_t)(i % 7);
	return g->addr;
}

static bool matches(const struct planted *c, const struct check_finding *f)
{
	int at = line_of(&f->at), other = f->other.core >= 0 ? line_of(&f->other) : 0;
	return strcmp(check_kind_name(f->kind), c->check) == 0 && strcmp(f->code, c->code) == 0 &&
	       (c->at[0] == 0 || at == c->at[0] || at == c->at[1]) && (c->other == 0 || other == c->other);
}

static void judge(const char *path, const struct planted *c, const struct check_result *r, const struct fail *f)
{
	bool clean = strcmp(c->check, "clean") == 0, good = clean ? r->n_finding == 0 : r->n_finding > 0;
	int most = c->at[1] ? 2 : 1;
	cr_expect(!clean || f->class == FAIL_NONE, "%s, %s ends with: %s", path, c->name, f->what);
	for (int i = 0; i < r->n_finding && !clean; i++)
		good &= i < most && matches(c, &r->finding[i]);
	cr_expect(good, "%s, %s: expected %s %s at %d (other %d), got %d findings", path, c->name, c->check, c->code,
		  c->at[0], c->other, r->n_finding);
	for (int i = 0; i < r->n_finding && !good; i++)
		cr_log_error("  %s %s: %s | at %s | other %s", check_kind_name(r->finding[i].kind), r->finding[i].code,
			     r->finding[i].what, r->finding[i].at.line, r->finding[i].other.line);
}

/* "causes N": so many findings stand for themselves, all at marked lines; where there is one mistake, others follow it. */
static void judge_causes(const char *path, const struct planted *c, const struct check_result *r)
{
	int heads = 0, want = atoi(c->code);
	bool good = want > 1 || r->n_finding > 1, seen[2] = { c->at[0] == 0, c->at[1] == 0 };
	for (int i = 0; i < r->n_finding; i++) {
		const struct check_finding *f = &r->finding[i];
		int line = line_of(&f->at);
		cr_assert(f->cause >= 0 && f->cause < r->n_finding && r->finding[f->cause].cause == f->cause);
		if (f->cause != i)
			continue;
		heads++;
		good &= line == c->at[0] || line == c->at[1];
		seen[0] |= line == c->at[0];
		seen[1] |= line == c->at[1];
	}
	good &= heads == want && seen[0] && seen[1];
	cr_expect(good, "%s, %s: expected %d causes, got %d of %d findings", path, c->name, want, heads, r->n_finding);
	for (int i = 0; i < r->n_finding && !good; i++)
		cr_log_error("  %d -> %d %s: %s | at %s | other %s", i, r->finding[i].cause, r->finding[i].code,
			     r->finding[i].what, r->finding[i].at.line, r->finding[i].other.line);
}

static void run_case(const char *path, const struct planted *c, const struct chip *chip, char elf[2][200],
		     unsigned cores)
{
	struct program program[2];
	struct sim sim;
	struct fail f = { 0 };
	struct checker *k = check_new(CHECK_ALL, false);
	struct sim_options o = { .check = k, .max_cycles = 1000000 };
	bool has[2] = { (cores & ~(unsigned)CORE_VEC) != 0, (cores & CORE_VEC) != 0 };
	memset(program, 0, sizeof program);
	for (int i = 0; i < 2; i++)
		if (has[i])
			cr_assert(program_load(elf[i], &program[i], &f) && program_entry(&program[i], c->name, &f),
				  "%s", f.what);
	cr_assert(sim_init(&sim, chip, has[0] ? &program[0] : NULL, has[1] ? &program[1] : NULL, c->blocks, &o, &f),
		  "%s", f.what);
	uint64_t in = buffer(&sim, "in", false, false, &f), out = buffer(&sim, "out", true, true, &f),
		 ws = buffer(&sim, "ws", true, true, &f), flags = buffer(&sim, "flags", true, false, &f);
	cr_assert(sim_arg(&sim, in, false, &f) && sim_arg(&sim, out, false, &f) && sim_arg(&sim, ws, false, &f) &&
		  sim_arg(&sim, flags, false, &f));
	if (!sim_run(&sim, &f))
		check_add_fail(k, &f);
	if (strcmp(c->check, "causes") == 0)
		judge_causes(path, c, check_result(k));
	else
		judge(path, c, check_result(k), &f);
	check_free(k);
	sim_free(&sim);
	for (int i = 0; i < 2; i++)
		if (has[i])
			program_free(&program[i]);
}

static void run_plan(const char *path, const char *chip_name, unsigned cores)
{
	static struct plan plan;
	struct chip chip;
	struct fail f = { 0 };
	char elf[2][200] = { "", "" }, dep[260], err[512];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	cr_assert(chip_load(chip_name, &chip, &f), "%s", f.what);
	for (unsigned bit = CORE_CUBE; bit <= CORE_FUSED; bit <<= 1) {
		char *to = elf[bit == CORE_VEC];
		if (!(cores & bit))
			continue;
		snprintf(to, sizeof elf[0], "build/planted-%d-%u.elf", (int)getpid(), bit);
		struct cc_options cc = { .source = path, .output = to, .arch = chip.arch, .core = bit };
		cr_assert(cc_compile(&cc, &f), "%s", f.what);
		snprintf(dep, sizeof dep, "%s.dep", to);
		unlink(dep);
	}
	read_plan(path, &plan);
	cr_assert_gt(plan.n, 4);
	for (int i = 0; i < plan.n; i++)
		run_case(path, &plan.at[i], &chip, elf, cores);
	for (int i = 0; i < 2; i++)
		unlink(elf[i]);
}

Test(check, planted_in_vector_kernels) { run_plan("test/planted/vector.c", "ascend910b1", CORE_VEC); }
Test(check, planted_causes) { run_plan("test/planted/causes.c", "ascend910b1", CORE_VEC); }
Test(check, planted_in_kernels_that_select) { run_plan("test/planted/select.c", "ascend910b1", CORE_VEC); }
Test(check, planted_in_kernels_that_poll) { run_plan("test/planted/poll.c", "ascend910b1", CORE_VEC); }
Test(check, planted_in_mixed_kernels) { run_plan("test/planted/mixed.c", "ascend910b1", CORE_CUBE | CORE_VEC); }
Test(check, planted_in_fused_kernels) { run_plan("test/planted/fused.c", "ascend910", CORE_FUSED); }
Test(check, planted_in_cube_kernels) { run_plan("test/planted/cube.c", "ascend910b1", CORE_CUBE); }
