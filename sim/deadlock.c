/*
 * deadlock.c - nothing can happen any more and blocks still run: say who waits for what, and which set never came.
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

static void say_pipe(const struct core *c, int p, struct text *t)
{
	const struct op *op = head_of(&c->pipe[p]);
	char line[160], event[32];
	if (!op)
		return;
	program_line(c->program, op->pc, line, sizeof line);
	if (isa_table[op->insn].form == FORM_WAITFLAG)
		add(t, "; pipe %s waits at %s for flag %s -> %s, %s, which nobody sets", isa_pipe_name(p), line,
		    isa_pipe_name(op->flag_src), isa_pipe_name(op->flag_dst), sync_event_text(op->event_id, event,
			sizeof event));
	else
		add(t, "; pipe %s is held at %s by %s", isa_pipe_name(p), line, isa_table[op->insn].name);
}

static void say_core(const struct core *c, struct text *t)
{
	char line[160], event[32];
	program_line(c->program, c->scalar.pc, line, sizeof line);
	add(t, "core %d (block %d): ", c->id, c->block);
	switch (c->wait) {
	case WAIT_QUEUE: add(t, "the scalar unit waits at %s for room in the queue of %s", line, isa_pipe_name(c->wait_pipe));
		break;
	case WAIT_FLAG:
		add(t, "the scalar unit waits at %s for flag %s -> S, %s, which nobody sets", line,
		    isa_pipe_name(c->wait_pipe), sync_event_text(c->wait_event, event, sizeof event));
		break;
	case WAIT_CROSS: add(t, "the scalar unit waits at %s for cross-core flag %d", line, c->wait_event); break;
	case WAIT_BARRIER: add(t, "the scalar unit waits at %s in pipe_barrier(PIPE_ALL)", line); break;
	default: add(t, "the kernel has returned, its pipes are not empty"); break;
	}
	for (int p = 0; p < PIPE_COUNT; p++)
		say_pipe(c, p, t);
}

bool sim_deadlock(struct sim *s)
{
	char what[sizeof s->fail.what];
	struct text t = { what, sizeof what };
	int stuck = 0, first = -1;
	for (int i = 0; i < s->n_core; i++)
		if (s->core[i].block >= 0) {
			stuck++;
			if (first < 0)
				first = i;
		}
	add(&t, "deadlock: %d of %d cores wait for ever; ", stuck, s->n_core);
	say_core(&s->core[first], &t);
	fail_set(&s->fail, FAIL_KERNEL, "%s", what);
	const struct core *c = &s->core[first];
	int pipe = PIPE_S;
	uint64_t pc = c->scalar.pc;
	for (int p = 0; p < PIPE_COUNT && pipe == PIPE_S; p++) {
		const struct op *op = head_of(&c->pipe[p]);
		if (op && isa_table[op->insn].form == FORM_WAITFLAG) {
			pipe = p;
			pc = op->pc;
		}
	}
	sim_place(s, &s->core[first], pc, pipe, &s->fail);
	return fail_hint(&s->fail, "every wait_flag needs a set_flag with the same pipes and event id that can run before it");
}
