/*
 * path.c - the critical path: from the instruction that ended last back along what each one waited for.
 */
#include "analysis.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_MAX = 200000 };

static bool push(struct path *p, uint32_t *max, uint32_t lane, uint32_t row, enum path_via via)
{
	if (p->n == *max) {
		uint32_t more = *max ? *max * 2 : 256;
		struct path_step *s = realloc(p->step, more * sizeof *s);
		if (!s)
			return false;
		p->step = s;
		*max = more;
	}
	p->step[p->n++] = (struct path_step){ lane, row, via };
	return true;
}

static bool last_row(const struct model *m, uint32_t core, uint32_t *lane, uint32_t *row)
{
	uint32_t n_pipe = m->vtr->head.n_pipe;
	int64_t last = -1;
	for (uint32_t li = core * n_pipe; li < (core + 1) * n_pipe; li++) {
		const struct lane *l = &m->lane[li];
		if ((int)l->pipe != m->hold_pipe && l->n && row_end(&l->row[l->n - 1]) > last) {
			last = row_end(&l->row[l->n - 1]);
			*lane = li;
			*row = l->n - 1;
		}
	}
	return last >= 0;
}

/* The instruction that this core dispatched before `seq`: it is on one of the core's lanes. */
static bool before_in_program(const struct model *m, uint32_t core, uint32_t seq, uint32_t *lane, uint32_t *row)
{
	uint32_t n_pipe = m->vtr->head.n_pipe;
	if (seq <= 1)
		return false;
	for (uint32_t li = core * n_pipe; li < (core + 1) * n_pipe; li++)
		if ((*row = lane_seq(&m->lane[li], seq - 1)) != UINT32_MAX) {
			*lane = li;
			return true;
		}
	return false;
}

/* What decided that row could not start earlier: its releaser, the pipe's older work, or the scalar unit. */
static enum path_via step_back(const struct model *m, uint32_t *lane, uint32_t *row)
{
	const struct lane *l = &m->lane[*lane];
	const struct row *r = &l->row[*row];
	uint32_t to_lane, to_row;
	const struct vtr_site *site = model_site(m, r);
	enum vtr_role role = site ? site->role : VTR_WORK;
	if (r->stall > 0 && model_releaser(m, l, r, &to_lane, &to_row) &&
	    m->lane[to_lane].row[to_row].start <= r->start && (to_lane != *lane || to_row < *row)) {
		*lane = to_lane;
		*row = to_row;
		return PATH_FLAG;
	}
	if (*row > 0) {
		const struct row *older = &l->row[*row - 1];
		bool behind = row_issue_end(older) >= r->start - r->stall;
		/* a flag fires, a barrier opens when the older work's results are there */
		if (behind || (role != VTR_WORK && row_end(older) >= r->start - r->stall)) {
			(*row)--;
			return PATH_PIPE;
		}
	}
	uint32_t seq = r->seq;
	if (!before_in_program(m, l->core, seq, &to_lane, &to_row))
		return PATH_START;
	*lane = to_lane;
	*row = to_row;
	return PATH_SCALAR;
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

static bool make_keys(struct path *p)
{
	p->key = malloc((p->n ? p->n : 1) * sizeof *p->key);
	if (!p->key)
		return false;
	for (uint32_t i = 0; i < p->n; i++)
		p->key[i] = (uint64_t)p->step[i].lane << 32 | p->step[i].row;
	qsort(p->key, p->n, sizeof *p->key, by_key);
	return true;
}

bool analysis_path(const struct model *m, uint32_t core, struct path *p)
{
	uint32_t lane, row, max = 0;
	memset(p, 0, sizeof *p);
	if (core >= m->vtr->head.n_core || !last_row(m, core, &lane, &row))
		return false;
	while (p->n < PATH_MAX) {
		uint32_t here_lane = lane, here_row = row;
		enum path_via via = step_back(m, &lane, &row);
		if (!push(p, &max, here_lane, here_row, via) || via == PATH_START)
			break;
	}
	if (make_keys(p))
		return true;
	path_free(p);
	return false;
}

void path_free(struct path *p)
{
	free(p->step);
	free(p->key);
	memset(p, 0, sizeof *p);
}

bool path_has(const struct path *p, uint32_t lane, uint32_t row)
{
	uint64_t key = (uint64_t)lane << 32 | row;
	return p->n && bsearch(&key, p->key, p->n, sizeof key, by_key) != NULL;
}
