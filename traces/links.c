/*
 * links.c - arrows between instructions: the k-th set_flag of a pair of pipes and event id belongs to the k-th
 * wait_flag of the same; other releasers are found by their sequence number among the core's recent instructions.
 */
#include "export.h"

#include <stdlib.h>
#include <string.h>

enum { PENDING = 128, RECENT = 1024 };

struct core_links {
	int n_pending;
	struct link_end pending[PENDING]; /* sets nobody has taken, oldest first */
	struct link_end recent[RECENT];   /* by seq modulo RECENT */
};

struct links { const struct vtr *t; struct core_links **core; };

struct links *links_new(const struct vtr *t, struct fail *f)
{
	struct links *l = calloc(1, sizeof *l);
	if (l && (l->core = calloc(t->head.n_core, sizeof *l->core))) {
		l->t = t;
		return l;
	}
	free(l);
	fail_set(f, FAIL_INTERNAL, "no memory for the trace's arrows");
	return NULL;
}

void links_free(struct links *l)
{
	if (!l)
		return;
	for (uint32_t i = 0; i < l->t->head.n_core; i++)
		free(l->core[i]);
	free(l->core);
	free(l);
}

void links_note(struct links *l, const struct vtr_event *e, uint64_t id, int64_t at)
{
	struct core_links *c = l->core[e->core];
	struct link_end end = { e->seq, id, at, e->pipe, e->flag_src, e->flag_dst, e->event_id };
	if (!c && !(c = l->core[e->core] = calloc(1, sizeof *c)))
		return; /* without memory there are fewer arrows */
	c->recent[e->seq % RECENT] = end;
	if (!e->has_flag || l->t->site[e->site].role != VTR_SET_FLAG)
		return;
	if (c->n_pending == PENDING)
		memmove(c->pending, c->pending + 1, (size_t)--c->n_pending * sizeof end);
	c->pending[c->n_pending++] = end;
}

bool links_set_of(struct links *l, const struct vtr_event *e, struct link_end *set)
{
	struct core_links *c = l->core[e->core];
	for (int i = 0; c && i < c->n_pending; i++) {
		struct link_end *p = &c->pending[i];
		if (p->src != e->flag_src || p->dst != e->flag_dst || p->event_id != e->event_id)
			continue;
		*set = *p;
		memmove(p, p + 1, (size_t)(--c->n_pending - i) * sizeof *p);
		return true;
	}
	return false;
}

bool links_releaser(const struct links *l, const struct vtr_event *e, struct link_end *from)
{
	const struct core_links *c = l->core[e->core];
	if (!c || e->releaser == 0)
		return false;
	*from = c->recent[e->releaser % RECENT];
	return from->seq == e->releaser && from->pipe == e->releaser_pipe;
}
