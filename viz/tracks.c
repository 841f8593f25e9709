/*
 * tracks.c - the list of lanes from top to bottom: per core a head and its pipes, or one thin summary; of a second run
 * directly below the same core of the first.
 */
#include "ui.h"

#include <stdlib.h>

static void add(struct ui *u, struct track t)
{
	if (u->n_track == u->max_track) {
		int more = u->max_track ? u->max_track * 2 : 256;
		struct track *p = realloc(u->track, (size_t)more * sizeof *p);
		if (!p)
			return;
		u->track = p;
		u->max_track = more;
	}
	t.y = u->track_h;
	u->track_h += t.h;
	u->track[u->n_track++] = t;
}

/* Lanes with something in them; a live transfer that has not ended counts. */
static bool used(const struct ui *u, int run, uint32_t lane)
{
	const struct model *m = ui_model(u, run);
	const struct sim *s = u->live && run == 0 ? live_sim(u->live) : NULL;
	const struct lane *l = &m->lane[lane];
	bool busy = false; /* before its rows have been read, the totals say which lanes there will be */
	if (u->run[run].reading && m->vtr->done.totals)
		busy = m->vtr->done.totals[(size_t)lane * m->vtr->head.n_cause] > 0;
	return l->n > 0 || busy ||
	       (s && l->core < (uint32_t)s->n_core && l->pipe < PIPE_COUNT && s->core[l->core].pipe[l->pipe].flow >= 0);
}

static int lanes_of(const struct ui *u, int run, uint32_t core)
{
	uint32_t n_pipe = ui_model(u, run)->vtr->head.n_pipe;
	int n = 0;
	for (uint32_t p = 0; p < n_pipe; p++)
		n += used(u, run, core * n_pipe + p);
	return n;
}

static void add_core(struct ui *u, int run, uint32_t core)
{
	const struct model *m = ui_model(u, run);
	int n = lanes_of(u, run, core), line = u->cell_h + 4, thin = u->cell_h / 4;
	struct track t = { .run = (uint8_t)run, .core = core, .lane = core * m->vtr->head.n_pipe };
	if (n == 0)
		return;
	if (!u->run[run].open[core]) {
		t.mini = true;
		t.h = n * thin + 4 > line ? n * thin + 4 : line;
		add(u, t);
		return;
	}
	t.head = true;
	t.h = line;
	add(u, t);
	t.head = false;
	t.h = u->cell_h + 9;
	for (uint32_t p = 0; p < m->vtr->head.n_pipe; p++) {
		t.lane = core * m->vtr->head.n_pipe + p;
		if (used(u, run, t.lane))
			add(u, t);
	}
}

void ui_tracks(struct ui *u)
{
	uint32_t most = 0;
	u->n_track = u->track_h = 0;
	for (int r = 0; r < u->n_run; r++)
		most = u->run[r].model->vtr->head.n_core > most ? u->run[r].model->vtr->head.n_core : most;
	for (uint32_t c = 0; c < most; c++)
		for (int r = 0; r < u->n_run; r++)
			if (c < u->run[r].model->vtr->head.n_core)
				add_core(u, r, c);
	for (int i = 0; i < u->n_track && u->bring_core; i++)
		if (u->track[i].head && u->track[i].core == u->run[0].focus.core) {
			u->scroll_y = u->track[i].y;
			u->bring_core = u->lanes.h <= 0;
		}
	if (u->scroll_y > u->track_h - u->lanes.h)
		u->scroll_y = u->track_h - u->lanes.h;
	if (u->scroll_y < 0)
		u->scroll_y = 0;
	/* whole rows at the top: half a line of text is no text */
	for (int i = 0; i < u->n_track; i++)
		if (u->scroll_y > u->track[i].y && u->scroll_y < u->track[i].y + u->track[i].h) {
			u->scroll_y = i + 1 == u->n_track ? u->track[i].y : u->track[i + 1].y;
			break;
		}
}

void ui_toggle_core(struct ui *u, uint32_t core)
{
	bool open = false;
	for (int r = 0; r < u->n_run; r++)
		open |= core < u->run[r].model->vtr->head.n_core && u->run[r].open[core];
	for (int r = 0; r < u->n_run; r++)
		if (core < u->run[r].model->vtr->head.n_core)
			u->run[r].open[core] = !open;
	u->dirty = true;
}

const struct track *ui_track_at(const struct ui *u, int y)
{
	int at = y - u->lanes.y + u->scroll_y;
	for (int i = 0; i < u->n_track; i++)
		if (at >= u->track[i].y && at < u->track[i].y + u->track[i].h)
			return &u->track[i];
	return NULL;
}
