/*
 * why_state.c - where the analysis of a run stands, saved and put back.
 */
#include "why_guard.h"

#include <stdlib.h>
#include <string.h>

/* A core's part without its rings. */
struct why_core_state {
	struct why_core core;
	struct why_guard guard[PIPE_COUNT];
};

bool why_save(const struct why *w, struct why_state *x)
{
	int n = w->sim->n_core;
	for (int i = 0; i < n; i++)
		if (w->core[i].newest >= w->steps_per_core || w->core[i].n_hold >= w->steps_per_core)
			return false;
	x->core = malloc(((size_t)n + 1) * sizeof *x->core);
	if (!x->core)
		return false;
	for (int i = 0; i < n; i++) {
		x->core[i].core = w->core[i];
		memcpy(x->core[i].guard, w->core[i].guard, sizeof x->core[i].guard);
	}
	memcpy(x->pair, w->pair, sizeof x->pair);
	x->short_of_memory = w->short_of_memory;
	return true;
}

void why_put_back(struct why *w, const struct why_state *x)
{
	for (int i = 0; i < w->sim->n_core; i++) {
		struct why_core *c = &w->core[i], now = *c;
		*c = x->core[i].core;
		/* the rings have grown since; what they hold of then is where it was */
		c->step = now.step;
		c->size = now.size;
		c->hold = now.hold;
		c->hold_size = now.hold_size;
		c->guard = now.guard;
		memcpy(c->guard, x->core[i].guard, sizeof x->core[i].guard);
	}
	memcpy(w->pair, x->pair, sizeof w->pair);
	w->short_of_memory = x->short_of_memory;
}

void why_state_free(struct why_state *x)
{
	free(x->core);
	x->core = NULL;
}
