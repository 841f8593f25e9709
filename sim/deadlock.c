/*
 * deadlock.c - nothing can happen any more and blocks still run: who waits for whom, from the first stuck wait along to where
 * the chain closes to a cycle or ends at a set that never came.
 */
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct text { char *at; size_t left; };

static void add(struct text *t, const char *fmt, ...) SIM_PRINTF(2, 3);
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(t->at, t->left, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < t->left) {
		t->at += n;
		t->left -= (size_t)n;
	}
}

static const struct op *head_of(const struct pipe *pp)
{
	return pp->count > 0 ? &pp->queue[pp->head] : NULL;
}

/* One that waits: a pipe of a core, or its scalar unit (PIPE_S). */
struct unit { struct core *c; int pipe; };

static struct op *in_queue(struct core *c, int pipe, int i)
{
	struct pipe *pp = &c->pipe[pipe];
	return &pp->queue[(pp->head + i) % (pp->depth + 2)];
}

/* A set of this flag that stands in the queue of its source pipe. */
static const struct op *queued_set(struct core *c, int src, int dst, int id)
{
	for (int i = 0; src != PIPE_S && i < c->pipe[src].count; i++) {
		const struct op *op = in_queue(c, src, i);
		if (isa_table[op->insn].form == FORM_SETFLAG && op->flag_dst == dst && op->event_id == id)
			return op;
	}
	return NULL;
}

/* The innermost line alone: a chain of waits with all that was inlined around each would not be read. */
static const char *at_line(const struct core *c, uint64_t pc, char line[160])
{
	program_line(c->program, pc, line, 160);
	line[strcspn(line, ",")] = 0;
	return line;
}

/* A set of the same two pipes under another event id that nobody took: most likely the one that was meant. */
static void say_other_id(const struct core *c, int src, int dst, int id, struct text *t)
{
	char line[160];
	for (int other = 0; other < SIM_EVENT_IDS; other++)
		if (other != id && c->flag[src][dst][other].set) {
			add(t, " (event %d of the same pipes was set at %s and nobody waits for it)", other,
			    at_line(c, c->flag[src][dst][other].setter_pc, line));
			return;
		}
}

/* Who has to go on so that this flag is set; pipe -1 when no set can come any more. */
static struct unit say_flag(struct core *c, int src, int dst, int id, struct text *t)
{
	char line[160], event[32];
	const struct op *set = queued_set(c, src, dst, id);
	add(t, "for flag %s -> %s, %s, ", isa_pipe_name((enum isa_pipe)src), isa_pipe_name((enum isa_pipe)dst),
	    sync_event_text(id, event, sizeof event));
	if (set) {
		add(t, "whose set (%s) stands in the queue of %s", at_line(c, set->pc, line), isa_pipe_name((enum isa_pipe)src));
		return (struct unit){ c, src };
	}
	add(t, "which nobody sets");
	say_other_id(c, src, dst, id, t);
	if (c->wait == WAIT_DRAIN)
		return (struct unit){ c, -1 };
	add(t, " before the scalar unit goes on");
	return (struct unit){ c, dst == PIPE_S ? -1 : PIPE_S };
}

static struct unit say_cross(struct sim *s, struct core *c, struct text *t)
{
	int id = c->wait_event, said = 0;
	add(t, "for cross-core flag %d", id);
	for (int mode = 0; mode < 3; mode++) {
		bool any = false;
		for (int i = 0; i < s->n_core; i++)
			any |= s->core[i].xset[mode][id] > 0;
		for (int i = 0; any && i < s->n_core; i++) {
			const struct core *o = &s->core[i];
			bool member = mode == 2 ? o->group == c->group && o->kind != c->kind : o->kind == c->kind;
			if (member && o->xset[mode][id] == 0 && said++ < 4)
				add(t, "%s core %d%s", said == 1 ? ", not set by" : ",", i,
				    o->block < 0 ? " (which has ended)" : "");
		}
	}
	for (int i = 0; i < s->n_core; i++)
		if (&s->core[i] != c && s->core[i].block >= 0 && s->core[i].wait != WAIT_NONE && s->core[i].xset[0][id] == 0 &&
		    !(s->core[i].wait == WAIT_CROSS && s->core[i].wait_event == id))
			return (struct unit){ &s->core[i], PIPE_S };
	return (struct unit){ c, -1 };
}

static struct unit say_scalar(struct sim *s, struct core *c, struct text *t)
{
	char line[160];
	if (c->wait == WAIT_DRAIN)
		add(t, "the kernel has returned, its pipes are not empty");
	else
		add(t, "the scalar unit waits at %s ", at_line(c, c->scalar.pc, line));
	switch (c->wait) {
	case WAIT_QUEUE:
		add(t, "for room in the queue of %s", isa_pipe_name((enum isa_pipe)c->wait_pipe));
		return (struct unit){ c, c->wait_pipe };
	case WAIT_FLAG: return say_flag(c, c->wait_pipe, PIPE_S, c->wait_event, t);
	case WAIT_CROSS: return say_cross(s, c, t);
	case WAIT_BARRIER: add(t, "in pipe_barrier(PIPE_ALL)"); break;
	default: break;
	}
	for (int p = 0; p < PIPE_COUNT; p++)
		if (head_of(&c->pipe[p]))
			return (struct unit){ c, p };
	return (struct unit){ c, -1 };
}

static struct unit say_unit(struct sim *s, struct unit u, struct text *t)
{
	char line[160];
	const struct op *op = u.pipe == PIPE_S ? NULL : head_of(&u.c->pipe[u.pipe]);
	if (u.pipe == PIPE_S)
		return say_scalar(s, u.c, t);
	if (!op)
		return (struct unit){ u.c, -1 };
	if (isa_table[op->insn].form == FORM_WAITFLAG) {
		add(t, "pipe %s waits at %s ", isa_pipe_name((enum isa_pipe)u.pipe), at_line(u.c, op->pc, line));
		return say_flag(u.c, op->flag_src, op->flag_dst, op->event_id, t);
	}
	if (unitflag_mode(op)) {
		int other = u.pipe == PIPE_M ? PIPE_FIX : PIPE_M;
		add(t, "pipe %s waits at %s for the unit flags of its L0C blocks, which %s must change",
		    isa_pipe_name((enum isa_pipe)u.pipe), at_line(u.c, op->pc, line), isa_pipe_name((enum isa_pipe)other));
		return (struct unit){ u.c, head_of(&u.c->pipe[other]) ? other : PIPE_S };
	}
	add(t, "pipe %s is held at %s by %s", isa_pipe_name((enum isa_pipe)u.pipe), at_line(u.c, op->pc, line),
	    isa_table[op->insn].name);
	return (struct unit){ u.c, -1 };
}

/* Where to begin: a pipe that waits for a flag, else the scalar unit of the first stuck core. */
static struct unit first_of(struct core *c)
{
	for (int p = 0; p < PIPE_COUNT; p++) {
		const struct op *op = head_of(&c->pipe[p]);
		if (op && isa_table[op->insn].form == FORM_WAITFLAG)
			return (struct unit){ c, p };
	}
	return (struct unit){ c, PIPE_S };
}

bool sim_deadlock(struct sim *s)
{
	enum { LONGEST = 12 };
	char what[sizeof s->fail.what];
	struct text t = { what, sizeof what };
	struct unit chain[LONGEST];
	struct core *first = NULL;
	int stuck = 0, n = 0, again = -1;
	for (int i = 0; i < s->n_core; i++)
		if (s->core[i].block >= 0) {
			stuck++;
			if (!first)
				first = &s->core[i];
		}
	add(&t, "deadlock: %d of %d cores wait for ever; core %d (block %d): ", stuck, s->n_core, first->id, first->block);
	struct unit u = first_of(first);
	while (u.pipe >= 0 && n < LONGEST && again < 0) {
		for (int i = 0; i < n; i++)
			if (chain[i].c == u.c && chain[i].pipe == u.pipe)
				again = i;
		if (again >= 0)
			break;
		if (n > 0)
			add(&t, "; ");
		if (n > 0 && chain[n - 1].c != u.c)
			add(&t, "core %d (block %d): ", u.c->id, u.c->block);
		chain[n++] = u;
		u = say_unit(s, u, &t);
	}
	if (again >= 0)
		add(&t, "; there the cycle closes");
	fail_set(&s->fail, FAIL_KERNEL, "%s", what);
	/* a core whose kernel has returned is at no line: the pipe that still holds something is */
	u = n > 1 && chain[0].pipe == PIPE_S && chain[0].c->wait == WAIT_DRAIN ? chain[1] : chain[0];
	sim_place(s, u.c, u.pipe == PIPE_S ? u.c->scalar.pc : head_of(&u.c->pipe[u.pipe])->pc, u.pipe, &s->fail);
	if (u.c->wait == WAIT_CROSS && s->blocks > s->n_group)
		return fail_hint(&s->fail, "cores that wait for each other must run at once: launch at most one block per core");
	if (u.c->wait == WAIT_CROSS && u.pipe != PIPE_S)
		return fail_hint(&s->fail, "either this wait_flag lacks a set_flag with the same pipes and event id before it, "
				 "or the cross-core flag is missing: it counts when every core that its mode joins has set it");
	if (u.c->wait == WAIT_CROSS)
		return fail_hint(&s->fail, "a cross-core flag counts when every core that its mode joins has set it");
	return fail_hint(&s->fail, "every wait_flag needs a set_flag with the same pipes and event id that can run before it");
}
