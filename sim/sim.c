/*
 * sim.c - the event loop of the chip: one heap, cores, blocks handed out to free cores.
 */
#include "check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MAX_CYCLES_LOG2 = 40 };

/* ---- heap ordered by (cycle, order); order makes ties the same on every run ---- */

static bool earlier(const struct heap_entry *a, const struct heap_entry *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

bool sim_push(struct sim *s, int64_t cycle, unsigned kind, unsigned core, unsigned arg)
{
	if (s->heap_n == s->heap_max) {
		int more = s->heap_max ? s->heap_max * 2 : 1024;
		struct heap_entry *h = realloc(s->heap, (size_t)more * sizeof *h);
		if (!h)
			return fail_set(&s->fail, FAIL_INTERNAL, "no memory for events");
		s->heap = h;
		s->heap_max = more;
	}
	/* kind 3 bits, core 16, argument 13: a flag code has 10 bits */
	struct heap_entry e = { cycle, kind << 29 | core << 13 | arg, kind };
	int i = s->heap_n++;
	while (i > 0 && earlier(&e, &s->heap[(i - 1) / 2])) {
		s->heap[i] = s->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	s->heap[i] = e;
	return true;
}

static struct heap_entry heap_pop(struct sim *s)
{
	struct heap_entry top = s->heap[0], last = s->heap[--s->heap_n];
	int i = 0;
	for (;;) {
		int child = 2 * i + 1;
		if (child >= s->heap_n)
			break;
		if (child + 1 < s->heap_n && earlier(&s->heap[child + 1], &s->heap[child]))
			child++;
		if (!earlier(&s->heap[child], &last))
			break;
		s->heap[i] = s->heap[child];
		i = child;
	}
	s->heap[i] = last;
	return top;
}

/* ---- errors with their place ---- */

void sim_place(struct sim *s, struct core *c, uint64_t pc, int pipe, struct fail *f)
{
	f->has_where = true;
	f->where.pc = pc;
	f->where.pipe = pipe;
	f->where.core = c->id;
	f->where.block = c->block;
	f->where.cycle = pipe == PIPE_S ? c->scalar.cycle : s->now;
	program_line(c->program, pc, f->where.kernel_line, sizeof f->where.kernel_line);
}

bool sim_fail(struct sim *s, struct core *c, enum fail_class class, uint64_t pc, int pipe, const char *fmt, ...)
{
	char text[sizeof s->fail.what];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fail_set(&s->fail, class, "%s", text);
	sim_place(s, c, pc, pipe, &s->fail);
	return false;
}

/* ---- launch ---- */

static bool add_core(struct sim *s, unsigned kind, int group, int sub, struct program *p, struct fail *f)
{
	struct core *c = &s->core[s->n_core];
	/* counted before it is whole, so that sim_free finds what a failure leaves */
	bool ok = core_init(s, c, s->n_core++, kind, p, f);
	c->group = group;
	c->sub = sub;
	return ok;
}

static int64_t core_limit(const struct chip *chip, const struct program *cube, const struct program *vector)
{
	if (!chip->split)
		return chip->cores.fused;
	if (cube && vector)
		return chip->cores.cube < chip->cores.vector / 2 ? chip->cores.cube : chip->cores.vector / 2;
	return cube ? chip->cores.cube : chip->cores.vector;
}

bool sim_init(struct sim *s, const struct chip *chip, struct program *cube, struct program *vector, int64_t blocks,
	      const struct sim_options *options, struct fail *f)
{
	memset(s, 0, sizeof *s);
	s->chip = chip;
	s->options = *options;
	if (s->options.max_cycles <= 0)
		s->options.max_cycles = INT64_C(1) << DEFAULT_MAX_CYCLES_LOG2;
	s->program[0] = cube;
	s->program[1] = vector;
	s->group_size = cube && vector ? 3 : 1;
	int64_t limit = core_limit(chip, cube, vector);
	s->blocks = blocks > 0 ? blocks : limit;
	s->n_group = (int)(s->blocks < limit ? s->blocks : limit);
	s->core = calloc((size_t)s->n_group * (size_t)s->group_size, sizeof *s->core);
	if (!s->core)
		return fail_set(f, FAIL_INTERNAL, "no memory for %d cores", s->n_group * s->group_size);
	gm_init(&s->gm, s->n_group * s->group_size);
	if (!gm_add(&s->gm, "system region", GM_SYSTEM, GM_SYSTEM_SIZE, true, false, f))
		return false;
	for (int i = 0; i < 2; i++) {
		if (!s->program[i])
			continue;
		scalar_predecode(s->program[i], chip);
		if (!program_place(s->program[i], &s->gm, (uint64_t)chip->buffers.stack, f))
			return false;
	}
	for (int g = 0; g < s->n_group; g++) {
		if (!chip->split) {
			if (!add_core(s, CORE_FUSED, g, 0, cube, f))
				return false;
			continue;
		}
		if (cube && !add_core(s, CORE_CUBE, g, 0, cube, f))
			return false;
		for (int v = 0; vector && v < (cube ? 2 : 1); v++)
			if (!add_core(s, CORE_VEC, g, v, vector, f))
				return false;
	}
	return memsys_init(&s->memsys, chip, f);
}

void sim_free(struct sim *s)
{
	for (int i = 0; i < s->n_core; i++)
		core_free(&s->core[i]);
	free(s->core);
	free(s->heap);
	memsys_free(&s->memsys);
	gm_free(&s->gm);
}

bool sim_arg(struct sim *s, uint64_t value, bool is_float, struct fail *f)
{
	if (s->n_arg == SIM_ARGS)
		return fail_set(f, FAIL_USER, "more than %d kernel arguments", SIM_ARGS);
	s->arg[s->n_arg] = value;
	s->arg_float[s->n_arg++] = is_float;
	return true;
}

/* Every core gets a block before one gets a second: blocks are waiting for cores that the launch has not reached yet. */
static bool block_left(const struct sim *s) { return s->next_block < s->blocks - s->waiting; }

static bool start_group(struct sim *s, int group, int64_t now)
{
	bool first = s->core[group * s->group_size].stats.blocks == 0;
	s->waiting -= first;
	if (!first && !block_left(s))
		return true;
	int64_t block = s->next_block++;
	for (int i = 0; i < s->n_core; i++) {
		struct core *c = &s->core[i];
		if (c->group != group)
			continue;
		core_start_block(s, c, block, now);
		s->running++;
		if (!sim_push(s, now, EV_SCALAR, (unsigned)i, 0))
			return false;
	}
	return true;
}

/* A core's block has ended; the group takes the next block when all its cores have. */
bool sim_block_end(struct sim *s, struct core *c)
{
	char text[256];
	int64_t now = c->scalar.cycle;
	if (s->options.check)
		check_block_end(s->options.check, c);
	else if (sync_leftover(c, text, sizeof text) && s->n_note < 16)
		snprintf(s->note[s->n_note++], sizeof s->note[0], "%s", text);
	core_charge_run(s, c);
	for (int q = 0; q < PIPE_COUNT; q++)
		pipe_account(c, q, CAUSE_DRAIN, now);
	c->block = -1;
	c->wait = WAIT_IDLE;
	c->stats.last_cycle = now;
	if (s->end < now)
		s->end = now;
	s->running--;
	for (int i = 0; i < s->n_core; i++)
		if (s->core[i].group == c->group && s->core[i].block >= 0)
			return true;
	if (block_left(s))
		return sim_push(s, now + s->chip->cores.block_switch_cycles, EV_BLOCK, (unsigned)c->group, 0);
	return true;
}

/* ---- the loop ---- */

static bool step(struct sim *s, const struct heap_entry *e)
{
	unsigned core = e->order >> 13 & 0xffff, arg = e->order & 0x1fff;
	switch (e->what) {
	case EV_FLAG: return sync_flag_fire(s, &s->core[core], arg, e->cycle);
	case EV_XFLAG: return sync_cross_fire(s, &s->core[core], arg, e->cycle);
	case EV_PIPE: return pipe_advance(s, &s->core[core], (int)arg, e->cycle);
	case EV_SCALAR: return core_scalar(s, &s->core[core], e->cycle);
	default: return start_group(s, (int)core, e->cycle);
	}
}

/* Everything up to `until`, at most `steps` entries of the heap; *over when nothing is left to happen. */
static bool loop(struct sim *s, int64_t until, uint64_t steps, bool *over)
{
	for (; steps > 0; steps--) {
		int64_t flow = memsys_next(&s->memsys), heap = s->heap_n ? s->heap[0].cycle : MEMSYS_NEVER;
		int64_t now = flow < heap ? flow : heap;
		if (now == MEMSYS_NEVER) {
			*over = true;
			return s->running == 0 || sim_deadlock(s);
		}
		if (now > until || s->pause)
			break;
		s->now = now;
		if (now > s->options.max_cycles) {
			fail_set(&s->fail, FAIL_KERNEL, "the kernel still runs after %lld cycles, the limit",
				 (long long)s->options.max_cycles);
			for (int i = 0; i < s->n_core; i++)
				if (s->core[i].block >= 0) {
					sim_place(s, &s->core[i], s->core[i].scalar.pc, PIPE_S, &s->fail);
					break;
				}
			return fail_hint(&s->fail, "an endless loop? raise the limit with --max-cycles if it is a long kernel");
		}
		/* flags that fire and flows that end come before pipes and scalar units look */
		bool flag_first = s->heap_n && heap == now && s->heap[0].what <= EV_XFLAG;
		if (flow == now && !flag_first) {
			int i = memsys_ended(&s->memsys, now);
			if (i >= 0 && !pipe_flow_end(s, &s->memsys.flow[i], now))
				return false;
			continue;
		}
		struct heap_entry e = heap_pop(s);
		if (!step(s, &e))
			return false;
	}
	s->pause = false;
	return true;
}

/* Close the books: after its last block a core has finished. Every pipe's causes sum to the run's cycles, or the engine
 * is wrong (design D9). */
static bool finish(struct sim *s)
{
	for (int i = 0; i < s->n_core; i++) {
		struct core *c = &s->core[i];
		struct core_stats *st = &c->stats;
		st->rv_insns = st->pipe[PIPE_S].ops = c->scalar.instret;
		st->icache_misses = c->scalar.icache_misses;
		st->dcache_hits = c->scalar.dcache_hits;
		st->dcache_misses = c->scalar.dcache_misses;
		s->rv_insns += st->rv_insns;
		for (int q = 0; q < PIPE_COUNT; q++) {
			int64_t sum = 0;
			if (q == PIPE_ALL)
				continue;
			pipe_account(c, q, st->blocks ? CAUSE_DONE : CAUSE_LAUNCH, s->end);
			for (int k = 0; k < CAUSE_COUNT; k++)
				sum += st->pipe[q].cause[k];
			if (sum != s->end || c->pipe[q].accounted != s->end)
				return fail_set(&s->fail, FAIL_INTERNAL,
						"cycle accounting: pipe %s of core %d has %lld cycles of %lld",
						isa_pipe_name(q), i, (long long)sum, (long long)s->end);
		}
	}
	return true;
}

bool sim_start(struct sim *s, struct fail *f)
{
	bool ok = !s->options.check || check_begin(s->options.check, s);
	int64_t limit = core_limit(s->chip, s->program[0], s->program[1]), first = s->chip->cores.launch_cycles;
	s->waiting = s->n_group;
	for (int g = 0; ok && g < s->n_group; g++)
		ok = sim_push(s, first + g * s->chip->cores.launch_skew_cycles / limit, EV_BLOCK, (unsigned)g, 0);
	if (!ok)
		*f = s->fail;
	return ok;
}

bool sim_advance(struct sim *s, int64_t until, uint64_t steps, bool *over, struct fail *f)
{
	*over = false;
	if (!loop(s, until, steps, over)) {
		*f = s->fail;
		return false;
	}
	if (!*over)
		return true;
	if (s->options.check)
		check_end(s->options.check);
	if (finish(s))
		return true;
	*f = s->fail;
	return false;
}

bool sim_run(struct sim *s, struct fail *f)
{
	bool over = false;
	if (!sim_start(s, f))
		return false;
	while (!over)
		if (!sim_advance(s, INT64_MAX, UINT64_MAX, &over, f))
			return false;
	return true;
}
