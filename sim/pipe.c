/*
 * pipe.c - the in-order queue of one pipe: when its head may start, what starting does, and where its cycles went.
 */
#include "check.h"

#include <string.h>

static struct op *queue_at(struct pipe *pp, int i) { return &pp->queue[(pp->head + i) % (pp->depth + 2)]; }

void pipe_account(struct core *c, int p, enum cause cause, int64_t until)
{
	struct pipe *pp = &c->pipe[p];
	if (p != PIPE_ALL && until > pp->accounted) {
		c->stats.pipe[p].cause[cause] += until - pp->accounted;
		pp->accounted = until;
	}
}

static bool wake(struct sim *s, struct core *c, int p, int64_t cycle)
{
	struct pipe *pp = &c->pipe[p];
	if (pp->wake_at >= 0 && pp->wake_at <= cycle)
		return true;
	pp->wake_at = cycle;
	return sim_push(s, cycle, EV_PIPE, (unsigned)c->id, (unsigned)p);
}

bool pipe_push(struct sim *s, struct core *c, const struct op *op)
{
	struct pipe *pp = &c->pipe[op->pipe];
	*queue_at(pp, pp->count++) = *op;
	s->ops++;
	s->insn_count[op->insn]++;
	c->stats.pipe[op->pipe].ops++;
	/* behind an older op the queue's own progress wakes this one */
	return pp->count > 1 || wake(s, c, op->pipe, op->arrived);
}

static void emit(struct sim *s, struct core *c, const struct op *op, const struct effect *e, struct event ev)
{
	if (!s->options.on_event)
		return;
	ev.op = op;
	ev.effect = e;
	ev.core = c->id;
	ev.block = c->block;
	s->options.on_event(s->options.user, &ev);
}

/* Cycles before `now` belong to the empty queue until the op arrived, then to `cause`. Returns where the stall began. */
static int64_t account_stall(struct core *c, const struct op *op, enum cause cause, int64_t now)
{
	struct pipe *pp = &c->pipe[op->pipe];
	int64_t begin = pp->accounted;
	pipe_account(c, op->pipe, CAUSE_EMPTY, op->arrived < now ? op->arrived : now);
	pipe_account(c, op->pipe, cause, now);
	return begin;
}

static void pop(struct pipe *pp, int64_t free_at)
{
	pp->head = (pp->head + 1) % (pp->depth + 2);
	pp->count--;
	pp->free_at = free_at;
}

/* A sync op leaves the queue: it took `cycles` of issue, after waiting for `cause`. */
static void sync_issue(struct sim *s, struct core *c, const struct op *op, enum cause cause, int64_t now, int64_t cycles,
		       int releaser_pipe, uint64_t releaser)
{
	struct pipe *pp = &c->pipe[op->pipe];
	static const struct effect nothing;
	int64_t begin = account_stall(c, op, cause, now);
	pipe_account(c, op->pipe, CAUSE_SYNC, now + cycles);
	pp->last_seq = op->seq;
	emit(s, c, op, &nothing, (struct event){ .stall_begin = begin, .start = now, .issue_end = now + cycles,
		.end = now + cycles, .cause = cause, .releaser_pipe = (uint8_t)releaser_pipe, .releaser = releaser });
	pop(pp, now + cycles);
}

static enum cause flag_cause(int pipe)
{
	static const enum cause of[PIPE_COUNT] = {
		[PIPE_S] = CAUSE_FLAG_S, [PIPE_V] = CAUSE_FLAG_V, [PIPE_MTE1] = CAUSE_FLAG_MTE1, [PIPE_MTE2] = CAUSE_FLAG_MTE2,
		[PIPE_MTE3] = CAUSE_FLAG_MTE3, [PIPE_M] = CAUSE_FLAG_M, [PIPE_FIX] = CAUSE_FLAG_FIX,
	};
	return of[pipe];
}

/* The head op is a flag, a barrier or a cross-core set. *stop: it cannot go yet. */
static bool start_sync(struct sim *s, struct core *c, struct pipe *pp, const struct op *op, int64_t now, bool *stop)
{
	const struct chip *chip = s->chip;
	*stop = false;
	switch (isa_table[op->insn].form) {
	case FORM_WAITFLAG: {
		struct flag *flag = &c->flag[op->flag_src][op->flag_dst][op->event_id];
		if (!sync_flag_take(s, flag, op->flag_src, op->flag_dst)) {
			*stop = true; /* the set's firing wakes this pipe */
			return true;
		}
		if (s->options.check)
			check_flag_wait(s->options.check, c, op, now - (op->arrived > pp->free_at ? op->arrived : pp->free_at));
		sync_issue(s, c, op, flag_cause(op->flag_src), now, chip->sync.wait_cycles, op->flag_src, flag->setter_seq);
		return true;
	}
	case FORM_SETFLAG: {
		/* posted: later ops of this pipe do not wait for it */
		int64_t fire = (pp->done_at > now ? pp->done_at : now) + chip->sync.set_cycles + chip->sync.flag_cycles;
		struct flag *flag = &c->flag[op->flag_src][op->flag_dst][op->event_id];
		if (s->options.check)
			check_flag_set(s->options.check, c, op);
		if (!flag->set) {
			flag->setter_seq = op->seq;
			flag->setter_pc = op->pc;
		}
		if (pp->done_at < fire)
			pp->done_at = fire;
		sync_issue(s, c, op, CAUSE_BUSY, now, chip->sync.set_cycles, 0, 0);
		return sim_push(s, fire, EV_FLAG, (unsigned)c->id,
				(unsigned)(op->flag_src | op->flag_dst << 3 | op->event_id << 6));
	}
	case FORM_XSET:
		if (pp->done_at > now) {
			*stop = true;
			return wake(s, c, op->pipe, pp->done_at);
		}
		c->last_xset = op->seq;
		c->last_xset_pipe = op->pipe;
		if (s->options.check)
			check_cross_set(s->options.check, c, op, (unsigned)ffts_mode(op->x[1]), (unsigned)ffts_flag_id(op->x[1]));
		sync_issue(s, c, op, CAUSE_BARRIER, now, chip->sync.set_cycles, op->pipe, pp->last_seq);
		return sync_cross_set(s, c, op->x[1], now);
	default: /* FORM_BARRIER */
		if (pp->done_at > now) {
			*stop = true;
			return wake(s, c, op->pipe, pp->done_at);
		}
		if (s->options.check)
			check_barrier(s->options.check, c, op, now - (op->arrived > pp->free_at ? op->arrived : pp->free_at));
		sync_issue(s, c, op, CAUSE_BARRIER, now,
			   chip->sync.barrier_cycles + (op->pipe == PIPE_V ? chip->sync.barrier_v_cycles : 0), op->pipe,
			   pp->last_seq);
		return true;
	}
}

/* The effect failed: an op that is not modelled is left out with --keep-going. */
static bool pass_over(struct sim *s, struct core *c, const struct op *op, struct effect *e)
{
	if (s->fail.class != FAIL_MODEL || !s->options.check || !check_pass_over(s->options.check, c, op, s->fail.what))
		return false;
	memset(&s->fail, 0, sizeof s->fail);
	memset(e, 0, sizeof *e);
	e->nop = true;
	return true;
}

/* Where MTE2 writes L1 at the same time, some of a load's reads wait: writes go first. As MTE2 works when the load starts.
 * The cycles count as the load's work. */
static void l1_conflict(const struct sim *s, const struct core *c, int64_t now, struct cost *cost)
{
	const struct pipe *in = &c->pipe[PIPE_MTE2];
	if (in->flow < 0 || s->chip->local.l1_conflict == 0)
		return;
	bool writes = false;
	for (int i = 0; i < in->effect.n_access; i++)
		writes |= in->effect.access[i].write && in->effect.access[i].space == SPACE_L1;
	if (!writes)
		return;
	/* of each cycle beside the write, `lost` of `whole` go to it */
	const struct flow *f = &s->memsys.flow[in->flow];
	int64_t lost = f->rate / 64 * s->chip->local.l1_conflict / s->chip->local.l1_write, whole = 1024;
	int64_t beside = f->end > now ? f->end - now : 0;
	lost = lost < whole / 2 ? lost : whole / 2;
	int64_t total = cost->occupy * whole / (whole - lost);
	cost->occupy += total <= beside ? total - cost->occupy : beside * lost / whole;
}

static struct cost cost_of(const struct sim *s, const struct core *c, const struct op *op, const struct effect *e,
			   struct timing_state *state, int64_t now)
{
	struct cost cost = timing_cost(s->chip, op, e, state, c->pipe[op->pipe].done_at > now);
	if (op->pipe == PIPE_MTE1 && !cost.flow)
		l1_conflict(s, c, now, &cost);
	if (s->options.what_if)
		timing_what_if(s->options.what_if, op->pipe, &cost);
	return cost;
}

/* How long the blocks of L0C keep a fixpipe busy when nobody slows it; a trial that leaves the timing state alone. */
static int64_t cycles_alone(const struct sim *s, const struct core *c, const struct op *op, const struct effect *e, int64_t now)
{
	struct timing_state state = c->pipe[op->pipe].timing;
	struct cost cost = cost_of(s, c, op, e, &state, now);
	if (!cost.flow)
		return cost.occupy;
	int64_t bytes = (int64_t)e->gm.bytes * 1000 / cost.path.rate_milli;
	return bytes > cost.path.least_cycles ? bytes : cost.path.least_cycles;
}

/* The head op does work: values now, time from the effect. *stop: a unit flag holds it. */
static bool start_work(struct sim *s, struct core *c, struct pipe *pp, struct op *op, int64_t now, bool *stop)
{
	struct effect *e = &pp->effect;
	memset(e, 0, sizeof *e);
	bool known = unit_effect(s->chip, &c->mem, op, e, &s->fail);
	if (!known && !pass_over(s, c, op, e)) {
		sim_place(s, c, op->pc, op->pipe, &s->fail);
		return false;
	}
	bool unit = unitflag_mode(op) != 0;
	int64_t ready = unit ? unitflag_ready(c, op, e, known ? cycles_alone(s, c, op, e, now) : 0) : 0;
	if (ready > now) {
		*stop = true;
		return ready == INT64_MAX || wake(s, c, op->pipe, ready);
	}
	if (s->options.check)
		check_op(s->options.check, c, op, e);
	if (!s->options.timing_only && !e->nop && !unit_value(s->chip, &c->mem, op, e, &s->fail)) {
		sim_place(s, c, op->pc, op->pipe, &s->fail);
		return false;
	}
	struct cost cost = { .occupy = 1 };
	if (known)
		cost = cost_of(s, c, op, e, &pp->timing, now);
	counters_op(c, op, e, &cost);
	pp->current_stall_begin = account_stall(c, op, unit ? CAUSE_UNIT_FLAG : CAUSE_EMPTY, now);
	pp->last_seq = op->seq;
	if (cost.flow) {
		const struct gm_region *region = gm_find(&s->gm, e->gm.addr, 1);
		cost.path.bypass = region && region->bypass;
		cost.path.hit_latency_cycles = cost.latency;
		pp->flow = memsys_start(&s->memsys, now, c->id, op->pipe, &e->gm, &cost.path);
		if (pp->flow < 0)
			return sim_fail(s, c, FAIL_INTERNAL, op->pc, op->pipe, "more than %d GM transfers at once", MEMSYS_FLOWS);
		pp->flow_latency = cost.latency;
		pp->current = op;
		pp->current_start = now;
		pop(pp, INT64_MAX);
		return unitflag_done(s, c, op, e, now, now, INT64_MAX);
	}
	int64_t issue_end = now + cost.occupy, end = issue_end + cost.latency;
	pipe_account(c, op->pipe, CAUSE_BUSY, issue_end - cost.bank);
	pipe_account(c, op->pipe, CAUSE_BANK, issue_end);
	if (pp->done_at < end)
		pp->done_at = end;
	emit(s, c, op, e, (struct event){ .stall_begin = pp->current_stall_begin, .start = now, .issue_end = issue_end,
		.end = end, .extra_bank = cost.bank, .cause = unit ? CAUSE_UNIT_FLAG : CAUSE_EMPTY });
	pop(pp, issue_end);
	return unitflag_done(s, c, op, e, now, op->pipe == PIPE_M ? now + cost.latency : issue_end,
			     op->pipe == PIPE_M ? end : issue_end);
}

bool pipe_flow_end(struct sim *s, const struct flow *flow, int64_t now)
{
	struct core *c = &s->core[flow->core];
	struct pipe *pp = &c->pipe[flow->pipe];
	int64_t alone = memsys_alone_cycles(flow), lost = now - flow->start - alone;
	int64_t missed = flow->write ? s->chip->gm.l2_write_miss_cycles : s->chip->gm.l2_miss_cycles;
	int64_t latency = pp->flow_latency + (flow->missed ? missed : 0) + flow->wait;
	int64_t end = now + latency;
	pipe_account(c, flow->pipe, CAUSE_BUSY, flow->start + alone);
	pipe_account(c, flow->pipe, CAUSE_L2MISS, now - lost + memsys_lost_to_hbm(flow, lost));
	pipe_account(c, flow->pipe, CAUSE_BANDWIDTH, now);
	if (pp->done_at < end)
		pp->done_at = end;
	emit(s, c, pp->current, &pp->effect, (struct event){ .stall_begin = pp->current_stall_begin, .start = flow->start,
		.issue_end = now, .end = end, .extra_bandwidth = lost,
		.cause = unitflag_mode(pp->current) != 0 ? CAUSE_UNIT_FLAG : CAUSE_EMPTY });
	if (!unitflag_done(s, c, pp->current, &pp->effect, now, now, now))
		return false;
	pp->flow = -1;
	pp->current = NULL;
	pp->free_at = now;
	return pipe_advance(s, c, flow->pipe, now);
}

static bool is_sync(unsigned form)
{
	return form == FORM_WAITFLAG || form == FORM_SETFLAG || form == FORM_BARRIER || form == FORM_XSET;
}

static uint64_t mix(uint64_t v)
{
	v = (v ^ v >> 33) * UINT64_C(0xff51afd7ed558ccd);
	v = (v ^ v >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
	return v ^ v >> 33;
}

/* --order-fuzz: some pipes of some cores start their work late, some of them much. Every such order is legal. */
static int64_t fuzz_delay(const struct sim *s, const struct core *c, int p, const struct op *op)
{
	static const uint16_t most_cycles[4] = { 1, 64, 1024, 16384 };
	if (s->options.fuzz_seed == 0 || is_sync(isa_table[op->insn].form))
		return 0;
	uint64_t pipe = mix(s->options.fuzz_seed ^ mix((uint64_t)c->id * 8 + (uint64_t)p + 1));
	return (int64_t)(mix(pipe ^ op->seq) % most_cycles[pipe >> 20 & 3]);
}

bool pipe_advance(struct sim *s, struct core *c, int p, int64_t now)
{
	struct pipe *pp = &c->pipe[p];
	bool moved = false, stop = false, ok = true;

	if (pp->wake_at >= 0 && pp->wake_at <= now)
		pp->wake_at = -1;
	while (ok && !stop && pp->flow < 0 && pp->count > 0) {
		struct op *op = queue_at(pp, 0);
		int64_t ready = (op->arrived > pp->free_at ? op->arrived : pp->free_at) + fuzz_delay(s, c, p, op);
		if (ready > now) {
			ok = wake(s, c, p, ready);
			break;
		}
		if (is_sync(isa_table[op->insn].form))
			ok = start_sync(s, c, pp, op, now, &stop);
		else
			ok = start_work(s, c, pp, op, now, &stop);
		moved |= !stop;
	}
	if (!ok)
		return false;
	if (moved && c->wait == WAIT_QUEUE && c->wait_pipe == p)
		ok = core_wake(s, c, WAIT_QUEUE, now);
	if (ok && (c->wait == WAIT_BARRIER || c->wait == WAIT_DRAIN) && core_quiet_at(c) >= 0) {
		int64_t quiet = core_quiet_at(c);
		ok = sim_push(s, quiet > now ? quiet : now, EV_SCALAR, (unsigned)c->id, 0);
	}
	return ok;
}
