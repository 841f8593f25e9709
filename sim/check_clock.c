/*
 * check_clock.c - who is known to be done with what: one vector clock per pipe of a core, carried by flags, barriers,
 * dispatch and cross-core flags. Knowledge of other cores is in versions, since only the scalar unit gains it.
 */
#include "check_priv.h"

#include <stdlib.h>
#include <string.h>

bool clock_core_new(struct checker *k, struct check_core *kc, const struct core *c)
{
	for (int q = 0; q < SLOTS; q++)
		if (c->pipe[q].queue && !(kc->queue[q] = calloc((size_t)c->pipe[q].depth + 2, sizeof *kc->queue[q])))
			return false;
	kc->flag = calloc(PIPE_COUNT * PIPE_COUNT * SIM_EVENT_IDS, sizeof *kc->flag);
	kc->max_remote = 4;
	kc->remote = calloc(kc->max_remote, sizeof *kc->remote);
	if (!kc->flag || !kc->remote)
		return false;
	kc->n_remote = 1;
	kc->remote[0] = calloc((size_t)k->n_core * SLOTS, sizeof(uint32_t));
	return kc->remote[0] != NULL;
}

void clock_core_free(struct check_core *kc)
{
	for (int q = 0; q < SLOTS; q++)
		free(kc->queue[q]);
	free(kc->flag);
	for (uint32_t i = 0; i < kc->n_remote; i++)
		free(kc->remote[i]);
	free(kc->remote);
	for (int id = 0; id < SIM_XFLAGS; id++)
		for (struct cross_message *m = kc->inbox[id], *next; m; m = next) {
			next = m->next;
			free(m->vector);
			free(m);
		}
}

const uint32_t *clock_remote(const struct check_core *kc, uint32_t version)
{
	return kc->remote[version < kc->first_remote ? 0 : version - kc->first_remote];
}

bool clock_knows(const struct checker *k, unsigned core, const struct clock *c, epoch e)
{
	if (epoch_core(e) == core)
		return c->t[epoch_slot(e)] >= epoch_number(e);
	return clock_remote(&k->core[core], c->remote)[epoch_core(e) * SLOTS + epoch_slot(e)] >= epoch_number(e);
}

void clock_join(struct checker *k, struct check_core *kc, int slot, const struct clock *from, uint32_t site)
{
	struct clock *to = &kc->clock[slot];
	for (int q = 0; q < SLOTS; q++)
		if (from->t[q] > to->t[q]) {
			if (k->bits & CHECK_OVER)
				over_raise(k, kc, slot, q, to->t[q],
					   site ? over_node(k, site, from->node[q]) : from->node[q]);
			to->t[q] = from->t[q];
		}
	if (from->remote > to->remote)
		to->remote = from->remote;
}

/* What the scalar unit knows when it sends an instruction off: its own loads and write-backs are done. */
struct clock clock_scalar(const struct check_core *kc)
{
	struct clock s = kc->clock[SLOT_S];
	s.t[SLOT_S] = kc->number[SLOT_S];
	return s;
}

void check_dispatch(struct checker *k, struct core *c, const struct op *op)
{
	struct check_core *kc = &k->core[c->id];
	int size = c->pipe[op->pipe].depth + 2, q = op->pipe;
	kc->queue[q][(kc->head[q] + kc->count[q]++) % size] = clock_scalar(kc);
	root_step(kc, c, op);
}

void clock_take(struct checker *k, struct core *c, int pipe)
{
	struct check_core *kc = &k->core[c->id];
	clock_join(k, kc, pipe, &kc->queue[pipe][kc->head[pipe]], 0);
	kc->head[pipe] = (kc->head[pipe] + 1) % (c->pipe[pipe].depth + 2);
	kc->count[pipe]--;
}

static uint32_t site_key(const struct checker *k, const struct core *c, uint64_t pc)
{
	return (check_site(c, pc) + 1) << 1 | (c->program == k->sim->program[1]);
}

struct flag_note *clock_flag(struct check_core *kc, int src, int dst, int id)
{
	return &kc->flag[(src * PIPE_COUNT + dst) * SIM_EVENT_IDS + id];
}

static epoch wait_epoch(const struct core *c, const struct flag_note *n, int dst)
{
	return (uint64_t)c->id << 55 | (uint64_t)(dst == PIPE_S ? SLOT_S : dst) << 52 | n->wait_number;
}

/* What stands before a wait of dst for a flag from src. Waits for the same source do not hold it back: the source has set
 * their flags before. */
static uint32_t behind(const struct check_core *kc, int src, int dst)
{
	uint32_t last = kc->last_work[dst];
	for (int q = 0; q < SLOTS; q++)
		if (q != src && kc->last_wait[dst][q] > last)
			last = kc->last_wait[dst][q];
	return last;
}

/* The wait stands before the set in the program: the two need order. Behind it: it took another set than it should, the one
 * before this is lost. */
static void early_set(struct checker *k, const struct core *c, const struct op *op, const struct flag_note *n,
		      const struct check_finding *f)
{
	struct root_pair p = { op->flag_dst, op->pipe, n->wait_seq, op->seq };
	if (op->pipe == PIPE_S || op->flag_dst == PIPE_S)
		p.low = 0;
	if (p.low < op->seq)
		root_pair(k, f, c, &p);
	else
		root_lost(k, f, c, op);
}

/* The wait that takes the set before this one must be known to be over, or to have nothing before it that it could still
 * stand behind: else this set may come first and be lost. */
static void set_again(struct checker *k, struct core *c, const struct op *op, const struct clock *own,
		      struct flag_note *n)
{
	struct check_core *kc = &k->core[c->id];
	bool fresh;
	if (!n->waited || !(k->bits & CHECK_SYNC) || !(k->bits & CHECK_RACE))
		return;
	epoch w = wait_epoch(c, n, op->flag_dst);
	epoch before = (w & ~(epoch)UINT32_MAX) | n->wait_behind;
	if (clock_knows(k, (unsigned)c->id, own, before)) {
		if (k->bits & CHECK_OVER)
			over_used(k, kc, op->pipe, before);
		return;
	}
	char event[32];
	sync_event_text(op->event_id, event, sizeof event);
	struct check_finding *f = check_find(k, CHECK_SYNCS, "set-before-wait", c, op->pc, c, n->wait_pc, &fresh);
	if (f && fresh) {
		check_place_at(k, c, op->pipe, op->pc, op->pipe == PIPE_S ? c->scalar.cycle : k->sim->now, &f->at);
		check_place_at(k, c, op->flag_dst, n->wait_pc, -1, &f->other);
	}
	if (f)
		early_set(k, c, op, n, f);
	if (!f || !fresh)
		return;
	check_say(f->other_role, sizeof f->other_role, "the wait that may come too late");
	check_say(f->what, sizeof f->what,
		  "flag %s -> %s, %s may be set again while %s has not yet waited for it: nothing makes"
		  " %s wait for that, one set would be lost",
		  isa_pipe_name(op->flag_src), isa_pipe_name(op->flag_dst), event, isa_pipe_name(op->flag_dst),
		  isa_pipe_name(op->flag_src));
	check_say(f->hint, sizeof f->hint,
		  "set a flag %s -> %s behind the wait and wait for it before setting again, or use another"
		  " event id in turn",
		  isa_pipe_name(op->flag_dst), isa_pipe_name(op->flag_src));
}

/* Pairs of hardware.md 2.3 (HardEvent); one bit per destination. */
static bool legal_pair(const struct core *c, int src, int dst)
{
#define P(p) (1u << PIPE_##p)
	static const uint16_t to[PIPE_COUNT] = {
		[PIPE_S] = P(V) | P(MTE2) | P(MTE3),
		[PIPE_V] = P(MTE2) | P(MTE3) | P(M) | P(V) | P(MTE1) | P(S),
		[PIPE_MTE1] = P(MTE2) | P(M) | P(MTE3) | P(V) | P(FIX),
		[PIPE_MTE2] = P(MTE1) | P(V) | P(M) | P(MTE3) | P(S) | P(FIX),
		[PIPE_MTE3] = P(V) | P(MTE1) | P(MTE2) | P(S),
		[PIPE_M] = P(MTE1) | P(V) | P(MTE2) | P(FIX) | P(S),
		[PIPE_FIX] = P(M) | P(MTE2) | P(S) | P(MTE3) | P(MTE1) | P(FIX),
	};
#undef P
	if (c->kind == CORE_CUBE && src == PIPE_S)
		return false;
	return to[src] >> dst & 1;
}

static void pair_check(struct checker *k, struct core *c, const struct op *op)
{
	bool fresh;
	if (!(k->bits & CHECK_SYNC) || legal_pair(c, op->flag_src, op->flag_dst))
		return;
	struct check_finding *f = check_find(k, CHECK_SYNCS, "illegal-pair", c, op->pc, NULL, 0, &fresh);
	if (!f || !fresh)
		return;
	check_place_at(k, c, op->pipe, op->pc, k->sim->now, &f->at);
	check_say(f->what, sizeof f->what, "%s: there are no flags from %s to %s", isa_table[op->insn].name,
		  isa_pipe_name(op->flag_src), isa_pipe_name(op->flag_dst));
	if (op->flag_src == op->flag_dst)
		check_say(f->hint, sizeof f->hint, "pipe_barrier(PIPE_%s) orders the instructions of one pipe",
			  isa_pipe_name(op->flag_src));
	else
		check_say(f->hint, sizeof f->hint,
			  "go through a pipe that both have flags with, or use pipe_barrier(PIPE_ALL)");
}

void check_flag_set(struct checker *k, struct core *c, const struct op *op)
{
	struct check_core *kc = &k->core[c->id];
	struct clock own;
	pair_check(k, c, op);
	if (op->pipe == PIPE_S) {
		own = clock_scalar(kc);
		own.t[SLOT_STORE] = kc->number[SLOT_STORE];
	} else {
		clock_take(k, c, op->pipe);
		own = kc->clock[op->pipe];
		own.t[op->pipe] = kc->number[op->pipe];
		own.node[op->pipe] = 0;
	}
	struct flag_note *n = clock_flag(kc, op->flag_src, op->flag_dst, op->event_id);
	set_again(k, c, op, &own, n);
	n->clock = own;
	n->set_before_pc = n->set_pc;
	n->set_before_seq = n->set_seq;
	n->set_pc = op->pc;
	n->set_seq = op->pipe == PIPE_S ? 0 : op->seq;
	n->first_seq = n->first_seq ? n->first_seq : n->set_seq;
}

void check_flag_wait(struct checker *k, struct core *c, const struct op *op, int64_t lost_cycles)
{
	struct check_core *kc = &k->core[c->id];
	struct flag_note *n = clock_flag(kc, op->flag_src, op->flag_dst, op->event_id);
	int slot = op->flag_dst;
	pair_check(k, c, op);
	if (slot != PIPE_S)
		clock_take(k, c, slot);
	clock_join(k, kc, slot, &n->clock, site_key(k, c, op->pc));
	n->wait_behind = behind(kc, op->flag_src, slot);
	n->wait_number = ++kc->number[slot];
	kc->last_wait[slot][op->flag_src] = n->wait_number;
	n->wait_pc = op->pc;
	n->wait_seq = slot == PIPE_S ? 0 : op->seq;
	n->waited = true;
	/* a wait is over when it has passed: later instructions of its own pipe need no barrier for it */
	if (k->bits & CHECK_OVER)
		over_cost(k, c, slot, op->pc, lost_cycles);
}

void check_barrier(struct checker *k, struct core *c, const struct op *op, int64_t lost_cycles)
{
	struct check_core *kc = &k->core[c->id];
	clock_take(k, c, op->pipe);
	struct clock all = kc->clock[op->pipe];
	all.t[op->pipe] = kc->number[op->pipe];
	all.node[op->pipe] = 0;
	clock_join(k, kc, op->pipe, &all, site_key(k, c, op->pc));
	const struct chip *chip = k->sim->chip;
	int64_t issue_cycles = chip->sync.barrier_cycles + (op->pipe == PIPE_V ? chip->sync.barrier_v_cycles : 0);
	if (k->bits & CHECK_OVER)
		over_cost(k, c, op->pipe, op->pc, lost_cycles + issue_cycles);
}

void check_barrier_all(struct checker *k, struct core *c, uint64_t pc, int64_t lost_cycles)
{
	struct check_core *kc = &k->core[c->id];
	uint32_t site = site_key(k, c, pc);
	for (int q = 1; q < SLOTS; q++) {
		struct clock all = kc->clock[q];
		all.t[q] = kc->number[q];
		all.node[q] = 0;
		if (q == SLOT_STORE)
			memset(all.t, 0, sizeof all.t), all.t[q] = kc->number[q];
		clock_join(k, kc, SLOT_S, &all, site);
	}
	if (k->bits & CHECK_OVER)
		over_cost(k, c, SLOT_S, pc, lost_cycles);
}

void check_dsb(struct checker *k, struct core *c)
{
	struct check_core *kc = &k->core[c->id];
	kc->clock[SLOT_S].t[SLOT_STORE] = kc->number[SLOT_STORE];
}

/* ---- between cores ---- */

static uint32_t *message(struct checker *k, struct check_core *to, unsigned id, uint32_t generation)
{
	struct cross_message **at = &to->inbox[id];
	while (*at && (*at)->generation != generation)
		at = &(*at)->next;
	if (*at)
		return (*at)->vector;
	struct cross_message *m = calloc(1, sizeof *m);
	uint32_t *v = calloc((size_t)k->n_core * SLOTS, sizeof *v);
	if (!m || !v) {
		free(m);
		free(v);
		k->broken = true;
		return NULL;
	}
	m->vector = v;
	m->generation = generation;
	*at = m;
	return v;
}

static bool hears(const struct core *from, const struct core *to, unsigned mode)
{
	if (mode == 0)
		return from->kind == to->kind;
	if (from->group != to->group)
		return false;
	return mode == 1 ? from->kind == to->kind : from->kind != to->kind;
}

void check_cross_set(struct checker *k, struct core *c, const struct op *op, unsigned mode, unsigned id)
{
	struct check_core *kc = &k->core[c->id];
	struct clock scalar = clock_scalar(kc);
	scalar.t[SLOT_STORE] = kc->number[SLOT_STORE];
	/* others may write behind it what a copy of this core has read */
	poll_settle(k, c);
	if (op->pipe != PIPE_S)
		clock_take(k, c, op->pipe);
	uint32_t generation = kc->sent[mode][id]++;
	kc->sets_in_block[mode][id]++;
	kc->sent_pc[id] = op->pc;
	const struct clock *own = op->pipe == PIPE_S ? &scalar : &kc->clock[op->pipe];
	const uint32_t *far = clock_remote(kc, own->remote);
	for (int i = 0; i < k->n_core && k->bits & CHECK_RACE; i++) {
		if (!hears(c, &k->sim->core[i], mode))
			continue;
		uint32_t *v = message(k, &k->core[i], id, generation);
		if (!v)
			return;
		for (int j = 0; j < k->n_core * SLOTS; j++)
			if (far[j] > v[j])
				v[j] = far[j];
		for (int q = 0; q < SLOTS; q++) {
			uint32_t t = q == op->pipe && q != PIPE_S ? kc->number[q] : own->t[q];
			if (t > v[c->id * SLOTS + q])
				v[c->id * SLOTS + q] = t;
		}
	}
}

/* Versions that no instruction under way can still ask for go. */
static void forget(struct core *c, struct check_core *kc)
{
	uint32_t low = kc->clock[SLOT_S].remote;
	for (int q = 1; q < SLOTS; q++)
		if (kc->count[q] > 0 && kc->queue[q][kc->head[q]].remote < low)
			low = kc->queue[q][kc->head[q]].remote;
	(void)c;
	uint32_t drop = low - kc->first_remote;
	if (drop < 16)
		return;
	for (uint32_t i = 0; i < drop; i++)
		free(kc->remote[i]);
	memmove(kc->remote, kc->remote + drop, (kc->n_remote - drop) * sizeof *kc->remote);
	kc->n_remote -= drop;
	kc->first_remote = low;
}

/* The scalar unit of c learns `vector`, which becomes a version. */
static bool learn(struct checker *k, struct core *c, uint32_t *vector)
{
	struct check_core *kc = &k->core[c->id];
	if (kc->n_remote == kc->max_remote) {
		uint32_t **more = realloc(kc->remote, 2 * kc->max_remote * sizeof *more);
		if (!more) {
			k->broken = true;
			free(vector);
			return false;
		}
		kc->remote = more;
		kc->max_remote *= 2;
	}
	const uint32_t *old = clock_remote(kc, kc->clock[SLOT_S].remote);
	for (int j = 0; j < k->n_core * SLOTS; j++)
		if (old[j] > vector[j])
			vector[j] = old[j];
	for (int q = 0; q < SLOTS; q++)
		if (vector[c->id * SLOTS + q] > kc->clock[SLOT_S].t[q] && q != SLOT_S)
			kc->clock[SLOT_S].t[q] = vector[c->id * SLOTS + q];
	kc->remote[kc->n_remote++] = vector;
	kc->clock[SLOT_S].remote = kc->first_remote + kc->n_remote - 1;
	forget(c, kc);
	return true;
}

void clock_hear(struct checker *k, struct core *c, const uint32_t *vector)
{
	const struct check_core *kc = &k->core[c->id];
	const uint32_t *old = clock_remote(kc, kc->clock[SLOT_S].remote);
	size_t n = (size_t)k->n_core * SLOTS, own = (size_t)c->id * SLOTS;
	bool news = false;
	for (size_t j = 0; j < n && !news; j++)
		news = vector[j] > old[j] && (j < own || j >= own + SLOTS || vector[j] > kc->clock[SLOT_S].t[j - own]);
	uint32_t *copy = news ? malloc(n * sizeof *copy) : NULL;
	k->broken |= news && !copy;
	if (copy)
		(void)learn(k, c, memcpy(copy, vector, n * sizeof *copy));
}

void check_cross_wait(struct checker *k, struct core *c, uint64_t pc, unsigned id, int64_t lost_cycles)
{
	struct check_core *kc = &k->core[c->id];
	struct cross_message **at = &kc->inbox[id], *m;
	uint32_t generation = kc->received[id]++;
	(void)pc;
	(void)lost_cycles;
	while (*at && (*at)->generation != generation)
		at = &(*at)->next;
	m = *at;
	if (!m)
		return;
	*at = m->next;
	(void)learn(k, c, m->vector);
	free(m);
}
