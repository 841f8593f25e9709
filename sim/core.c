/*
 * core.c - one core: its scalar unit takes Da Vinci instructions, executes those of PIPE_S and pushes the others into
 * their pipe's queue, waiting where the hardware would.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

bool core_init(struct sim *s, struct core *c, int id, unsigned kind, const struct program *p, struct fail *f)
{
	memset(c, 0, sizeof *c);
	c->id = id;
	c->kind = kind;
	c->block = -1;
	c->program = p;
	c->wait = WAIT_IDLE;
	c->mem.gm = &s->gm;
	c->mem.core = id;
	for (int sp = SPACE_UB; sp < SPACE_COUNT; sp++) {
		bool cube_side = sp != SPACE_UB;
		bool has = kind == CORE_FUSED || (kind == CORE_CUBE) == cube_side;
		c->mem.size[sp] = has ? chip_buffer_bytes(s->chip, sp) : 0;
		/* a margin behind each buffer lets SIMD read whole registers at the end */
		if (c->mem.size[sp] > 0 && !(c->mem.buf[sp] = calloc(1, (size_t)c->mem.size[sp] + 256)))
			return fail_set(f, FAIL_INTERNAL, "no memory for the %s of core %d", isa_space_name(sp), id);
	}
	if (c->mem.size[SPACE_L0B] > 0 && !(c->mem.index0b = calloc(1, (size_t)c->mem.size[SPACE_L0B] / 4)))
		return fail_set(f, FAIL_INTERNAL, "no memory for the sparse indices of core %d", id);
	for (int q = 0; q < PIPE_COUNT; q++) {
		struct pipe *pp = &c->pipe[q];
		pp->depth = (int)s->chip->sync.queue_depth;
		pp->flow = -1;
		pp->wake_at = -1;
		if (q != PIPE_S && q != PIPE_ALL && !(pp->queue = calloc((size_t)pp->depth + 2, sizeof *pp->queue)))
			return fail_set(f, FAIL_INTERNAL, "no memory for the queues of core %d", id);
	}
	return scalar_init(&c->scalar, s->chip, kind, p, &c->mem, f);
}

void core_free(struct core *c)
{
	for (int sp = 0; sp < SPACE_COUNT; sp++)
		free(c->mem.buf[sp]);
	free(c->mem.index0b);
	for (int q = 0; q < PIPE_COUNT; q++)
		free(c->pipe[q].queue);
	scalar_free(&c->scalar);
}

/* Tell who listens what the scalar unit waited for and which instruction ended the wait. */
static void hold_ends(struct sim *s, struct core *c, enum cause cause, int64_t from, int64_t to)
{
	struct hold h = { .core = c->id, .block = c->block, .from = from, .to = to, .cause = cause, .pc = c->scalar.pc,
			  .next_seq = c->seq + 1, .releaser_core = c->id };
	if (!s->options.on_hold)
		return;
	switch (c->wait) {
	case WAIT_QUEUE:
		h.releaser_pipe = (uint8_t)c->wait_pipe;
		h.releaser = c->pipe[c->wait_pipe].last_seq;
		break;
	case WAIT_FLAG:
		h.releaser_pipe = (uint8_t)c->wait_pipe;
		h.releaser = c->flag[c->wait_pipe][PIPE_S][c->wait_event].setter_seq;
		break;
	case WAIT_CROSS:
		h.releaser_core = c->xby[c->wait_event].core;
		h.releaser_pipe = (uint8_t)c->xby[c->wait_event].pipe;
		h.releaser = c->xby[c->wait_event].seq;
		break;
	default: break;
	}
	s->options.on_hold(s->options.user, &h);
}

/* The same for its cache misses, those of a stretch of code put together at its beginning. */
static void missed(struct sim *s, struct core *c, enum cause cause, int64_t from, int64_t to)
{
	struct hold h = { .core = c->id, .block = c->block, .from = from, .to = to, .cause = cause, .pc = c->scalar.pc,
			  .next_seq = c->seq + 1, .releaser_core = c->id };
	if (s->options.on_hold)
		s->options.on_hold(s->options.user, &h);
}

/* A block finds its globals as the source says, whichever core runs it and whatever ran there before. */
static void fresh_data(const struct sim *s, const struct core *c)
{
	const struct program *p = c->program;
	uint8_t *data = p->data_size ? gm_at(&s->gm, c->id, p->data_addr, p->data_size, true) : NULL;
	if (!data)
		return;
	memcpy(data, p->data_image, p->data_init_size);
	memset(data + p->data_init_size, 0, p->data_size - p->data_init_size);
}

void core_start_block(struct sim *s, struct core *c, int64_t block, int64_t now)
{
	c->block = (int)block;
	c->wait = WAIT_NONE;
	c->stats.blocks++;
	if (c->stats.blocks == 1)
		c->stats.first_cycle = now;
	else
		fresh_data(s, c);
	memset(&c->spr, 0, sizeof c->spr);
	memset(&c->regs, 0, sizeof c->regs);
	c->spr.mask_hi = c->spr.mask_lo = UINT64_MAX;
	c->spr.ctrl = ctrl_reset(s->chip);
	sync_reset(c);
	c->seen_icache = c->scalar.stall_icache;
	c->seen_dcache = c->scalar.stall_dcache;
	hold_ends(s, c, CAUSE_LAUNCH, c->pipe[PIPE_S].accounted, now);
	memset(c->unit_flag, 0, sizeof c->unit_flag);
	for (int q = 0; q < PIPE_COUNT; q++) {
		pipe_account(c, q, CAUSE_LAUNCH, now);
		if (c->pipe[q].free_at < now)
			c->pipe[q].free_at = now;
		if (c->pipe[q].done_at < now)
			c->pipe[q].done_at = now;
	}
	if (s->options.check)
		check_block_start(s->options.check, c);
	scalar_start(&c->scalar, now, s->arg, s->n_arg, s->arg_float);
}

/* When everything that was pushed will have ended; -1 while a queue still holds something. */
int64_t core_quiet_at(const struct core *c)
{
	int64_t at = 0;
	for (int q = 0; q < PIPE_COUNT; q++) {
		const struct pipe *pp = &c->pipe[q];
		if (pp->count > 0 || pp->flow >= 0)
			return -1;
		if (pp->done_at > at)
			at = pp->done_at;
		if (pp->free_at > at)
			at = pp->free_at; /* a wait_flag at the end still takes its issue */
	}
	return at;
}

static bool stall(struct core *c, enum scalar_wait why, int pipe, int event)
{
	c->wait = why;
	c->wait_since = c->scalar.cycle;
	c->wait_pipe = pipe;
	c->wait_event = event;
	return true;
}

static enum cause wait_cause(const struct core *c)
{
	static const enum cause of_flag[PIPE_COUNT] = {
		[PIPE_V] = CAUSE_FLAG_V, [PIPE_MTE1] = CAUSE_FLAG_MTE1, [PIPE_MTE2] = CAUSE_FLAG_MTE2,
		[PIPE_MTE3] = CAUSE_FLAG_MTE3, [PIPE_M] = CAUSE_FLAG_M, [PIPE_FIX] = CAUSE_FLAG_FIX,
	};
	switch (c->wait) {
	case WAIT_QUEUE: return CAUSE_QUEUE;
	case WAIT_FLAG: return of_flag[c->wait_pipe];
	case WAIT_CROSS: return CAUSE_CROSS_CORE;
	case WAIT_DRAIN: return CAUSE_DRAIN;
	default: return CAUSE_BARRIER;
	}
}

static enum cause empty_cause(enum cause scalar)
{
	switch (scalar) {
	case CAUSE_BUSY:
	case CAUSE_SYNC: return CAUSE_EMPTY_ISSUE;
	case CAUSE_QUEUE: return CAUSE_EMPTY_QUEUE;
	case CAUSE_ICACHE: return CAUSE_EMPTY_ICACHE;
	case CAUSE_DCACHE: return CAUSE_EMPTY_DCACHE;
	case CAUSE_DRAIN: return CAUSE_DRAIN;
	default: return CAUSE_EMPTY_WAIT;
	}
}

/* The scalar unit's time up to `until` went to `cause`; so did that of every pipe that has nothing to do, since only the
 * scalar unit could have given it something. Called when all events before `until` are over. */
void core_charge(struct core *c, enum cause cause, int64_t until)
{
	struct pipe *own = &c->pipe[PIPE_S];
	if (cause == CAUSE_QUEUE && until > own->accounted)
		c->stats.pipe[PIPE_S].behind[c->wait_pipe] += until - own->accounted;
	pipe_account(c, PIPE_S, cause, until);
	for (int q = 0; q < PIPE_COUNT; q++) {
		struct pipe *pp = &c->pipe[q];
		if (q == PIPE_S || pp->count > 0 || pp->flow >= 0 || until <= pp->accounted)
			continue;
		if (cause == CAUSE_QUEUE)
			c->stats.pipe[q].behind[c->wait_pipe] += until - pp->accounted;
		pipe_account(c, q, empty_cause(cause), until);
	}
}

/* Charge what the scalar unit executed since it was last charged, its cache misses apart. */
void core_charge_run(struct sim *s, struct core *c)
{
	int64_t at = c->pipe[PIPE_S].accounted, cycles = c->scalar.cycle - at;
	int64_t icache = c->scalar.stall_icache - c->seen_icache, dcache = c->scalar.stall_dcache - c->seen_dcache;
	if (cycles <= 0)
		return;
	icache = icache < cycles ? icache : cycles;
	dcache = dcache < cycles - icache ? dcache : cycles - icache;
	c->seen_icache += icache;
	c->seen_dcache += dcache;
	c->issue_cycles += cycles;
	if (icache) {
		missed(s, c, CAUSE_ICACHE, at, at + icache);
		core_charge(c, CAUSE_ICACHE, at + icache);
	}
	if (dcache) {
		missed(s, c, CAUSE_DCACHE, at + icache, at + icache + dcache);
		core_charge(c, CAUSE_DCACHE, at + icache + dcache);
	}
	core_charge(c, CAUSE_BUSY, c->scalar.cycle);
}

bool core_wake(struct sim *s, struct core *c, enum scalar_wait why, int64_t now)
{
	if (c->wait != why)
		return true;
	core_charge_run(s, c);
	if (now > c->scalar.cycle) {
		hold_ends(s, c, wait_cause(c), c->scalar.cycle, now);
		core_charge(c, wait_cause(c), now);
		c->wait_lost = why == WAIT_QUEUE ? 0 : now - c->scalar.cycle;
		c->scalar.cycle = now;
	}
	c->wait = WAIT_NONE;
	return sim_push(s, c->scalar.cycle, EV_SCALAR, (unsigned)c->id, 0);
}

static void spend(struct sim *s, struct core *c, int64_t cycles, enum cause cause)
{
	core_charge_run(s, c);
	c->scalar.cycle += cycles;
	c->issue_cycles += cycles;
	core_charge(c, cause, c->scalar.cycle);
}

/* Push into a pipe; a full queue stops the scalar unit until the pipe takes something out. */
static bool dispatch(struct sim *s, struct core *c, struct op *op, bool *stalled)
{
	struct pipe *pp = &c->pipe[op->pipe];
	if (pp->count >= pp->depth) {
		*stalled = true;
		return stall(c, WAIT_QUEUE, op->pipe, 0);
	}
	op->seq = ++c->seq;
	op->dispatched = c->scalar.cycle;
	op->arrived = op->dispatched + s->chip->sync.dispatch_cycles;
	op->issue_cycles = c->issue_cycles;
	op->stall_icache = c->scalar.stall_icache;
	op->stall_dcache = c->scalar.stall_dcache;
	c->issue_cycles = 0;
	op->spr = c->spr;
	if (s->options.check)
		check_dispatch(s->options.check, c, op);
	scalar_skip(&c->scalar, false, 0);
	return pipe_push(s, c, op);
}

static bool has_pipe(const struct core *c, int pipe)
{
	static const uint8_t of[3] = {
		/* cube */ 1 << PIPE_MTE1 | 1 << PIPE_MTE2 | 1 << PIPE_MTE3 | 1 << PIPE_M | 1 << PIPE_FIX | 1 << PIPE_S,
		/* vector */ 1 << PIPE_V | 1 << PIPE_MTE2 | 1 << PIPE_MTE3 | 1 << PIPE_S,
		/* fused */ 1 << PIPE_V | 1 << PIPE_MTE1 | 1 << PIPE_MTE2 | 1 << PIPE_MTE3 | 1 << PIPE_M | 1 << PIPE_S,
	};
	int k = c->kind == CORE_CUBE ? 0 : c->kind == CORE_VEC ? 1 : 2;
	return of[k] >> pipe & 1;
}

static const char *kind_name(const struct core *c)
{
	return c->kind == CORE_CUBE ? "cube" : c->kind == CORE_VEC ? "vector" : "fused";
}

static bool flag_operands(struct sim *s, struct core *c, struct op *op, uint32_t raw)
{
	bool tied = op->insn == INSN_hset_flag || op->insn == INSN_hwait_flag;
	uint64_t id = tied ? hflag_event(op->x[1]) : op->x[1], mem = hflag_mem(op->x[1]);
	op->flag_src = raw >> 23 & 7;
	op->flag_dst = raw >> 20 & 7;
	for (int i = 0; i < 2; i++) {
		int p = i ? op->flag_dst : op->flag_src;
		if (!has_pipe(c, p))
			return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: a %s core of %s has no pipe %s",
					isa_table[op->insn].name, kind_name(c), s->chip->name, isa_pipe_name(p));
	}
	if (tied && (mem >= SIM_FLAG_MEMORIES || op->x[1] >> 16 || s->chip->sync.event_ids > 8))
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: %llu is no memory (0 L1, 1 L0A, 2 L0B, 3 L0C, 4 UB, 5 "
			"BT)",
				isa_table[op->insn].name, (unsigned long long)mem);
	if (id >= (uint64_t)s->chip->sync.event_ids || id >= SIM_EVENT_IDS)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: event id %lld is out of range: %s has 0..%d",
				isa_table[op->insn].name, (long long)id, s->chip->name, (int)s->chip->sync.event_ids - 1);
	op->event_id = (uint8_t)(tied ? id | (mem + 1) << 3 : id);
	return true;
}

static bool do_flag(struct sim *s, struct core *c, struct op *op, uint32_t raw, bool *stalled)
{
	bool set = isa_table[op->insn].form == FORM_SETFLAG;
	if (!flag_operands(s, c, op, raw))
		return false;
	op->pipe = set ? op->flag_src : op->flag_dst;
	if (op->pipe != PIPE_S)
		return dispatch(s, c, op, stalled);
	struct flag *flag = &c->flag[op->flag_src][op->flag_dst][op->event_id];
	if (!set && !flag->set) {
		*stalled = true;
		return stall(c, WAIT_FLAG, op->flag_src, op->event_id);
	}
	scalar_skip(&c->scalar, false, 0);
	s->ops++;
	s->insn_count[op->insn]++;
	if (!set) {
		if (s->options.check)
			check_flag_wait(s->options.check, c, op, c->wait_lost);
		c->wait_lost = 0;
		flag->set = false;
		spend(s, c, s->chip->sync.wait_cycles, CAUSE_SYNC);
		return true;
	}
	if (s->options.check)
		check_flag_set(s->options.check, c, op);
	flag->setter_pc = op->pc;
	flag->setter_seq = 0;
	spend(s, c, s->chip->sync.set_cycles, CAUSE_SYNC);
	return sim_push(s, c->scalar.cycle + s->chip->sync.flag_cycles, EV_FLAG, (unsigned)c->id,
			(unsigned)(op->flag_src | op->flag_dst << 3 | op->event_id << 6));
}

static bool do_barrier(struct sim *s, struct core *c, struct op *op, uint32_t raw, bool *stalled)
{
	int pipe = raw >> 23 & 7;
	if (s->options.what_if && sync_barrier_off(s, c, op->pc)) {
		scalar_skip(&c->scalar, false, 0);
		return true;
	}
	if (pipe == PIPE_S)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S,
				"pipe_barrier(PIPE_S) is not allowed: the scalar unit orders its own instructions");
	if (pipe != PIPE_ALL) {
		if (!has_pipe(c, pipe))
			return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "pipe_barrier: a %s core of %s has no pipe %s",
					kind_name(c), s->chip->name, isa_pipe_name(pipe));
		op->pipe = (uint8_t)pipe;
		return dispatch(s, c, op, stalled);
	}
	int64_t quiet = core_quiet_at(c);
	if (quiet < 0 || quiet > c->scalar.cycle) {
		*stalled = true;
		stall(c, WAIT_BARRIER, PIPE_ALL, 0);
		return quiet < 0 || sim_push(s, quiet, EV_SCALAR, (unsigned)c->id, 0);
	}
	scalar_skip(&c->scalar, false, 0);
	s->ops++;
	s->insn_count[op->insn]++;
	if (s->options.check)
		check_barrier_all(s->options.check, c, op->pc, c->wait_lost);
	c->wait_lost = 0;
	spend(s, c, s->chip->sync.barrier_cycles, CAUSE_SYNC);
	return true;
}

static bool cross_operands(struct sim *s, struct core *c, struct op *op, uint32_t raw)
{
	unsigned long long mode = ffts_mode(op->x[1]), id = ffts_flag_id(op->x[1]);
	const uint64_t fields = 0xf3f; /* of the word ffts */
	op->pipe = raw >> 23 & 7;
	if (op->x[1] & ~fields)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S,
				"%s: message 0x%llx has bits outside its fields: mode has 2 bits (0..2), flag id 4 (0..15)",
				isa_table[op->insn].name, (unsigned long long)op->x[1]);
	if (s->chip->sync.cross_core_ids == 0)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: %s has no cross-core flags", isa_table[op->insn].name,
				s->chip->name);
	if (mode == 3 || id >= (unsigned long long)s->chip->sync.cross_core_ids)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: mode %llu (0..2) or flag id %llu (0..%d) out of range",
				isa_table[op->insn].name, mode, id, (int)s->chip->sync.cross_core_ids - 1);
	return true;
}

static bool do_cross_wait(struct sim *s, struct core *c, struct op *op, bool *stalled)
{
	uint64_t id = op->x[1];
	if (id >= (uint64_t)s->chip->sync.cross_core_ids)
		return sim_fail(s, c, FAIL_KERNEL, op->pc, PIPE_S, "%s: cross-core flag %llu is out of range (%s has %d)",
				isa_table[op->insn].name, (unsigned long long)id, s->chip->name,
				(int)s->chip->sync.cross_core_ids);
	if (c->xflag[id] == 0) {
		*stalled = true;
		return stall(c, WAIT_CROSS, PIPE_S, (int)id);
	}
	c->xflag[id]--;
	if (s->options.check)
		check_cross_wait(s->options.check, c, op->pc, (unsigned)id, c->wait_lost);
	c->wait_lost = 0;
	scalar_skip(&c->scalar, false, 0);
	s->ops++;
	s->insn_count[op->insn]++;
	spend(s, c, s->chip->sync.xwait_cycles, CAUSE_SYNC);
	return true;
}

/* The scalar unit itself sets a cross-core flag: nothing to wait for. */
static bool do_cross_set(struct sim *s, struct core *c, struct op *op)
{
	scalar_skip(&c->scalar, false, 0);
	s->ops++;
	s->insn_count[op->insn]++;
	if (s->options.check)
		check_cross_set(s->options.check, c, op, (unsigned)ffts_mode(op->x[1]), (unsigned)ffts_flag_id(op->x[1]));
	spend(s, c, s->chip->sync.set_cycles, CAUSE_SYNC);
	return sync_cross_set(s, c, op->x[1], c->scalar.cycle);
}

/* After a FAIL_MODEL: with --keep-going the instruction is left out and noted, else the run ends. */
static bool pass_over(struct sim *s, struct core *c, const struct op *op)
{
	if (!s->options.check || !check_pass_over(s->options.check, c, op, s->fail.what))
		return false;
	memset(&s->fail, 0, sizeof s->fail);
	scalar_skip(&c->scalar, false, 0);
	return true;
}

/* One Da Vinci instruction at the scalar unit's pc. *stalled: it stays there, somebody wakes the core. */
static bool take(struct sim *s, struct core *c, bool *stalled)
{
	struct op op = { .pc = c->scalar.pc };
	const struct insn *in = scalar_dv(&c->scalar, op.x);
	const struct isa_insn *row = &isa_table[in->id];
	uint32_t raw;
	core_charge_run(s, c);
	memcpy(&raw, c->program->text + (op.pc - c->program->text_addr), sizeof raw);
	op.insn = in->id;
	op.variant = in->rs3;
	op.pipe = row->pipe;
	if (row->state != ISA_DONE) {
		sim_fail(s, c, FAIL_MODEL, op.pc, row->pipe, "%s is not modelled%s%s", row->name, row->why ? ": " : "",
			 row->why ? row->why : "");
		return pass_over(s, c, &op);
	}
	if (!isa_available(in->id, op.variant, s->chip->arch) || (row->cores && !(row->cores & c->kind)))
		return sim_fail(s, c, FAIL_KERNEL, op.pc, row->pipe, "%s does not exist on a %s core of %s", row->name,
				kind_name(c), s->chip->name);
	switch (row->form) {
	case FORM_SETFLAG:
	case FORM_WAITFLAG: return do_flag(s, c, &op, raw, stalled);
	case FORM_BARRIER: return do_barrier(s, c, &op, raw, stalled);
	case FORM_XWAIT: return do_cross_wait(s, c, &op, stalled);
	case FORM_XSET:
		if (!cross_operands(s, c, &op, raw))
			return false;
		if (op.pipe == PIPE_S)
			return do_cross_set(s, c, &op);
		break;
	default: break;
	}
	if (op.pipe == PIPE_S)
		return system_execute(s, c, &op);
	if (!has_pipe(c, op.pipe))
		return sim_fail(s, c, FAIL_KERNEL, op.pc, PIPE_S, "%s: a %s core of %s has no pipe %s", row->name, kind_name(c),
				s->chip->name, isa_pipe_name(op.pipe));
	return dispatch(s, c, &op, stalled);
}

/* The entry returned: the block ends when all pipes are quiet. */
static bool finish(struct sim *s, struct core *c)
{
	int64_t quiet = core_quiet_at(c);
	if (quiet < 0 || quiet > c->scalar.cycle) {
		stall(c, WAIT_DRAIN, PIPE_ALL, 0);
		return quiet < 0 || sim_push(s, quiet, EV_SCALAR, (unsigned)c->id, 0);
	}
	/* What the block left dirty in its data cache, stack included, reaches GM behind the block's end: nothing in the
	 * kernel waits for it, so it takes no time. A kernel that needs it earlier says dcci. */
	int64_t end = c->scalar.cycle, stall = c->scalar.stall_dcache;
	if (!scalar_cache_all(&c->scalar, true, true, &s->fail)) {
		sim_place(s, c, c->scalar.pc, PIPE_S, &s->fail);
		return false;
	}
	c->scalar.cycle = end;
	c->scalar.stall_dcache = stall;
	return sim_block_end(s, c);
}

bool core_scalar(struct sim *s, struct core *c, int64_t now)
{
	struct fail *f = &s->fail;

	if (c->wait == WAIT_BARRIER || c->wait == WAIT_DRAIN) {
		int64_t quiet = core_quiet_at(c);
		if (quiet < 0 || quiet > now)
			return true; /* something came in between; its end will wake us again */
		return core_wake(s, c, c->wait, now);
	}
	if (c->wait != WAIT_NONE || c->scalar.cycle > now)
		return true; /* a stale wake-up */
	if (c->scalar.pc == SCALAR_RETURN_PC)
		return finish(s, c); /* the pipes have drained behind the entry's return */
	for (;;) {
		bool stalled = false;
		int64_t next = memsys_next(&s->memsys);
		if (s->heap_n > 0 && s->heap[0].cycle < next)
			next = s->heap[0].cycle;
		/* at equal cycles the others come first, as in the heap's order */
		int64_t until = next == MEMSYS_NEVER ? next : (next > now ? next - 1 : now);
		if (until > s->options.max_cycles)
			until = s->options.max_cycles;
		switch (scalar_run(&c->scalar, until, f)) {
		case SCALAR_YIELD: return sim_push(s, c->scalar.cycle, EV_SCALAR, (unsigned)c->id, 0);
		case SCALAR_RETURN: return finish(s, c);
		case SCALAR_FAULT: sim_place(s, c, c->scalar.pc, PIPE_S, f); return false;
		case SCALAR_DV:
			if (!take(s, c, &stalled))
				return false;
			if (stalled)
				return true;
		}
	}
}
