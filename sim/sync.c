/*
 * sync.c - flags between the pipes of a core, and counters between cores.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>

void sync_reset(struct core *c)
{
	memset(c->flag, 0, sizeof c->flag);
}

/* Where a pipe stands on the way of data: a flag from a later pipe to an earlier one hands a buffer back. */
static int rank(int pipe)
{
	static const int of[PIPE_COUNT] = { [PIPE_S] = 1, [PIPE_MTE2] = 0, [PIPE_MTE1] = 1, [PIPE_M] = 2, [PIPE_V] = 3,
					    [PIPE_FIX] = 4, [PIPE_MTE3] = 4 };
	return of[pipe];
}

bool sync_hands_back(int src, int dst) { return rank(src) > rank(dst); }

/* A wait_flag takes its flag; false when it is not there yet. */
bool sync_flag_take(const struct sim *s, struct flag *flag, int src, int dst)
{
	const struct what_if *w = s->options.what_if;
	if (flag->set) {
		flag->set = flag->more > 0;
		flag->more -= flag->set;
		return true;
	}
	if (!w || flag->owed >= w->buffers[src][dst])
		return false;
	flag->owed++;
	return true;
}

bool sync_barrier_off(const struct sim *s, const struct core *c, uint64_t pc)
{
	const struct what_if *w = s->options.what_if;
	int program = c->program == s->program[0] ? 0 : 1;
	for (int i = 0; i < w->n_off; i++)
		if (w->off[i].pc == pc && w->off[i].program == program)
			return true;
	return w->no_barriers;
}

const char *sync_event_text(int number, char *text, size_t size)
{
	static const char *const memory[SIM_FLAG_MEMORIES] = { "L1", "L0A", "L0B", "L0C", "UB", "BT" };
	int tied = number >> 3;
	if (tied > 0 && tied <= SIM_FLAG_MEMORIES)
		snprintf(text, size, "event %d of %s", number & 7, memory[tied - 1]);
	else
		snprintf(text, size, "event %d", number);
	return text;
}

/* A set_flag takes effect. code = src | dst << 3 | event << 6. */
bool sync_flag_fire(struct sim *s, struct core *c, unsigned code, int64_t now)
{
	int src = code & 7, dst = code >> 3 & 7, id = (int)(code >> 6);
	struct flag *flag = &c->flag[src][dst][id];
	if (flag->owed > 0) {
		flag->owed--;
		return true;
	}
	if (flag->set && s->options.what_if && s->options.what_if->more_buffers) {
		flag->more++;
		return true;
	}
	char event[32];
	if (flag->set && s->options.check) {
		check_flag_twice(s->options.check, c, src, dst, id);
		return true;
	}
	if (flag->set) {
		sim_fail(s, c, FAIL_KERNEL, flag->setter_pc, src,
			 "flag %s -> %s, %s is set again before anything waited for it: one set is lost",
			 isa_pipe_name(src), isa_pipe_name(dst), sync_event_text(id, event, sizeof event));
		return fail_hint(&s->fail, "pair every set_flag with one wait_flag, or use another event id");
	}
	flag->set = true;
	flag->cycle = now;
	if (dst == PIPE_S) {
		if (c->wait == WAIT_FLAG && c->wait_pipe == src && c->wait_event == id)
			return core_wake(s, c, WAIT_FLAG, now);
		return true;
	}
	return pipe_advance(s, c, dst, now);
}

/* Members of the set that a cross-core mode joins: mode 0 all cores of the kind, 1 the vector cores of the group,
 * 2 the group. A core counts from the launch on, started or not, returned or not: the barrier needs it. */
static bool joined(const struct core *a, const struct core *b, unsigned mode)
{
	if (mode == 0)
		return a->kind == b->kind;
	return a->group == b->group && (mode == 2 || (a->kind == b->kind));
}

static bool cross_deliver(struct sim *s, const struct core *from, struct core *to, unsigned id, int64_t now)
{
	to->xby[id].core = from->id;
	to->xby[id].pipe = from->last_xset_pipe;
	to->xby[id].seq = from->last_xset;
	return sim_push(s, now + s->chip->sync.cross_core_cycles, EV_XFLAG, (unsigned)to->id, id);
}

/* Sources: asc-devkit CrossCoreSetFlag page and sync implementation notes. Mode 0 and 1: everybody's counter rises when
 * all have set. Mode 2: the cube core's set raises both vector cores; both vector cores' sets raise the cube core. */
bool sync_cross_set(struct sim *s, struct core *c, uint64_t config, int64_t now)
{
	unsigned mode = (unsigned)ffts_mode(config), id = (unsigned)ffts_flag_id(config);
	if (mode == 2 && c->kind == CORE_CUBE) {
		for (int i = 0; i < s->n_core; i++)
			if (s->core[i].kind == CORE_VEC && joined(c, &s->core[i], 2) &&
			    !cross_deliver(s, c, &s->core[i], id, now))
				return false;
		return true;
	}
	c->xset[mode][id]++;
	for (int i = 0; i < s->n_core; i++) {
		const struct core *o = &s->core[i];
		if (o->kind == c->kind && joined(c, o, mode) && o->xset[mode][id] == 0)
			return true; /* somebody is still missing */
	}
	for (int i = 0; i < s->n_core; i++) {
		struct core *o = &s->core[i];
		if (!joined(c, o, mode))
			continue;
		if (o->kind == c->kind)
			o->xset[mode][id]--;
		bool receives = mode == 2 ? o->kind == CORE_CUBE : o->kind == c->kind;
		if (receives && !cross_deliver(s, c, o, id, now))
			return false;
	}
	return true;
}

bool sync_cross_fire(struct sim *s, struct core *c, unsigned id, int64_t now)
{
	if (++c->xflag[id] > s->chip->sync.cross_core_max)
		return sim_fail(s, c, FAIL_KERNEL, c->scalar.pc, PIPE_S,
				"cross-core flag %u of core %d exceeds its largest count %d", id, c->id,
				(int)s->chip->sync.cross_core_max);
	if (c->wait == WAIT_CROSS && c->wait_event == (int)id)
		return core_wake(s, c, WAIT_CROSS, now);
	return true;
}

/* Flags that nobody waited for when the block ended: they would leak into the next kernel on the core. */
bool sync_leftover(struct core *c, char *text, size_t size)
{
	for (int src = 0; src < PIPE_COUNT; src++)
		for (int dst = 0; dst < PIPE_COUNT; dst++)
			for (int id = 0; id < SIM_EVENT_IDS; id++)
				if (c->flag[src][dst][id].set) {
					char line[160], event[32];
					program_line(c->program, c->flag[src][dst][id].setter_pc, line, sizeof line);
					snprintf(text, size, "flag %s -> %s, %s, set at %s, was still set when block %d ended",
						 isa_pipe_name(src), isa_pipe_name(dst), sync_event_text(id, event, sizeof event),
						 line, c->block);
					return true;
				}
	return false;
}
