/*
 * check_over.c - waits and barriers that order nothing that needs order. Each bit of knowledge in a clock remembers which
 * wait brought it (and over which others it came); an access that meets an older one asks for it, and marks those as
 * needed. What no access ever asked for, and what time it cost, is listed.
 */
#include "check_priv.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 1 << 16 };

uint32_t over_node(struct checker *k, uint32_t site, uint32_t parent)
{
	/* few distinct pairs: those of one kernel's source lines; the newest are asked for most */
	for (uint32_t i = k->n_node; i-- > 1;)
		if (k->node[i].site == site && k->node[i].parent == parent)
			return i;
	if (k->n_node >= MAX_NODES)
		return 0;
	if (k->n_node == k->max_node) {
		uint32_t max = k->max_node ? 2 * k->max_node : 256;
		struct node *n = realloc(k->node, max * sizeof *n);
		if (!n)
			return 0;
		k->node = n;
		k->max_node = max;
		if (k->n_node == 0)
			k->n_node = 1;
	}
	k->node[k->n_node] = (struct node){ site, parent, false };
	return k->n_node++;
}

void over_raise(struct checker *k, struct check_core *kc, int slot, int component, uint32_t before, uint32_t node)
{
	struct provider *p = &kc->provider[slot][component];
	(void)k;
	p->before[2] = p->before[1];
	p->node[2] = p->node[1];
	p->before[1] = p->before[0];
	p->node[1] = p->node[0];
	p->before[0] = before;
	p->node[0] = node;
	kc->clock[slot].node[component] = node;
}

void over_used(struct checker *k, struct check_core *kc, int slot, epoch e)
{
	struct provider *p = &kc->provider[slot][epoch_slot(e)];
	for (int i = 0; i < 3; i++)
		if (epoch_number(e) > p->before[i]) {
			for (uint32_t n = p->node[i]; n && n < k->n_node && !k->node[n].used; n = k->node[n].parent)
				k->node[n].used = true;
			return;
		}
}

struct sync_site *over_site(struct checker *k, const struct core *c, uint64_t pc)
{
	int p = c->program == k->sim->program[1];
	uint32_t i = check_site(c, pc);
	return i < k->n_site[p] ? &k->site[p][i] : NULL;
}

void over_cost(struct checker *k, struct core *c, int slot, uint64_t pc, int64_t cycles)
{
	struct check_core *kc = &k->core[c->id];
	struct sync_site *s = over_site(k, c, pc);
	if (!s)
		return;
	s->times++;
	s->seen = true;
	/* it costs time only if the pipe has something to do afterwards */
	if (kc->pending_cycles[slot] == 0 || cycles > kc->pending_cycles[slot]) {
		kc->pending_cycles[slot] = cycles;
		kc->pending_site[slot] = check_site(c, pc) + 1;
	}
}

void over_real(struct checker *k, struct core *c, int slot)
{
	struct check_core *kc = &k->core[c->id];
	if (!kc->pending_site[slot])
		return;
	struct sync_site *s = over_site(k, c, check_site_pc(c, kc->pending_site[slot] - 1));
	if (s)
		s->cycles += kc->pending_cycles[slot];
	kc->pending_site[slot] = 0;
	kc->pending_cycles[slot] = 0;
}

static const struct core *core_of(const struct checker *k, int program)
{
	for (int i = 0; i < k->n_core; i++)
		if (k->sim->core[i].program == k->sim->program[program])
			return &k->sim->core[i];
	return NULL;
}

static void list(struct checker *k, const struct core *c, uint32_t site, const struct sync_site *s)
{
	struct check_result *r = &k->result;
	int at = r->n_over;
	while (at > 0 && r->over[at - 1].cycles < s->cycles)
		at--;
	if (at == CHECK_OVERS)
		return;
	int last = r->n_over < CHECK_OVERS ? r->n_over++ : CHECK_OVERS - 1;
	memmove(&r->over[at + 1], &r->over[at], (size_t)(last - at) * sizeof r->over[0]);
	struct check_over *o = &r->over[at];
	*o = (struct check_over){ .times = s->times, .cycles = s->cycles };
	check_place_at(k, c, PIPE_S, check_site_pc(c, site), -1, &o->at);
	o->at.core = -1;
}

void over_end(struct checker *k)
{
	for (uint32_t i = 1; i < k->n_node; i++) {
		struct node *n = &k->node[i];
		int p = n->site & 1;
		uint32_t site = (n->site >> 1) - 1;
		if (n->used && n->site && site < k->n_site[p])
			k->site[p][site].used = true;
	}
	for (int p = 0; p < 2; p++) {
		const struct core *c = core_of(k, p);
		for (uint32_t i = 0; c && i < k->n_site[p]; i++)
			if (k->site[p][i].seen && !k->site[p][i].used && k->site[p][i].cycles * 1000 >= k->sim->end)
				list(k, c, i, &k->site[p][i]);
	}
}
