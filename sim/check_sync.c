/*
 * check_sync.c - flags and cross-core flags that do not pair up: left set when the block ends, set twice, cores that set less
 * often than the others.
 */
#include "check_priv.h"

#include <string.h>

void check_flag_twice(struct checker *k, struct core *c, int src, int dst, int id)
{
	bool fresh;
	char event[32];
	const struct flag_note *n = clock_flag(&k->core[c->id], src, dst, id);
	struct check_finding *f = check_find(k, CHECK_SYNCS, "set-twice", c, n->set_pc, c, n->set_before_pc, &fresh);
	if (f)
		root_twice(k, f, c, src, dst, id);
	if (!f || !fresh)
		return;
	check_place_at(k, c, src, n->set_pc, k->sim->now, &f->at);
	check_place_at(k, c, src, n->set_before_pc, -1, &f->other);
	check_say(f->other_role, sizeof f->other_role, "the set before it");
	check_say(f->what, sizeof f->what,
		  "flag %s -> %s, %s is set again before anything waited for it: one set is lost",
		  isa_pipe_name((enum isa_pipe)src), isa_pipe_name((enum isa_pipe)dst),
		  sync_event_text(id, event, sizeof event));
	check_say(f->hint, sizeof f->hint, "pair every set_flag with one wait_flag, or use another event id");
}

static void left_set(struct checker *k, struct core *c, int src, int dst, int id)
{
	bool fresh;
	char event[32];
	uint64_t pc = c->flag[src][dst][id].setter_pc;
	struct check_finding *f = check_find(k, CHECK_SYNCS, "left-set", c, pc, NULL, 0, &fresh);
	if (f)
		root_left(k, f, c, src, dst, id);
	if (!f || !fresh)
		return;
	check_place_at(k, c, src, pc, c->flag[src][dst][id].cycle, &f->at);
	check_say(f->what, sizeof f->what,
		  "flag %s -> %s, %s is set, nothing waits for it before block %d ends: it leaks into the next"
		  " kernel on the core",
		  isa_pipe_name((enum isa_pipe)src), isa_pipe_name((enum isa_pipe)dst),
		  sync_event_text(id, event, sizeof event), c->block);
	check_say(f->hint, sizeof f->hint, "add the wait_flag from PIPE_%s to PIPE_%s, or drop the set",
		  isa_pipe_name((enum isa_pipe)src), isa_pipe_name((enum isa_pipe)dst));
}

void check_block_end(struct checker *k, struct core *c)
{
	if (!(k->bits & CHECK_SYNC))
		return;
	for (int src = 0; src < PIPE_COUNT; src++)
		for (int dst = 0; dst < PIPE_COUNT; dst++)
			for (int id = 0; id < SIM_EVENT_IDS; id++) {
				if (c->flag[src][dst][id].set)
					left_set(k, c, src, dst, id);
				clock_flag(&k->core[c->id], src, dst, id)->first_seq = 0;
			}
}

static void cross_left(struct checker *k, struct core *c, unsigned id)
{
	bool fresh;
	uint64_t pc = 0;
	const struct core *setter = NULL;
	for (int i = 0; i < k->n_core && !setter; i++)
		if (k->core[i].sent_pc[id]) {
			setter = &k->sim->core[i];
			pc = k->core[i].sent_pc[id];
		}
	if (!setter)
		return;
	struct check_finding *f = check_find(k, CHECK_SYNCS, "cross-left", setter, pc, NULL, id, &fresh);
	if (!f || !fresh)
		return;
	check_place_at(k, setter, PIPE_S, pc, -1, &f->at);
	check_say(f->what, sizeof f->what,
		  "cross-core flag %u of core %d still counts %d when the kernel ends: wait_flag_dev(%u) is missing",
		  id, c->id, c->xflag[id], id);
	check_say(f->hint, sizeof f->hint, "every core that a set reaches must wait for it once");
}

/* Cores that set a joint flag less often than others of their kind. */
static void left_early(struct checker *k, const struct core *c, unsigned mode, unsigned id, const struct core *other)
{
	bool fresh;
	const struct check_core *kc = &k->core[c->id], *ko = &k->core[other->id];
	struct check_finding *f = check_find(k, CHECK_SYNCS, "left-early", other, ko->sent_pc[id], NULL, 0, &fresh);
	if (!f || !fresh)
		return;
	check_place_at(k, other, PIPE_S, ko->sent_pc[id], -1, &f->at);
	check_say(f->what, sizeof f->what,
		  "core %d sets cross-core flag %u (mode %u) %u times, core %d only %u times: it takes every core each"
		  " time, the others wait for ever",
		  other->id, id, mode, ko->sent[mode][id], c->id, kc->sent[mode][id]);
	check_say(f->hint, sizeof f->hint, "no core may return, or skip the barrier, while others still pass it");
}

bool sync_uneven(struct checker *k)
{
	bool any = false;
	for (int i = 0; i < k->n_core; i++)
		for (int j = 0; j < k->n_core; j++) {
			const struct core *c = &k->sim->core[i], *o = &k->sim->core[j];
			for (unsigned id = 0; id < SIM_XFLAGS && o->kind == c->kind; id++)
				for (unsigned mode = 0; mode < 3; mode++)
					if ((mode == 0 || o->group == c->group) &&
					    k->core[i].sent[mode][id] < k->core[j].sent[mode][id]) {
						left_early(k, c, mode, id, o);
						any = true;
					}
		}
	return any;
}

void sync_end(struct checker *k)
{
	if (!(k->bits & CHECK_SYNC) || sync_uneven(k))
		return;
	for (int i = 0; i < k->n_core; i++)
		for (unsigned id = 0; id < SIM_XFLAGS; id++)
			if (k->sim->core[i].xflag[id] > 0 && k->core[i].started)
				cross_left(k, &k->sim->core[i], id);
}
