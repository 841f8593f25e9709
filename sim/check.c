/*
 * check.c - the checker: what it keeps per core and memory, findings without repetition, and the hooks that only hand on to
 * the single checks.
 */
#include "check_priv.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_SITES = 1 << 17, MARGIN = 256 };

struct checker *check_new(unsigned bits, bool keep_going)
{
	struct checker *k = calloc(1, sizeof *k);
	if (!k)
		return NULL;
	k->bits = bits & CHECK_RACE ? bits : bits & ~(unsigned)CHECK_OVER;
	k->keep_going = keep_going;
	k->result.bits = k->bits;
	return k;
}

static void shadow_free(struct shadow *sh)
{
	free(sh->pair);
	free(sh->init);
	free(sh->writer);
	free(sh->origin);
}

void check_free(struct checker *k)
{
	if (!k)
		return;
	for (int i = 0; k->core && i < k->n_core; i++) {
		struct check_core *kc = &k->core[i];
		for (int sp = 0; sp < SPACE_COUNT; sp++)
			shadow_free(&kc->space[sp]);
		for (int q = 0; q < SLOTS; q++)
			free(kc->fate[q]);
		free(kc->line);
		shadow_free(&kc->cmpmask);
		clock_core_free(kc);
	}
	for (int i = 0; i < k->n_gm; i++)
		shadow_free(&k->gm[i]);
	poll_free(k);
	root_free(k);
	free(k->core);
	free(k->more);
	free(k->cell);
	free(k->site[0]);
	free(k->site[1]);
	free(k->node);
	free(k);
}

bool check_parse(const char *text, unsigned *bits, struct fail *f)
{
	static const struct {
		const char *name;
		unsigned bits;
	} names[] = {
		{ "all", CHECK_ALL },
		{ "none", 0 },
		{ "mem", CHECK_MEM },
		{ "init", CHECK_INIT },
		{ "race", CHECK_RACE },
		{ "sync", CHECK_SYNC },
		{ "oversync", CHECK_OVER | CHECK_RACE },
	};
	*bits = 0;
	for (const char *p = text; *p;) {
		size_t n = strcspn(p, ","), i = 0;
		while (i < sizeof names / sizeof names[0] &&
		       (strlen(names[i].name) != n || strncmp(names[i].name, p, n) != 0))
			i++;
		if (i == sizeof names / sizeof names[0])
			return fail_set(f, FAIL_USER,
					"--check=%s: \"%.*s\" is none of mem, init, race, sync, oversync, all, none",
					text, (int)n, p);
		*bits |= names[i].bits;
		p += n + (p[n] == ',');
	}
	return *text != 0 ||
	       fail_set(f, FAIL_USER, "--check= needs a list of mem, init, race, sync, oversync, or all, none");
}

const struct check_result *check_result(const struct checker *k) { return &k->result; }

void check_say(char *to, size_t size, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(to, size, fmt, ap);
	va_end(ap);
}

/* ---- places ---- */

static int program_slot(const struct checker *k, const struct core *c) { return c->program == k->sim->program[1]; }

uint32_t check_site(const struct core *c, uint64_t pc)
{
	uint64_t i = (pc - c->program->text_addr) / 4;
	return i < ALL_SITES ? (uint32_t)i : 0;
}

uint64_t check_site_pc(const struct core *c, uint32_t site) { return c->program->text_addr + 4 * (uint64_t)site; }

static const char *insn_at(const struct core *c, uint64_t pc)
{
	uint64_t i = (pc - c->program->text_addr) / 4;
	if (i >= (uint64_t)c->program->n_insn || c->program->insn[i].id >= ISA_COUNT)
		return "?";
	return isa_table[c->program->insn[i].id].name;
}

void check_place_at(struct checker *k, const struct core *c, int pipe, uint64_t pc, int64_t cycle,
		    struct check_place *p)
{
	(void)k;
	*p = (struct check_place){ .core = c->id, .block = c->block, .pipe = pipe, .pc = pc, .cycle = cycle };
	program_line(c->program, pc, p->line, sizeof p->line);
	check_say(p->insn, sizeof p->insn, "%s", insn_at(c, pc));
}

void check_place_of(struct checker *k, epoch e, struct check_place *p)
{
	const struct core *c = &k->sim->core[epoch_core(e)];
	unsigned slot = epoch_slot(e);
	check_place_at(k, c, slot == SLOT_STORE ? PIPE_S : (int)slot, check_site_pc(c, epoch_site(e)), -1, p);
}

/* The compiler copies code: the same lines under other addresses are the same finding. n_finding: none. */
static int same_lines(const struct check_result *r, const char *code, const struct check_finding *f)
{
	int i = f->at.line[0] ? 0 : r->n_finding;
	while (i < r->n_finding &&
	       (strcmp(r->finding[i].code, code) != 0 || strcmp(r->finding[i].at.line, f->at.line) != 0 ||
		(f->other.line[0] && strcmp(r->finding[i].other.line, f->other.line) != 0)))
		i++;
	return i;
}

static struct check_finding *seen_again(struct checker *k, int i, const struct core *c)
{
	struct check_finding *f = &k->result.finding[i];
	f->count++;
	if (!c)
		return f;
	uint64_t *word = &k->note[i].cores[c->id / 64], bit = UINT64_C(1) << (c->id % 64);
	if (!f->cores || c->id < f->core_first)
		f->core_first = c->id;
	if (!f->cores || c->id > f->core_last)
		f->core_last = c->id;
	f->cores += !(*word & bit);
	*word |= bit;
	return f;
}

struct check_finding *check_find(struct checker *k, enum check_kind kind, const char *code, const struct core *a,
				 uint64_t pc_a, const struct core *b, uint64_t pc_b, bool *fresh)
{
	struct check_result *r = &k->result;
	*fresh = false;
	uint64_t key =
		pc_a * UINT64_C(0x9e3779b97f4a7c15) ^ (pc_b + 1) * UINT64_C(0xc2b2ae3d27d4eb4f) ^ (uint64_t)kind << 60;
	for (const char *s = code; *s; s++)
		key = key * 31 + (uint8_t)*s;
	if (k->sim && a)
		key ^= (uint64_t)program_slot(k, a) << 1;
	if (k->sim && b)
		key ^= (uint64_t)program_slot(k, b) << 2;
	key |= 1;
	size_t n = sizeof k->seen / sizeof k->seen[0], i = key % n;
	while (k->seen[i].key && k->seen[i].key != key)
		i = (i + 1) % n;
	if (k->seen[i].key)
		return seen_again(k, k->seen[i].finding, a);
	if (r->n_finding == CHECK_FINDINGS) {
		r->more++;
		return NULL;
	}
	struct check_finding *f = &r->finding[r->n_finding];
	memset(f, 0, sizeof *f);
	if (a)
		program_line(a->program, pc_a, f->at.line, sizeof f->at.line);
	if (b)
		program_line(b->program, pc_b, f->other.line, sizeof f->other.line);
	k->seen[i].key = key;
	k->seen[i].finding = same_lines(r, code, f);
	if (k->seen[i].finding < r->n_finding)
		return seen_again(k, k->seen[i].finding, a);
	memset(&k->note[r->n_finding], 0, sizeof k->note[0]);
	k->note[r->n_finding].id = ++k->n_note;
	(void)seen_again(k, r->n_finding++, a);
	f->kind = kind;
	f->code = code;
	f->at.core = f->other.core = -1;
	*fresh = true;
	return f;
}

void check_add_fail(struct checker *k, const struct fail *f)
{
	bool fresh;
	static const struct {
		const char *word;
		enum check_kind kind;
		const char *code;
	} of[] = {
		{ "kernel's limits", CHECK_OTHER, "limit" },
		{ "deadlock", CHECK_DEADLOCK, "deadlock" },
		{ "still runs after", CHECK_DEADLOCK, "endless" },
		{ "read-only", CHECK_MEMORY, "read-only" },
		{ "GM bytes", CHECK_MEMORY, "out-of-bounds" }, /* these have the argument's name in them */
		{ "event id", CHECK_SYNCS, "event-id" },
		{ "barrier", CHECK_SYNCS, "barrier" },
		{ "flag", CHECK_SYNCS, "flag" },
		{ "align", CHECK_MEMORY, "misaligned" },
		{ "no multiple of", CHECK_MEMORY, "misaligned" },
		{ "not a multiple of", CHECK_MEMORY, "misaligned" },
		{ "bytes", CHECK_MEMORY, "out-of-bounds" },
		{ "does not have", CHECK_MEMORY, "out-of-bounds" },
		{ "", CHECK_OTHER, "kernel" },
	};
	size_t i = 0;
	while (!strstr(f->what, of[i].word))
		i++;
	if (of[i].kind == CHECK_DEADLOCK && k->sim && k->bits & CHECK_SYNC && sync_uneven(k)) {
		check_drop_consequences(k);
		return; /* that is why */
	}
	struct check_finding *x = check_find(k, of[i].kind, of[i].code, NULL, f->where.pc, NULL, 0, &fresh);
	if (!x || !fresh)
		return;
	check_say(x->what, sizeof x->what, "%.*s", (int)sizeof x->what - 1, f->what);
	check_say(x->hint, sizeof x->hint, "%.*s", (int)sizeof x->hint - 1, f->hint);
	x->at.cycle = -1;
	if (!f->has_where) {
		check_drop_consequences(k);
		return;
	}
	x->at = (struct check_place){ .core = f->where.core,
				      .block = f->where.block,
				      .pipe = f->where.pipe,
				      .pc = f->where.pc,
				      .cycle = f->where.cycle };
	memcpy(x->at.line, f->where.kernel_line, sizeof x->at.line);
	if (k->sim && f->where.core >= 0 && f->where.core < k->n_core && of[i].kind == CHECK_DEADLOCK)
		root_stuck(k, x, &k->sim->core[f->where.core], f->where.pipe);
	if (k->sim && f->where.core >= 0 && f->where.core < k->n_core)
		check_say(x->at.insn, sizeof x->at.insn, "%s", insn_at(&k->sim->core[f->where.core], f->where.pc));
	check_drop_consequences(k);
}

/* ---- memories ---- */

static bool shadow_new(struct checker *k, struct shadow *sh, uint64_t base, uint64_t bytes, unsigned shift,
		       bool undefined)
{
	uint64_t notes = (bytes >> NOTE_SHIFT) + 2;
	sh->base = base;
	sh->bytes = bytes;
	sh->shift = shift;
	bool ok = true;
	if (k->bits & CHECK_RACE)
		ok = (sh->pair = calloc((bytes >> shift) + 2, sizeof *sh->pair)) != NULL;
	if (k->bits & CHECK_INIT && undefined) {
		ok = ok && (sh->init = calloc(1, bytes + MARGIN)) && (sh->writer = calloc(notes, sizeof(uint32_t))) &&
		     (sh->origin = calloc(notes, sizeof(uint32_t)));
	}
	return ok;
}

static bool begin_gm(struct checker *k)
{
	const struct gm *gm = &k->sim->gm;
	k->gm_init = *gm;
	for (int i = 0; i < gm->n_region; i++) {
		const struct gm_region *r = &gm->region[i];
		k->gm_init.region[i].host = NULL;
		if (check_ignores(r))
			continue;
		struct shadow *sh = &k->gm[k->n_gm++];
		sh->region = r;
		if (!shadow_new(k, sh, r->addr, r->size, 5, r->undefined))
			return false;
		if (sh->init) {
			memset(sh->init, INIT_NEVER, r->size);
			k->gm_init.region[i].host = sh->init;
		}
	}
	return true;
}

static bool begin_core(struct checker *k, const struct core *c, struct check_core *kc)
{
	static const uint8_t shift[SPACE_COUNT] = { [SPACE_UB] = 5,  [SPACE_L1] = 5, [SPACE_L0A] = 9, [SPACE_L0B] = 9,
						    [SPACE_L0C] = 6, [SPACE_FB] = 5, [SPACE_BT] = 6 };
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++)
		if (c->mem.size[sp] > 0 &&
		    !shadow_new(k, &kc->space[sp], 0, (uint64_t)c->mem.size[sp], shift[sp], true))
			return false;
	if (!shadow_new(k, &kc->cmpmask, 0, 16, 4, false))
		return false;
	for (int q = 0; q < SLOTS && k->bits & CHECK_RACE; q++)
		if (!(kc->fate[q] = calloc(FATES, sizeof *kc->fate[q])))
			return false;
	kc->line = calloc((size_t)c->scalar.d_sets * c->scalar.d_ways, sizeof *kc->line);
	return kc->line && clock_core_new(k, kc, c);
}

bool check_begin(struct checker *k, struct sim *s)
{
	k->sim = s;
	k->n_core = s->n_core;
	k->core = calloc((size_t)s->n_core, sizeof *k->core);
	bool ok = k->core && begin_gm(k) && (!(k->bits & CHECK_RACE) || poll_begin(k));
	for (int i = 0; ok && i < s->n_core; i++) {
		ok = begin_core(k, &s->core[i], &k->core[i]);
		if (k->bits & (CHECK_INIT | CHECK_RACE | CHECK_SYNC))
			s->core[i].scalar.check = k;
	}
	for (int i = 0; ok && i < 2 && k->bits & CHECK_RACE; i++)
		if (s->program[i]) {
			k->n_site[i] = (uint32_t)s->program[i]->n_insn + 1;
			ok = (k->site[i] = calloc(k->n_site[i], sizeof *k->site[i])) != NULL;
		}
	return ok || fail_set(&s->fail, FAIL_INTERNAL, "no memory for the checks");
}

struct shadow *check_shadow(struct checker *k, struct check_core *kc, unsigned space, uint64_t addr)
{
	if (space != SPACE_GM)
		return &kc->space[space];
	for (int i = 0; i < k->n_gm; i++)
		if (addr - k->gm[i].base < k->gm[i].bytes)
			return &k->gm[i];
	return NULL;
}

void runs_open(struct runs *r, const struct access *a)
{
	*r = (struct runs){ .a = a, .unit = a->unit_bytes, .lanes = a->masked || a->tail_lanes };
	int d = 0;
	if (r->lanes)
		return;
	for (int i = 0; i < 3; i++) {
		r->n[i] = 1;
		if (a->n[i] == 1)
			continue;
		if (d == 0 && a->stride[i] == (int64_t)r->unit) {
			r->unit *= a->n[i];
			continue;
		}
		r->n[d] = a->n[i];
		r->stride[d++] = a->stride[i];
	}
}

bool runs_next(struct runs *r, uint64_t *addr, uint64_t *bytes)
{
	if (r->lanes) {
		uint32_t n;
		bool any = access_next(r->a, &r->cursor, addr, &n);
		*bytes = n;
		return any;
	}
	if (r->done)
		return false;
	*addr = r->a->addr + (uint64_t)(r->i[0] * r->stride[0] + r->i[1] * r->stride[1] + r->i[2] * r->stride[2]);
	*bytes = r->unit;
	r->done = true;
	for (int d = 0; d < 3; d++) {
		if (++r->i[d] < r->n[d]) {
			r->done = false;
			break;
		}
		r->i[d] = 0;
	}
	return true;
}

/* ---- ops ---- */

/* One instruction whose units fall into two arguments: each is inside of something, the walk is wrong. */
static void mem_crossing(struct checker *k, struct core *c, const struct op *op, const struct access *a)
{
	uint64_t last = a->addr;
	for (int d = 0; d < 3; d++)
		last += (uint64_t)(a->stride[d] * ((int64_t)a->n[d] - 1));
	const struct gm_region *from = gm_find(&k->sim->gm, a->addr, 1), *to = gm_find(&k->sim->gm, last, 1);
	bool fresh;
	if (from == to || !from || !to)
		return;
	struct check_finding *f = check_find(k, CHECK_MEMORY, "two-arguments", c, op->pc, NULL, 0, &fresh);
	if (!f || !fresh)
		return;
	check_place_at(k, c, op->pipe, op->pc, k->sim->now, &f->at);
	check_say(f->what, sizeof f->what, "%s starts in %s (0x%" PRIx64 ") and %s into %s (0x%" PRIx64 ")",
		  isa_table[op->insn].name, from->name, a->addr, a->write ? "writes on" : "reads on", to->name, last);
	check_say(f->hint, sizeof f->hint, "count of bursts, gap or pitch do not fit the argument's %" PRIu64 " bytes",
		  from->size);
}

void check_op(struct checker *k, struct core *c, const struct op *op, const struct effect *e)
{
	clock_take(k, c, op->pipe);
	if (e->nop || k->broken)
		return;
	for (int i = 0; i < e->n_access; i++)
		if (e->access[i].space == SPACE_GM)
			mem_crossing(k, c, op, &e->access[i]);
	struct effect whole;
	if (isa_table[op->insn].form == FORM_VSEL && !k->sim->options.timing_only) {
		whole = *e;
		if (unit_pointed(&c->mem, op, &whole))
			e = &whole;
	}
	if (k->bits & CHECK_RACE)
		race_op(k, c, op, e);
	if (k->bits & CHECK_INIT)
		init_op(k, c, op, e);
}

void check_block_start(struct checker *k, struct core *c)
{
	struct check_core *kc = &k->core[c->id];
	if (k->bits & CHECK_INIT)
		init_reset(kc);
	memset(kc->sets_in_block, 0, sizeof kc->sets_in_block);
	kc->started = true;
	/* the block before has drained: all it did on this core is known */
	for (int q = 0; q < SLOTS; q++)
		for (int p = 0; p < SLOTS; p++)
			kc->clock[q].t[p] = kc->number[p];
}

/* Results that are not needed here and there are no mistake (the last columns of a tile); those of every other run are. */
static bool rarely_lost(struct checker *k, const struct check_finding *x)
{
	if (strcmp(x->code, "never-read") != 0)
		return false;
	const struct sync_site *s = over_site(k, &k->sim->core[x->other.core], x->other.pc);
	return s && x->count * 2 < s->times;
}

/* A race explains: undefined bytes that its late write leaves, a second race of the same write with an older write. */
static bool explained(const struct check_result *r, const struct check_finding *x)
{
	for (int i = 0; i < r->n_finding; i++) {
		const struct check_finding *f = &r->finding[i];
		if (f->kind != CHECK_RACES || f == x)
			continue;
		if (x->kind == CHECK_UNDEFINED && strcmp(f->code, "read-after-write") == 0 && f->at.pc == x->at.pc)
			return true;
		if (x->kind == CHECK_RACES && strcmp(x->code, "write-after-write") == 0 &&
		    strcmp(f->code, "write-after-read") == 0 && f->at.pc == x->at.pc && f->at.core == x->at.core &&
		    f->other.core == f->at.core && x->other.core == x->at.core)
			return true;
	}
	return false;
}

void check_drop_consequences(struct checker *k)
{
	struct check_result *r = &k->result;
	int n = 0;
	bool drop[CHECK_FINDINGS];
	for (int i = 0; i < r->n_finding; i++)
		drop[i] = explained(r, &r->finding[i]) || rarely_lost(k, &r->finding[i]);
	for (int i = 0; i < r->n_finding; i++)
		if (!drop[i]) {
			k->note[n] = k->note[i];
			r->finding[n++] = r->finding[i];
		}
	r->n_finding = n;
	root_group(k);
}

void check_end(struct checker *k)
{
	for (int i = 0; i < k->n_core && k->poll; i++)
		poll_settle(k, &k->sim->core[i]);
	sync_end(k);
	if (k->bits & CHECK_OVER)
		over_end(k);
	check_drop_consequences(k);
}

/* ---- what is not modelled ---- */

static enum isa_space space_of_pointer(const char *args)
{
	static const struct {
		const char *kind;
		enum isa_space space;
	} of[] = {
		{ ":ub*", SPACE_UB },  { ":cbuf*", SPACE_L1 }, { ":ca*", SPACE_L0A }, { ":cb*", SPACE_L0B },
		{ ":cc*", SPACE_L0C }, { ":fbuf*", SPACE_FB }, { ":bt*", SPACE_BT },  { ":gm*", SPACE_GM },
	};
	if (!args || strncmp(args, "dst", 3) != 0)
		return SPACE_NONE;
	const char *at = strchr(args, ':');
	for (size_t i = 0; at && i < sizeof of / sizeof of[0]; i++)
		if (strncmp(at, of[i].kind, strlen(of[i].kind)) == 0)
			return of[i].space;
	return SPACE_NONE;
}

/* How much it would have written is not known: everything from its destination to the end of that memory. */
static void taint_destination(struct checker *k, struct core *c, const struct op *op)
{
	struct check_core *kc = &k->core[c->id];
	enum isa_space space = space_of_pointer(isa_table[op->insn].args);
	uint64_t addr = op->x[0];
	struct shadow *sh = space == SPACE_NONE ? NULL : check_shadow(k, kc, space, addr);
	if (space == SPACE_NONE && op->pipe == PIPE_V) {
		sh = &kc->space[SPACE_UB];
	}
	if (!sh || !sh->init || addr - sh->base >= sh->bytes)
		return;
	init_set(sh, addr, sh->bytes - (addr - sh->base), INIT_CARRIED, check_site(c, op->pc));
	for (uint64_t i = (addr - sh->base) >> NOTE_SHIFT; i <= (sh->bytes - 1) >> NOTE_SHIFT; i++)
		sh->origin[i] = check_site(c, op->pc) + 1;
}

bool check_pass_over(struct checker *k, struct core *c, const struct op *op, const char *what)
{
	struct check_result *r = &k->result;
	if (!k->keep_going)
		return false;
	if (k->sim && k->core)
		taint_destination(k, c, op);
	for (int i = 0; i < r->n_gap; i++)
		if (r->gap[i].at.pc == op->pc) {
			r->gap[i].count++;
			return true;
		}
	if (r->n_gap == CHECK_GAPS)
		return true;
	struct check_gap *g = &r->gap[r->n_gap++];
	g->count = 1;
	check_place_at(k, c, op->pipe, op->pc, k->sim->now, &g->at);
	check_say(g->what, sizeof g->what, "%s", what);
	return true;
}
