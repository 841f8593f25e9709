/*
 * whatif.c - changes by name, the run repeated with them, and the standard set of bounds.
 */
#include "whatif.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char whatif_help[] =
	"  hbm=2x l2=0.5x          bandwidth of HBM, of L2 (also =ideal)\n"
	"  mte2=ideal v=2x s=ideal a pipe whose instructions take one cycle, or are faster by a factor; S is the scalar"
	" unit\n"
	"  no-bank-conflicts       operands never meet in a bank of UB\n"
	"  barrier@FILE:LINE=off   the pipe_barrier of a source line is not there; barriers=off: none is\n"
	"  buffers=+1              every flag that hands a buffer back is set once more at the start: one more buffer"
	" each\n"
	"  buffer@MTE1-MTE2=+1     only the flags from MTE1 to MTE2\n"
	"  queue=64                instructions that a pipe's queue holds\n"
	"  launch=ideal sync=ideal icache=ideal dcache=ideal    launch, flags and barriers, cache misses take no time\n"
	"  GROUP.NAME=VALUE        any number of the chip (see: vinci chips NAME)\n";

/* A change that is nothing but numbers of the chip. */
struct recipe { const char *name, *doc; const char *set[14]; };
static const struct recipe recipes[] = {
	{ "hbm=ideal", "HBM of unlimited bandwidth", { "gm.hbm_rate=65536" } },
	{ "l2=ideal", "L2 of unlimited bandwidth", { "gm.l2_rate=65536", "gm.l2_cube_rate=65536", "gm.same_requests=65536" } },
	{ "s=ideal", "a scalar unit that issues at once and never misses a cache",
	  { "scalar.issue_width=4", "scalar.load_ub_cycles=0", "scalar.load_gm_cycles=0", "scalar.mul_cycles=1",
	    "scalar.div_cycles=1", "scalar.fp_cycles=1", "scalar.fdiv_cycles=1", "scalar.branch_cycles=0",
	    "scalar.spr_cycles=0",
	    "scalar.icache_miss_cycles=0", "scalar.dcache_miss_cycles=0" } },
	{ "launch=ideal", "a launch that takes no time",
	  { "cores.launch_cycles=0", "cores.launch_skew_cycles=0", "cores.block_switch_cycles=0" } },
	{ "sync=ideal", "flags and barriers that take no time of their own",
	  { "sync.set_cycles=0", "sync.wait_cycles=0", "sync.flag_cycles=0", "sync.barrier_cycles=0",
	    "sync.barrier_v_cycles=0",
	    "sync.dispatch_cycles=0" } },
	{ "icache=ideal", "no instruction cache misses", { "scalar.icache_miss_cycles=0" } },
	{ "dcache=ideal", "no data cache misses", { "scalar.dcache_miss_cycles=0" } },
};
static const struct { const char *name, *key[3], *doc; } short_names[] = {
	{ "hbm", { "gm.hbm_rate" }, "bandwidth of HBM" },
	{ "l2", { "gm.l2_rate", "gm.l2_cube_rate", "gm.same_requests" }, "bandwidth of L2" },
	{ "queue", { "sync.queue_depth" }, "instructions that a queue holds" },
};
static const struct { const char *name; int pipe; } pipes[] = {
	{ "mte1", PIPE_MTE1 }, { "mte2", PIPE_MTE2 }, { "mte3", PIPE_MTE3 }, { "m", PIPE_M }, { "v", PIPE_V }, { "fix",
			PIPE_FIX },
};

static const struct recipe *recipe_of(const char *text)
{
	for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
		if (strcasecmp(text, recipes[i].name) == 0)
			return &recipes[i];
	return NULL;
}

/* The pipe before "=", or -1. */
static int pipe_of(const char *text)
{
	const char *eq = strchr(text, '=');
	for (size_t i = 0; eq && i < sizeof pipes / sizeof pipes[0]; i++)
		if (strlen(pipes[i].name) == (size_t)(eq - text) && strncasecmp(text, pipes[i].name,
				(size_t)(eq - text)) == 0)
			return pipes[i].pipe;
	return -1;
}

void whatif_doc(const char *change, char *text, size_t size)
{
	const struct recipe *r = recipe_of(change);
	int pipe = pipe_of(change);
	const char *eq = strchr(change, '=');
	if (r)
		snprintf(text, size, "%s", r->doc);
	else if (pipe >= 0 && strcmp(eq, "=ideal") == 0)
		snprintf(text, size, "instructions of %s that take one cycle", isa_pipe_name(pipe));
	else if (pipe >= 0)
		snprintf(text, size, "%s %s as fast", isa_pipe_name(pipe), eq + 1);
	else if (strcmp(change, "no-bank-conflicts") == 0)
		snprintf(text, size, "no bank conflicts in UB");
	else if (strcmp(change, "barriers=off") == 0)
		snprintf(text, size, "no pipe_barrier");
	else if (strncmp(change, "barrier@", 8) == 0)
		snprintf(text, size, "no pipe_barrier at %.*s", (int)(eq - change - 8), change + 8);
	else if (strncmp(change, "buffers=+", 9) == 0)
		snprintf(text, size, "%s more of every buffer that a flag hands back", change + 9);
	else if (strncmp(change, "buffer@", 7) == 0)
		snprintf(text, size, "%s more of the buffer that %.*s hands back", eq + 1, (int)(eq - change - 7),
			 change + 7);
	else {
		snprintf(text, size, "%s", change);
		for (size_t i = 0; eq && i < sizeof short_names / sizeof short_names[0]; i++)
			if (strncasecmp(change, short_names[i].name, (size_t)(eq - change)) == 0)
				snprintf(text, size, "%s %s", eq + 1, short_names[i].doc);
	}
}

static bool not_known(const char *text, struct fail *f)
{
	fail_set(f, FAIL_USER, "--what-if %s: there is no such change", text);
	return fail_hint(f, "hbm=2x, l2=2x, mte2=ideal, v=2x, s=ideal, no-bank-conflicts, barrier@file.c:88=off,"
			 " barriers=off, buffers=+1,"
			 " queue=64, launch=ideal, sync=ideal, icache=ideal, dcache=ideal, or a number of the chip:"
			 " gm.l2_rate=2x");
}

/* "2x", "1.5x" in thousandths; 0 when it is not that. */
static int64_t factor(const char *text)
{
	char *end;
	double v = strtod(text, &end);
	return end == text || strcmp(end, "x") != 0 || v < 0.001 || v > 1000 ? 0 : (int64_t)(v * 1000 + 0.5);
}

static bool chip_change(struct chip *chip, const char *text, struct fail *f)
{
	char set[128];
	const struct recipe *r = recipe_of(text);
	for (int i = 0; r && i < 14 && r->set[i]; i++)
		if (!chip_override(chip, r->set[i], f))
			return false;
	if (r)
		return true;
	const char *eq = strchr(text, '=');
	for (size_t i = 0; eq && i < sizeof short_names / sizeof short_names[0]; i++) {
		size_t n = strlen(short_names[i].name);
		if (n == (size_t)(eq - text) && strncasecmp(text, short_names[i].name, n) == 0) {
			for (int k = 0; k < 3 && short_names[i].key[k]; k++) {
				snprintf(set, sizeof set, "%s%s", short_names[i].key[k], eq);
				if (!chip_override(chip, set, f))
					return false;
			}
			return true;
		}
	}
	const char *dot = strchr(text, '.');
	return dot && eq && dot < eq ? chip_override(chip, text, f) : not_known(text, f);
}

/* Barriers of a source line, given as FILE:LINE; calls that were inlined count by any line of the chain. */
static bool barrier_off(const struct run *r, const char *text, struct what_if *w, struct fail *f)
{
	char place[200], line[400];
	const char *eq = strchr(text, '=');
	snprintf(place, sizeof place, "%.*s", (int)(eq - text - 8), text + 8);
	size_t n = strlen(place);
	int before = w->n_off;
	for (int k = 0; k < 2; k++) {
		const struct program *p = &r->program[k];
		for (uint32_t i = 0; r->has_program[k] && i < p->n_insn; i++) {
			if (p->insn[i].id >= ISA_COUNT || isa_table[p->insn[i].id].form != FORM_BARRIER)
				continue;
			uint64_t pc = p->text_addr + 4 * (uint64_t)i;
			program_line(p, pc, line, sizeof line);
			const char *at = strstr(line, place);
			if (!at || (at[n] >= '0' && at[n] <= '9') || (at > line && at[-1] != ' ' && at[-1] != '/'))
				continue;
			if (w->n_off == (int)(sizeof w->off / sizeof w->off[0]))
				return fail_set(f, FAIL_USER, "--what-if %s: more than %d barriers", text, w->n_off);
			w->off[w->n_off].program = k;
			w->off[w->n_off++].pc = pc;
		}
	}
	if (w->n_off > before)
		return true;
	fail_set(f, FAIL_USER, "--what-if %s: no pipe_barrier is at %s", text, place);
	return fail_hint(f, "vinci report TARGET --source shows the lines");
}

static int pipe_named(const char *name, size_t n)
{
	for (int q = 0; q < PIPE_COUNT; q++)
		if (strlen(isa_pipe_name(q)) == n && strncasecmp(name, isa_pipe_name(q), n) == 0)
			return q;
	return -1;
}

/* "buffers=+N", "buffer@SRC-DST=+N" */
static bool more_buffers(const char *text, struct what_if *w)
{
	const char *at = strchr(text, '@'), *minus = strchr(text, '-'), *eq = strstr(text, "=+");
	int more = eq ? atoi(eq + 2) : 0, src = -1, dst = -1;
	if (more < 1 || more > 64)
		return false;
	w->more_buffers = true;
	if (at) {
		if (!minus || minus > eq)
			return false;
		src = pipe_named(at + 1, (size_t)(minus - at - 1));
		dst = pipe_named(minus + 1, (size_t)(eq - minus - 1));
		if (src < 0 || dst < 0 || !sync_hands_back(src, dst))
			return false;
		w->buffers[src][dst] += more;
		return true;
	}
	for (src = 0; src < PIPE_COUNT; src++)
		for (dst = 0; dst < PIPE_COUNT; dst++)
			w->buffers[src][dst] += sync_hands_back(src, dst) ? more : 0;
	return true;
}

/* r NULL: only look whether the text is a change. */
static bool apply(const struct run *r, const char *text, struct chip *chip, struct what_if *w, struct fail *f)
{
	const char *eq = strchr(text, '=');
	int pipe = pipe_of(text);
	if (pipe >= 0) {
		w->speed[pipe] = strcmp(eq, "=ideal") == 0 ? INT64_MAX : factor(eq + 1);
		return w->speed[pipe] > 0 || not_known(text, f);
	}
	if (strcmp(text, "no-bank-conflicts") == 0)
		return w->no_bank_conflicts = true;
	if (strcmp(text, "barriers=off") == 0)
		return w->no_barriers = true;
	if (strncmp(text, "buffers=+", 9) == 0 || strncmp(text, "buffer@", 7) == 0)
		return more_buffers(text, w) || not_known(text, f);
	if (strncmp(text, "barrier@", 8) == 0 && eq && strcmp(eq, "=off") == 0)
		return !r || barrier_off(r, text, w, f);
	if (!r && strchr(text, '=')) {
		for (size_t i = 0; i < sizeof short_names / sizeof short_names[0]; i++)
			if (strncasecmp(text, short_names[i].name, strlen(short_names[i].name)) == 0)
				return true;
		return recipe_of(text) || strchr(text, '.') || not_known(text, f);
	}
	return r ? chip_change(chip, text, f) : not_known(text, f);
}

bool whatif_check(const char *text, struct fail *f)
{
	struct what_if w = { 0 };
	return apply(NULL, text, NULL, &w, f);
}

bool whatif_run(const struct run *r, const char *const *change, int n, int64_t *cycles, struct fail *f)
{
	struct sim *s = calloc(1, sizeof *s);
	struct chip *chip = malloc(sizeof *chip);
	struct what_if w = { 0 };
	struct sim_options o = { .timing_only = true, .max_cycles = r->sim.options.max_cycles, .what_if = &w };
	bool ok = s && chip;
	if (!ok)
		fail_set(f, FAIL_INTERNAL, "no memory for another run");
	else
		*chip = r->chip;
	for (int i = 0; ok && i < n; i++)
		ok = apply(r, change[i], chip, &w, f);
	bool made = ok;
	/* programs are the first run's: their issue times are made anew for this chip, and once more for the first at the end */
	ok = ok && sim_init(s, chip, r->sim.program[0], r->sim.program[1], r->sim.blocks, &o, f) && run_args_again(r, s,
			f) &&
	     sim_run(s, f);
	if (ok)
		*cycles = s->end;
	if (made)
		sim_free(s);
	for (int i = 0; i < 2; i++)
		if (r->sim.program[i])
			scalar_predecode(r->sim.program[i], &r->chip);
	free(chip);
	free(s);
	return ok;
}

static int by_cycles(const void *a, const void *b)
{
	const struct whatif_result *x = a, *y = b;
	if (x->cycles != y->cycles)
		return x->cycles < y->cycles ? -1 : 1;
	return strcmp(x->text, y->text);
}

/* Does the change concern anything that the run used? */
static bool concerns(const struct run *r, const char *text)
{
	int pipe = pipe_of(text);
	bool any = pipe < 0;
	for (int i = 0; !any && i < r->sim.n_core; i++)
		any = r->sim.core[i].stats.pipe[pipe].ops > 0;
	return any;
}

int whatif_bounds(const struct run *r, struct whatif_result *out, int max, struct fail *f)
{
	static const char *const set[] = { "hbm=2x", "hbm=ideal", "l2=ideal", "mte2=ideal", "mte1=ideal", "mte3=ideal",
					   "m=ideal",
		"v=ideal", "fix=ideal", "s=ideal", "icache=ideal", "dcache=ideal", "launch=ideal", "sync=ideal",
		"barriers=off",
		"no-bank-conflicts", "buffers=+1", "queue=64" };
	int n = 0;
	for (size_t i = 0; i < sizeof set / sizeof set[0] && n < max; i++) {
		struct whatif_result *w = &out[n];
		if (!concerns(r, set[i]))
			continue;
		if (!whatif_run(r, &set[i], 1, &w->cycles, f))
			return -1;
		snprintf(w->text, sizeof w->text, "%s", set[i]);
		whatif_doc(set[i], w->doc, sizeof w->doc);
		n++;
	}
	qsort(out, (size_t)n, sizeof *out, by_cycles);
	return n;
}
