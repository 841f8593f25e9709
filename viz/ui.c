/*
 * ui.c - the window's state: runs, the stretch of time shown, selection, search.
 */
#include "tuning.h"
#include "ui.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void ui_init(struct ui *u)
{
	memset(u, 0, sizeof *u);
	u->dark = true;
	u->split_y = 0.56;
	u->split_x = 0.36;
	u->cursor = -1;
	u->arrows = true;
	u->map_cycle = -1;
	u->dirty = true;
	u->to = 1000;
	ui_size(u, 1280, 720, 7, 15);
}

void ui_size(struct ui *u, int w, int h, int cell_w, int cell_h)
{
	u->bring_core |= !u->pick.any && (u->w != w || u->h != h);
	u->w = w < 64 ? 64 : w;
	u->h = h < 64 ? 64 : h;
	u->cell_w = cell_w < 1 ? 1 : cell_w;
	u->cell_h = cell_h < 1 ? 1 : cell_h;
	u->pad = u->cell_h / 3 + 1;
	u->dirty = true;
}

static void drop(struct ui_run *r)
{
	if (r->model) {
		model_free(r->model);
		free(r->model);
	}
	path_free(&r->path);
	free(r->open);
	free(r->line_text);
	memset(r, 0, sizeof *r);
}

void ui_drop_runs(struct ui *u)
{
	for (int i = 0; i < u->n_run; i++)
		drop(&u->run[i]);
	u->n_run = 0;
	tuning_free(u->tuning);
	u->tuning = NULL;
	u->live = NULL;
	u->live_running = false;
	free(u->match);
	u->match = NULL;
	u->match_on = false;
	u->pick.any = u->hover.any = false;
	u->cursor = -1;
	u->range_to = u->range_from = 0;
	u->n_undo = u->n_mark = u->scroll_y = 0;
	u->map_cycle = -1;
	u->dirty = true;
}

void ui_free(struct ui *u)
{
	ui_drop_runs(u);
	draw_free(&u->draw);
	free(u->track);
	memset(u, 0, sizeof *u);
}

void ui_say(struct ui *u, bool error, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(u->message, sizeof u->message, fmt, ap);
	va_end(ap);
	u->message_is_error = error;
	u->dirty = true;
}

void ui_fail(struct ui *u, const struct fail *f)
{
	ui_say(u, true, "%s%s%s%s%s", f->file[0] ? f->file : "", f->file[0] ? ": " : "", f->what,
	       f->hint[0] ? "\n" : "", f->hint);
}

const struct model *ui_model(const struct ui *u, int run) { return run < u->n_run ? u->run[run].model : NULL; }

double ui_span(const struct ui *u)
{
	double span = 1;
	for (int i = 0; i < u->n_run; i++)
		span = (double)u->run[i].model->end > span ? (double)u->run[i].model->end : span;
	if (u->live && span < (double)live_cycle(u->live))
		span = (double)live_cycle(u->live);
	return u->live && span < 1000 ? 1000 : span;
}

/* The kernel's source, when it still stands where the trace says. */
static void read_source(struct ui_run *r)
{
	enum { MOST = 4 << 20 };
	const char *path = r->model->vtr->head.kernel, *slash = strrchr(path, '/');
	FILE *in = fopen(path, "r");
	snprintf(r->line_file, sizeof r->line_file, "%s", slash ? slash + 1 : path);
	if (!in)
		return;
	char *text = malloc(MOST + 1);
	size_t n = text ? fread(text, 1, MOST, in) : 0;
	fclose(in);
	if (!text || memchr(text, 0, n)) { /* an .elf is no source */
		free(text);
		return;
	}
	text[n] = 0;
	r->line_text = realloc(text, n + 1);
}

static bool add(struct ui *u, struct model *m)
{
	struct ui_run *r = &u->run[u->n_run];
	const struct vtr_head *h = &m->vtr->head;
	struct fail f = { 0 };
	memset(r, 0, sizeof *r);
	r->open = calloc(h->n_core ? h->n_core : 1, 1);
	if (!r->open)
		return false;
	r->model = m;
	r->has_chip = chip_load(h->chip, &r->chip, &f);
	read_source(r);
	r->findings = m->vtr->findings;
	analysis_focus(m, &r->focus);
	for (uint32_t c = 0; c < h->n_core; c++)
		r->open[c] = h->n_core <= 3 || c == u->run[0].focus.core;
	if (u->n_run == 0) {
		free(u->match);
		u->match = calloc(m->vtr->n_site ? m->vtr->n_site : 1, 1);
	}
	u->n_run++;
	u->bring_core = true;
	ui_fit(u);
	u->n_undo = 0;
	u->map_cycle = -1;
	if (u->n_run == UI_RUNS)
		u->tab = TAB_COMPARE;
	return u->match != NULL;
}

bool ui_add_run(struct ui *u, struct model *m)
{
	if (u->live || u->n_run == UI_RUNS)
		ui_drop_runs(u);
	return add(u, m);
}

void ui_whole_run(struct ui *u, int run, struct model *m)
{
	struct ui_run *r = &u->run[run];
	bool first = run == 0;
	model_free(r->model);
	free(r->model);
	path_free(&r->path);
	r->has_path = r->reading = false;
	r->model = m;
	r->findings = m->vtr->findings;
	analysis_focus(m, &r->focus);
	if (r->focus.core < m->vtr->head.n_core)
		r->open[r->focus.core] = 1;
	u->pick.any = u->hover.any = false;
	u->map_cycle = -1;
	u->bring_core |= first;
	u->dirty = true;
}

void ui_fit(struct ui *u)
{
	double span = ui_span(u);
	ui_show(u, -0.01 * span, 1.01 * span, true);
	u->follow = true;
}

void ui_show(struct ui *u, double from, double to, bool remember)
{
	double least = 8, most = ui_span(u) * 1.5 + 100;
	if (!(to - from >= least)) {
		double middle = (from + to) / 2;
		from = middle - least / 2;
		to = middle + least / 2;
	}
	if (to - from > most) {
		double middle = (from + to) / 2;
		from = middle - most / 2;
		to = middle + most / 2;
	}
	double shift = to < 0.02 * (to - from) ? 0.02 * (to - from) - to : 0;
	if (from > ui_span(u))
		shift = ui_span(u) - from;
	u->zoom_sign = remember ? 0 : u->zoom_sign;
	u->follow = u->follow && !remember;
	if (remember && (u->from != from || u->to != to)) {
		if (u->n_undo == UI_UNDO)
			memmove(u->undo, u->undo + 1, (size_t)--u->n_undo * sizeof u->undo[0]);
		u->undo[u->n_undo].from = u->from;
		u->undo[u->n_undo++].to = u->to;
	}
	u->from = from + shift;
	u->to = to + shift;
	u->dirty = true;
}

void ui_undo(struct ui *u)
{
	if (u->n_undo == 0)
		return;
	u->n_undo--;
	u->zoom_sign = 0;
	u->from = u->undo[u->n_undo].from;
	u->to = u->undo[u->n_undo].to;
	u->dirty = true;
}

/* Kept within what an int holds. */
double ui_px(const struct ui *u, double cycle)
{
	double x = u->lanes.x + (cycle - u->from) * u->lanes.w / (u->to - u->from);
	return x < -1e8 ? -1e8 : x > 1e8 ? 1e8 : x;
}

double ui_cycle(const struct ui *u, double x)
{
	return u->from + (x - u->lanes.x) * (u->to - u->from) / (u->lanes.w > 0 ? u->lanes.w : 1);
}

void ui_zoom(struct ui *u, double factor, double about)
{
	/* one entry of the undo list for a row of zooms in one direction */
	int sign = factor < 1 ? -1 : 1;
	ui_show(u, about - (about - u->from) * factor, about + (u->to - about) * factor, u->zoom_sign != sign);
	u->zoom_sign = sign;
}

void ui_pan(struct ui *u, double cycles)
{
	u->follow = false;
	ui_show(u, u->from + cycles, u->to + cycles, false);
}

uint32_t ui_core(const struct ui *u)
{
	if (u->pick.any && u->pick.run == 0)
		return u->run[0].model->lane[u->pick.lane].core;
	return u->n_run && !u->live ? u->run[0].focus.core : 0;
}

/* ---- selection ---- */

void ui_select(struct ui *u, int run, uint32_t lane, uint32_t row, bool bring)
{
	const struct model *m = ui_model(u, run);
	if (!m || lane >= m->n_lane || row >= m->lane[lane].n)
		return;
	u->pick = (struct ui_pick){ true, (uint8_t)run, lane, row };
	u->cursor = m->lane[lane].row[row].start;
	u->range_shown = false;
	u->scroll_left = 0;
	if (bring)
		ui_bring(u);
	u->dirty = true;
}

void ui_bring(struct ui *u)
{
	const struct model *m = ui_model(u, u->pick.run);
	if (!u->pick.any || !m)
		return;
	const struct lane *l = &m->lane[u->pick.lane];
	const struct row *r = &l->row[u->pick.row];
	double a = (double)r->start - r->stall, b = (double)row_issue_end(r), room = u->to - u->from;
	if (b - a > room)
		ui_show(u, a - (b - a) * 0.1, b + (b - a) * 0.1, true);
	else if (a < u->from || b > u->to)
		ui_show(u, (a + b) / 2 - room / 2, (a + b) / 2 + room / 2, true);
	if (!u->run[u->pick.run].open[l->core]) {
		u->run[u->pick.run].open[l->core] = 1;
		ui_tracks(u);
	}
	for (int i = 0; i < u->n_track; i++) {
		const struct track *t = &u->track[i];
		if (t->run != u->pick.run || t->head || t->lane != u->pick.lane || t->core != l->core)
			continue;
		if (t->y < u->scroll_y)
			u->scroll_y = t->y - t->h;
		if (t->y + t->h > u->scroll_y + u->lanes.h)
			u->scroll_y = t->y + 2 * t->h - u->lanes.h;
		if (u->scroll_y < 0)
			u->scroll_y = 0;
	}
}

void ui_step(struct ui *u, int by)
{
	const struct model *m = ui_model(u, u->pick.run);
	if (!u->pick.any || !m)
		return;
	const struct lane *l = &m->lane[u->pick.lane];
	if ((by < 0 && u->pick.row == 0) || (by > 0 && u->pick.row + 1 >= l->n))
		return;
	ui_select(u, u->pick.run, u->pick.lane, by < 0 ? u->pick.row - 1 : u->pick.row + 1, true);
}

void ui_jump(struct ui *u, bool to_releaser)
{
	const struct model *m = ui_model(u, u->pick.run);
	uint32_t lane, row;
	if (!u->pick.any || !m)
		return;
	const struct lane *l = &m->lane[u->pick.lane];
	bool found = to_releaser ? model_releaser(m, l, &l->row[u->pick.row], &lane, &row)
				 : model_released(m, l, u->pick.row, &lane, &row);
	if (found)
		ui_select(u, u->pick.run, lane, row, true);
}

void ui_longest(struct ui *u, uint32_t cause)
{
	const struct model *m = ui_model(u, 0);
	struct ui_pick best = { 0 };
	int64_t most = 0;
	enum cause_group group = m && cause < m->vtr->head.n_cause ? cause_group(m->vtr->head.cause[cause]) : GROUP_OUTSIDE;
	bool empty = m && group == GROUP_EMPTY, slowed = group == GROUP_BANK || group == GROUP_BANDWIDTH;
	if (empty) { /* no row carries it: the longest gap of the verdict's pipe */
		uint32_t lane = u->run[0].focus.core * m->vtr->head.n_pipe + u->run[0].focus.pipe;
		const struct lane *l = &m->lane[lane];
		for (uint32_t k = 1; k < l->n; k++) {
			int64_t gap = l->row[k].start - l->row[k].stall - row_issue_end(&l->row[k - 1]);
			if (gap > most) {
				most = gap;
				best = (struct ui_pick){ true, 0, lane, k };
			}
		}
	}
	for (uint32_t i = 0; m && !empty && i < m->n_lane; i++)
		for (uint32_t k = 0; k < m->lane[i].n; k++) {
			const struct row *r = &m->lane[i].row[k];
			/* a pipe slowed down: the instruction that lost most within its own time */
			bool extra = slowed && row_extra_is_bank(r) == (group == GROUP_BANK);
			int64_t lost = extra ? r->extra : row_cause(r) == cause && !slowed ? r->stall : 0;
			if (lost > most) {
				most = lost;
				best = (struct ui_pick){ true, 0, i, k };
			}
		}
	if (!best.any)
		return;
	ui_select(u, 0, best.lane, best.row, false);
	const struct row *r = &m->lane[best.lane].row[best.row];
	double width = (double)most + r->issue;
	ui_show(u, (double)(r->start - most) - width, (double)row_issue_end(r) + width, true);
	ui_bring(u);
}

/* The row of that site that lost most, waiting or slowed down; of the core where the critical path ends when it is there. */
static struct ui_pick worst_of_site(const struct model *m, uint32_t site, uint32_t core)
{
	struct ui_pick best = { 0 };
	int64_t most = -1;
	bool own = false;
	for (uint32_t i = 0; i < m->n_lane; i++)
		for (uint32_t k = 0; k < m->lane[i].n; k++) {
			const struct row *r = &m->lane[i].row[k];
			int64_t lost = (int64_t)r->stall + r->extra;
			bool here = m->lane[i].core == core;
			if (row_site(r) != site || (own && !here) || (lost <= most && own == here))
				continue;
			own = here;
			most = lost;
			best = (struct ui_pick){ true, 0, i, k };
		}
	return best;
}

void ui_finding(struct ui *u, uint32_t number)
{
	const struct model *m = ui_model(u, 0);
	const struct vtr_findings *x = m ? u->run[0].findings : NULL;
	if (!x || number >= x->n_finding)
		return;
	const struct vtr_finding *f = &x->finding[number];
	struct ui_pick p = f->site == UINT32_MAX ? (struct ui_pick){ 0 } : worst_of_site(m, f->site, x->path_core);
	if (p.any) {
		const struct row *r = &m->lane[p.lane].row[p.row];
		double width = (double)r->stall + r->issue;
		ui_select(u, 0, p.lane, p.row, false);
		ui_show(u, (double)r->start - r->stall - width, (double)row_issue_end(r) + width, true);
		ui_bring(u);
	} else if (f->cause < m->vtr->head.n_cause) {
		ui_longest(u, f->cause);
	} else { /* it is about the whole run */
		ui_fit(u);
		u->scroll_y = 0;
	}
}

void ui_mark(struct ui *u)
{
	int64_t at = u->cursor >= 0 ? u->cursor : (int64_t)((u->from + u->to) / 2);
	for (int i = 0; i < u->n_mark; i++)
		if (u->mark[i] == at) { /* the same place again takes it away */
			memmove(u->mark + i, u->mark + i + 1, (size_t)(--u->n_mark - i) * sizeof u->mark[0]);
			u->dirty = true;
			return;
		}
	if (u->n_mark < UI_MARKS)
		u->mark[u->n_mark++] = at;
	u->dirty = true;
}

/* ---- live ---- */

bool ui_bind_live(struct ui *u, struct live *live)
{
	struct model *m = malloc(sizeof *m);
	struct fail f = { 0 };
	ui_drop_runs(u);
	if (!m || !model_begin(m, live_head(live), &f)) {
		free(m);
		return false;
	}
	u->tab = TAB_LIVE;
	if (!add(u, m))
		return false;
	u->live = live;
	u->run[0].open[0] = 1;
	u->follow = true;
	return true;
}

void ui_live_event(void *ui, const struct vtr_event *e)
{
	struct ui *u = ui;
	struct fail f = { 0 };
	if (u->n_run && !model_add(u->run[0].model, e, &f) && !u->message[0])
		ui_fail(u, &f);
}

void ui_live_hold(void *ui, const struct vtr_hold *h)
{
	struct ui *u = ui;
	if (u->n_run && !model_hold(u->run[0].model, h) && !u->message[0])
		ui_say(u, true, "no memory for the live trace");
}

void ui_live_seen(struct ui *u)
{
	struct ui_run *r = &u->run[0];
	model_summarise(r->model);
	r->model->cycles = live_cycle(u->live);
	r->findings = live_findings(u->live);
	analysis_focus(r->model, &r->focus);
	if (u->pick.any && u->pick.row >= r->model->lane[u->pick.lane].n)
		u->pick.any = false;
	u->hover.any = false;
	if (r->has_path) {
		path_free(&r->path);
		r->has_path = false;
	}
	u->cursor = live_cycle(u->live);
	u->map_cycle = -1;
	if (u->follow)
		ui_show(u, -0.01 * ui_span(u), 1.05 * ui_span(u), false);
	else if ((double)u->cursor > u->to)
		ui_show(u, (double)u->cursor - 0.8 * (u->to - u->from), (double)u->cursor + 0.2 * (u->to - u->from),
			false);
	u->dirty = true;
}
