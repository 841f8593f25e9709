/*
 * why_collect.c - from events and holds to counters per static instruction and one step per executed one. Nothing is
 * allocated per event: rings grow by doubling up to their limit.
 */
#include "why_guard.h"

#include "cube.h"
#include "mte.h"

#include <stdlib.h>
#include <string.h>

#define NO_WORD UINT32_MAX

int why_program(const struct sim *s, int core)
{
	return s->core[core].program == s->program[0] ? 0 : 1;
}

bool why_open(struct why *w, const struct sim *s, uint64_t max_steps, struct fail *f)
{
	memset(w, 0, sizeof *w);
	w->sim = s;
	w->steps_per_core = (max_steps ? max_steps : WHY_STEPS) / (uint64_t)(s->n_core ? s->n_core : 1);
	if (w->steps_per_core < 16)
		w->steps_per_core = 16;
	w->core = calloc((size_t)s->n_core + 1, sizeof *w->core);
	for (int i = 0; i < 2; i++)
		if (s->program[i])
			w->site[i] = calloc(s->program[i]->n_insn + 1, sizeof *w->site[i]);
	bool ok = w->core && (!s->program[0] || w->site[0]) && (!s->program[1] || w->site[1]);
	for (int i = 0; ok && i < s->n_core; i++)
		ok = (w->core[i].guard = calloc(PIPE_COUNT, sizeof *w->core[i].guard)) != NULL;
	for (int i = 0; ok && i < s->n_core; i++)
		for (int p = 0; p < PIPE_COUNT; p++)
			w->core[i].guard[p].word = NO_WORD;
	for (int i = 0; ok && i < 2; i++)
		for (uint32_t k = 0; s->program[i] && k < s->program[i]->n_insn; k++)
			w->site[i][k].releaser = NO_WORD;
	if (ok)
		return true;
	why_close(w);
	return fail_set(f, FAIL_INTERNAL, "no memory for the analysis of the run");
}

void why_close(struct why *w)
{
	for (int i = 0; w->core && i < w->sim->n_core; i++) {
		free(w->core[i].step);
		free(w->core[i].hold);
		free(w->core[i].guard);
	}
	free(w->core);
	free(w->site[0]);
	free(w->site[1]);
	memset(w, 0, sizeof *w);
}

/* Room for number n (from 0) in a ring that doubles up to max entries. A ring that has wrapped does not grow. */
static bool grow(void **ring, uint64_t *size, uint64_t n, uint64_t max, size_t bytes)
{
	uint64_t more = *size ? *size : 256;
	if (n < *size || *size >= max)
		return *size > 0;
	while (more <= n && more < max)
		more *= 2;
	more = more > max ? max : more;
	void *p = realloc(*ring, more * bytes);
	if (!p)
		return *size > 0; /* the path gets shorter */
	memset((char *)p + *size * bytes, 0, (more - *size) * bytes);
	*ring = p;
	*size = more;
	return true;
}

const struct why_step *why_step_at(const struct why *w, int core, uint64_t seq)
{
	const struct why_core *c = &w->core[core];
	if (seq == 0 || c->size == 0)
		return NULL;
	const struct why_step *s = &c->step[seq % c->size];
	return s->seq == (uint32_t)seq ? s : NULL;
}

static int32_t distance(uint64_t seq, uint64_t to)
{
	int64_t d = (int64_t)(seq - to);
	return to == 0 || d > INT32_MAX || d < -INT32_MAX ? 0 : (int32_t)d;
}

static uint32_t small(int64_t v) { return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : (uint32_t)v; }

static void vote(struct why_site *site, uint32_t word, int64_t cycles)
{
	if (site->releaser == word)
		site->releaser_vote += cycles;
	else if ((site->releaser_vote -= cycles) < 0) {
		site->releaser = word;
		site->releaser_vote = -site->releaser_vote;
	}
}

/* ---- guards: does a barrier keep anything apart? ---- */

static bool meets(const struct why_span *set, int n, const struct why_span *s)
{
	if (n > WHY_GUARDS)
		return true;
	for (int i = 0; i < n; i++)
		if (set[i].space == s->space && (set[i].write || s->write) && set[i].from < s->to &&
		    s->from < set[i].to)
			return true;
	return false;
}

static struct why_span span_of(const struct access *a)
{
	int64_t low = 0, high = a->unit_bytes;
	for (int i = 0; i < 3; i++) {
		int64_t reach = a->stride[i] * ((int64_t)a->n[i] - 1);
		*(reach < 0 ? &low : &high) += reach;
	}
	return (struct why_span){ a->addr + (uint64_t)low, a->addr + (uint64_t)high, a->space, a->write };
}

static void guard_work(struct why_guard *g, struct why_site *sites, const struct effect *x)
{
	for (int i = 0; i < x->n_access; i++) {
		struct why_span s = span_of(&x->access[i]);
		if (g->word != NO_WORD && !g->counted && meets(g->before, g->n_before, &s)) {
			g->counted = true;
			sites[g->word].guards++;
		}
		if (g->n_behind < WHY_GUARDS)
			g->behind[g->n_behind++] = s;
		else
			g->n_behind = WHY_GUARDS + 1;
	}
}

static void guard_barrier(struct why_guard *g, uint32_t word)
{
	/* what the last barrier did not have to keep apart, this one may */
	if (g->counted || g->word == NO_WORD)
		g->n_before = 0;
	for (int i = 0; i < g->n_behind; i++) {
		if (g->n_before >= WHY_GUARDS || g->n_behind > WHY_GUARDS) {
			g->n_before = WHY_GUARDS + 1;
			break;
		}
		g->before[g->n_before++] = g->behind[i];
	}
	g->n_behind = 0;
	g->word = word;
	g->counted = false;
}

/* ---- counters ---- */

static int64_t path_rate(const struct chip *chip, const struct effect *x)
{
	enum isa_space local = SPACE_NONE;
	for (int i = 0; i < x->n_access; i++)
		if (x->access[i].space != SPACE_GM)
			local = x->access[i].space;
	switch (local) {
	case SPACE_UB: return x->gm.write ? chip->gm.ub_out_rate : chip->gm.to_ub_rate;
	case SPACE_L1: return x->gm.write ? chip->gm.l1_out_rate : chip->gm.to_l1_rate;
	case SPACE_L0C: return chip->gm.fix_out_rate;
	default: return chip->gm.to_l0_rate;
	}
}

/* Rows of ND to NZ and of the fixpipe are cut by where they begin (memsys.c). */
static bool by_block(const struct op *op, const struct effect *x)
{
	enum isa_time time = isa_table[op->insn].time;
	bool within = x->gm.addr % MEM_BLOCK_BYTES != 0 ||
		      (x->gm.n_burst > 1 && x->gm.burst_pitch % MEM_BLOCK_BYTES != 0);
	return within && (time == TIME_nd2nz || time == TIME_fixpipe);
}

static void count_transfer(const struct why *w, struct why_site *s, const struct op *op, const struct effect *x)
{
	const struct chip *chip = w->sim->chip;
	int64_t rate = path_rate(chip, x);
	s->bursts += x->gm.n_burst;
	s->burst_bytes += x->gm.bytes;
	s->odd += x->gm.addr % (uint64_t)chip->gm.l2_line != 0 ||
		  (x->gm.n_burst > 1 && x->gm.burst_pitch % chip->gm.l2_line != 0);
	s->by_block += by_block(op, x);
	s->ideal += rate ? (int64_t)x->gm.bytes * 1000 / rate : 0;
}

static void keep_operands(struct why_site *s, const struct effect *x)
{
	for (int i = 0; i < x->n_access && s->n_operand < WHY_OPERANDS; i++)
		if (x->access[i].space == SPACE_UB) {
			s->operand[s->n_operand].addr = (uint32_t)x->access[i].addr;
			s->operand[s->n_operand++].write = x->access[i].write;
		}
}

static void count(struct why *w, struct why_site *s, const struct event *e)
{
	const struct op *op = e->op;
	const struct effect *x = e->effect;
	int64_t arrived = op->arrived < e->start ? op->arrived : e->start;
	int64_t ready = e->stall_begin > arrived ? e->stall_begin : arrived;
	s->pipe = op->pipe;
	s->calls++;
	s->issue += op->issue_cycles;
	s->empty += ready - e->stall_begin;
	s->stall += e->start - ready;
	s->cause = (uint8_t)e->cause;
	s->bank += e->extra_bank;
	s->bandwidth += e->extra_bandwidth;
	s->busy += e->issue_end - e->start - e->extra_bank - e->extra_bandwidth;
	s->bytes += x->bytes;
	s->macs += op->pipe == PIPE_M ? x->macs : 0;
	s->repeats += x->repeats;
	if (x->gm.any)
		count_transfer(w, s, op, x);
	if (e->extra_bank > 0 && s->n_operand == 0)
		keep_operands(s, x);
	if (op->pipe == PIPE_M && x->macs && s->tile[0] == 0) {
		s->tile[0] = (uint32_t)mad_m(op->x[3]);
		s->tile[1] = (uint32_t)mad_n(op->x[3]);
		s->tile[2] = (uint32_t)mad_k(op->x[3]);
	}
}

static void count_flag(struct why *w, int program, const struct op *op, int64_t stall)
{
	struct why_pair *p = &w->pair[program][op->flag_src][op->flag_dst];
	p->ids |= UINT64_C(1) << op->event_id % 64;
	if (isa_table[op->insn].form != FORM_WAITFLAG)
		return;
	p->waits++;
	p->cycles += stall;
}

/* ---- steps ---- */

static void decide_start(const struct why_core *c, struct why_step *st, const struct event *e, int64_t previous_end)
{
	uint64_t seq = e->op->seq;
	if (e->start <= previous_end) {
		st->why = START_PIPE;
		st->back = distance(seq, c->previous[st->pipe]);
	} else if (e->start <= e->op->arrived) {
		st->why = START_ARRIVED;
	} else if (isa_table[e->op->insn].form == FORM_WAITFLAG) {
		st->why = e->releaser ? START_FLAG : START_SCALAR_FLAG;
		st->back = distance(seq, e->releaser);
	} else {
		/* a barrier waits for its own pipe, a unit flag for the other user of L0C */
		int other = e->cause != CAUSE_UNIT_FLAG ? st->pipe : st->pipe == PIPE_M ? PIPE_FIX : PIPE_M;
		st->why = START_DRAINED;
		st->back = distance(seq, other == st->pipe ? c->done[other].seq : c->previous[other]);
	}
}

static void keep_step(struct why *w, struct why_core *c, const struct event *e, uint32_t word)
{
	uint64_t seq = e->op->seq;
	uint8_t pipe = e->op->pipe;
	void *ring = c->step;
	bool room = grow(&ring, &c->size, seq > c->newest ? seq : c->newest, w->steps_per_core, sizeof *c->step);
	c->step = ring;
	if (!room) {
		w->short_of_memory = true;
		return;
	}
	const struct why_step *previous = why_step_at(w, e->core, c->previous[pipe]);
	struct why_step st = { .start = e->start, .seq = (uint32_t)seq, .word = word, .pipe = pipe,
		.busy = small(e->issue_end - e->start), .latency = small(e->end - e->issue_end),
		.slow_bank = small(e->extra_bank), .slow_shared = small(e->extra_bandwidth),
		.issue = small(e->op->issue_cycles), .icache = (uint32_t)e->op->stall_icache, .dcache =
		(uint32_t)e->op->stall_dcache };
	decide_start(c, &st, e, previous ? previous->start + previous->busy : -1);
	if (isa_table[e->op->insn].form == FORM_SETFLAG && c->done[pipe].end > e->start)
		st.done_back = distance(seq, c->done[pipe].seq);
	if (seq > c->newest)
		c->newest = seq;
	c->step[seq % c->size] = st;
	c->previous[pipe] = seq;
	if (e->end >= c->done[pipe].end) {
		c->done[pipe].end = e->end;
		c->done[pipe].seq = seq;
	}
}

void why_event(void *why, const struct event *e)
{
	struct why *w = why;
	int program = why_program(w->sim, e->core);
	uint32_t word = (uint32_t)((e->op->pc - w->sim->program[program]->text_addr) / 4);
	struct why_site *s = &w->site[program][word];
	struct why_core *c = &w->core[e->core];
	unsigned form = isa_table[e->op->insn].form;
	int64_t stall = s->stall;
	count(w, s, e);
	stall = s->stall - stall;
	if (form == FORM_SETFLAG || form == FORM_WAITFLAG)
		count_flag(w, program, e->op, stall);
	else if (form == FORM_BARRIER)
		guard_barrier(&c->guard[e->op->pipe], word);
	else
		guard_work(&c->guard[e->op->pipe], w->site[program], e->effect);
	keep_step(w, c, e, word);
	if (stall > 0) {
		const struct why_step *st = why_step_at(w, e->core, e->op->seq);
		const struct why_step *by = st && st->back ? why_step_at(w, e->core,
				e->op->seq - (uint64_t)(int64_t)st->back) : NULL;
		vote(s, by ? by->word : NO_WORD, stall);
	}
}

void why_hold(void *why, const struct hold *h)
{
	struct why *w = why;
	if (h->cause == CAUSE_ICACHE || h->cause == CAUSE_DCACHE)
		return; /* each step has its core's misses until then */
	struct why_core *c = &w->core[h->core];
	const struct scalar *sc = &w->sim->core[h->core].scalar;
	int program = why_program(w->sim, h->core);
	const struct program *p = w->sim->program[program];
	uint64_t word = (h->pc - p->text_addr) / 4, max = w->steps_per_core;
	struct why_hold r = { .from = h->from, .to = h->to, .releaser = h->releaser, .cause = (uint8_t)h->cause,
		.releaser_pipe = h->releaser_pipe, .releaser_core = (uint16_t)h->releaser_core,
		.word = word < p->n_insn ? (uint32_t)word : NO_WORD, .icache = (uint32_t)sc->stall_icache,
		.dcache = (uint32_t)sc->stall_dcache };
	if (h->cause == CAUSE_BARRIER || h->cause == CAUSE_DRAIN)
		for (int q = 0; q < PIPE_COUNT; q++)
			if (c->done[q].seq && (r.releaser == 0 || c->done[q].end > c->done[r.releaser_pipe].end)) {
				r.releaser = c->done[q].seq;
				r.releaser_pipe = (uint8_t)q;
			}
	if (r.word != NO_WORD && h->cause != CAUSE_LAUNCH) {
		struct why_site *s = &w->site[program][r.word];
		s->held += h->to - h->from;
		s->hold_cause = r.cause;
		/* an instruction that never reaches a pipe: the scalar unit's own waits and barriers */
		if (h->cause != CAUSE_QUEUE && h->cause != CAUSE_DRAIN) {
			const struct why_step *by = why_step_at(w, h->core, r.releaser);
			vote(s, by ? by->word : NO_WORD, h->to - h->from);
		}
	}
	void *ring = c->hold;
	bool room = grow(&ring, &c->hold_size, c->n_hold, max, sizeof *c->hold);
	c->hold = ring;
	if (room)
		c->hold[c->n_hold++ % c->hold_size] = r;
}
