/*
 * timeline.c - ruler, labels, lanes, what lies over them: selection, range, markers, arrows; the legend below.
 */
#include "ui.h"

#include <string.h>

enum { MAX_ARROWS = 300 };

/* A round number of cycles so that labels do not touch. */
static double tick_step(const struct ui *u)
{
	double per_px = (u->to - u->from) / (u->lanes.w ? u->lanes.w : 1), least = per_px * u->cell_w * 13, step = 1;
	static const double factor[3] = { 2, 2.5, 2 };
	for (int i = 0; step < least; i = (i + 1) % 3)
		step *= factor[i];
	return step < 1 ? 1 : step;
}

static void draw_ruler(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	struct box old = draw_clip(d, u->ruler, true);
	double step = tick_step(u);
	char text[32];
	draw_rect(d, u->ruler, t->panel);
	draw_zone(d, u->ruler, ZONE_RULER, 0, 0);
	for (double c = (double)(int64_t)(u->from / step) * step; c <= u->to; c += step) {
		int x = (int)ui_px(u, c), w;
		if (c < 0)
			continue;
		draw_rect(d, (struct box){ x, u->ruler.y + u->ruler.h - 5, 1, 5 }, t->faint);
		w = text_cells(ui_number((int64_t)c, text)) * d->cell_w;
		if (x + 3 + w <= u->ruler.x + u->ruler.w && x >= u->ruler.x)
			draw_text(d, x + 3, u->ruler.y + 2, t->faint, text);
	}
	draw_clip(d, old, false);
}

static void draw_grid(struct ui *u)
{
	double step = tick_step(u);
	for (double c = (double)(int64_t)(u->from / step) * step; c <= u->to; c += step)
		if (c >= 0)
			draw_rect(&u->draw, (struct box){ (int)ui_px(u, c), u->lanes.y, 1, u->lanes.h },
				  theme_get(u->dark)->line & 0x60ffffff);
}

static void label(struct ui *u, const struct track *t)
{
	const struct theme *th = theme_get(u->dark);
	const struct model *m = ui_model(u, t->run);
	struct draw *d = &u->draw;
	const struct vtr_head *h = &m->vtr->head;
	int y = u->labels.y + t->y - u->scroll_y, x = u->labels.x + u->pad, room = u->labels.w - 2 * u->pad;
	int text_y = y + (t->h - d->cell_h) / 2;
	if (text_y + d->cell_h > u->labels.y + u->labels.h)
		return;
	struct box b = { u->labels.x, y, u->labels.w, t->h };
	if (t->head || t->mini) {
		bool last = t->core == u->run[t->run].focus.core;
		draw_textf(d, x, text_y, last ? room - 5 * d->cell_w : room, t->head ? th->text : th->faint, "%s %s%s",
			   t->head ? S_OPEN : S_CLOSED, u->n_run > 1 ? t->run ? "B " : "A " : "",
			   h->core[t->core].name);
		if (last)
			draw_text(d, u->labels.x + u->labels.w - 4 * d->cell_w - u->pad, text_y, th->accent, "last");
		draw_zone(d, b, ZONE_CORE, t->core, t->run);
		if (t->head)
			draw_rect(d, (struct box){ u->labels.x, y + t->h - 1, u->w, 1 }, th->line & 0x60ffffff);
		return;
	}
	const struct lane *l = &m->lane[t->lane];
	bool picked = u->pick.any && u->pick.run == t->run && u->pick.lane == t->lane;
	int percent = m->end ? (int)(100.0 * (double)l->busy / (double)m->end + 0.5) : 0;
	draw_textf(d, x + 2 * d->cell_w, text_y, room - 2 * d->cell_w, picked ? th->accent : th->text, "%s%-5s",
		   u->n_run > 1 ? t->run ? "B " : "A " : "", h->pipe[l->pipe]);
	if (!u->run[t->run].reading)
		draw_textf(d, u->labels.x + u->labels.w - 5 * d->cell_w - u->pad, text_y, 5 * d->cell_w, th->faint,
			   "%3d %%", percent);
}

static struct box row_box(const struct ui *u, const struct track *t, const struct row *r)
{
	double a = ui_px(u, (double)r->start), b = ui_px(u, (double)row_issue_end(r)), left = u->lanes.x - 8,
	       right = u->lanes.x + u->lanes.w + 8;
	a = a < left ? left : a > right ? right : a;
	b = b < left ? left : b > right ? right : b;
	int w = (int)b - (int)a;
	return (struct box){ (int)a, u->lanes.y + t->y - u->scroll_y + 2, w < 2 ? 2 : w, t->h - 4 };
}

static const struct track *track_of(const struct ui *u, int run, uint32_t lane)
{
	for (int i = 0; i < u->n_track; i++)
		if (u->track[i].run == run && !u->track[i].head && !u->track[i].mini && u->track[i].lane == lane)
			return &u->track[i];
	return NULL;
}

static void arrow(struct ui *u, const struct track *a, const struct row *from, const struct track *b,
		  const struct row *to, uint32_t color, bool thick)
{
	double from_x = ui_px(u, (double)row_issue_end(from)), to_x = ui_px(u, (double)to->start);
	double far = 4.0 * u->lanes.w;
	if (from_x < u->lanes.x - far || to_x > u->lanes.x + u->lanes.w + far)
		return;
	int x0 = (int)from_x, x1 = (int)to_x;
	int y0 = u->lanes.y + a->y - u->scroll_y + a->h / 2, y1 = u->lanes.y + b->y - u->scroll_y + b->h / 2;
	y0 += y1 > y0 ? a->h / 2 - 2 : 2 - a->h / 2;
	y1 += y1 > y0 ? 2 - b->h / 2 : b->h / 2 - 2;
	int dir = y1 >= y0 ? 1 : -1;
	for (int k = 0; k < (thick ? 2 : 1); k++) {
		draw_line(&u->draw, x0 + k, y0, x1 + k, y1 - 3 * dir, color);
		draw_line(&u->draw, x1 + k - 3, y1 - 5 * dir, x1 + k, y1, color);
		draw_line(&u->draw, x1 + k + 3, y1 - 5 * dir, x1 + k, y1, color);
	}
}

/* Arrows from set to wait in view, as long as they are few; those of the selection always. */
static void all_arrows(struct ui *u, const struct track *t, int *left)
{
	const struct model *m = ui_model(u, t->run);
	const struct lane *l = &m->lane[t->lane];
	const struct theme *th = theme_get(u->dark);
	uint32_t lane, row;
	for (uint32_t i = lane_find(l, (int64_t)u->from); i < l->n && (double)l->row[i].start<u->to && * left> 0; i++) {
		const struct row *r = &l->row[i];
		const struct vtr_site *site = model_site(m, r);
		if (!site || site->role != VTR_WAIT_FLAG || !model_releaser(m, l, r, &lane, &row))
			continue;
		const struct track *from = track_of(u, t->run, lane);
		(*left)--;
		if (from)
			arrow(u, from, &m->lane[lane].row[row], t, r, th->faint & 0xb0ffffff, false);
	}
}

static bool few_arrows(const struct ui *u)
{
	double rows = 0;
	for (int i = 0; i < u->n_track; i++) {
		const struct track *t = &u->track[i];
		if (t->head || t->mini)
			continue;
		const struct lane *l = &ui_model(u, t->run)->lane[t->lane];
		rows += lane_find(l, (int64_t)u->to) - lane_find(l, (int64_t)u->from);
	}
	return rows < MAX_ARROWS;
}

static void path_arrows(struct ui *u, int run)
{
	const struct path *p = &u->run[run].path;
	const struct model *m = ui_model(u, run);
	double per_px = (u->to - u->from) / (u->lanes.w ? u->lanes.w : 1);
	int left = 4 * MAX_ARROWS;
	for (uint32_t i = 0; i + 1 < p->n && left > 0; i++) {
		const struct path_step *to = &p->step[i], *from = &p->step[i + 1];
		const struct row *a = &m->lane[from->lane].row[from->row], *b = &m->lane[to->lane].row[to->row];
		if ((double)row_issue_end(a) > u->to || (double)b->start < u->from || from->lane == to->lane)
			continue;
		if ((double)(b->start - row_issue_end(a)) < per_px && (u->to - u->from) > 40 * per_px * u->lanes.w)
			continue;
		const struct track *ta = track_of(u, run, from->lane), *tb = track_of(u, run, to->lane);
		left--;
		if (ta && tb)
			arrow(u, ta, a, tb, b, theme_get(u->dark)->critical, true);
	}
}

void draw_arrows(struct ui *u)
{
	int left = MAX_ARROWS;
	uint32_t lane, row;
	if (u->arrows && few_arrows(u))
		for (int i = 0; i < u->n_track; i++)
			if (!u->track[i].head && !u->track[i].mini)
				all_arrows(u, &u->track[i], &left);
	for (int i = 0; i < u->n_run && u->show_path; i++)
		if (u->run[i].has_path)
			path_arrows(u, i);
	const struct model *m = ui_model(u, u->pick.run);
	const struct track *t = u->pick.any ? track_of(u, u->pick.run, u->pick.lane) : NULL;
	if (!t)
		return;
	const struct lane *l = &m->lane[u->pick.lane];
	const struct row *r = &l->row[u->pick.row];
	const struct theme *th = theme_get(u->dark);
	const struct track *other;
	if (model_releaser(m, l, r, &lane, &row) && (other = track_of(u, u->pick.run, lane)))
		arrow(u, other, &m->lane[lane].row[row], t, r, th->accent, true);
	if (model_released(m, l, u->pick.row, &lane, &row) && (other = track_of(u, u->pick.run, lane)))
		arrow(u, t, r, other, &m->lane[lane].row[row], th->accent, true);
	draw_frame(&u->draw, row_box(u, t, r), th->select);
	struct box b = row_box(u, t, r);
	draw_frame(&u->draw, (struct box){ b.x - 1, b.y - 1, b.w + 2, b.h + 2 }, th->select);
}

static void draw_over(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	for (int i = 0; i < u->n_mark; i++) {
		int x = (int)ui_px(u, (double)u->mark[i]);
		draw_rect(d, (struct box){ x, u->lanes.y, 2, u->lanes.h }, t->good & 0xc0ffffff);
	}
	if (u->range_to > u->range_from) {
		double a = ui_px(u, (double)u->range_from), b = ui_px(u, (double)u->range_to);
		a = a < u->lanes.x ? u->lanes.x : a;
		b = b > u->lanes.x + u->lanes.w ? u->lanes.x + u->lanes.w : b;
		if (b > a) {
			struct box box = { (int)a, u->lanes.y, (int)(b - a) + 1, u->lanes.h };
			draw_rect(d, box, t->accent & 0x28ffffff);
			draw_rect(d, (struct box){ box.x, box.y, 1, box.h }, t->accent);
			draw_rect(d, (struct box){ box.x + box.w - 1, box.y, 1, box.h }, t->accent);
		}
	}
	if (u->cursor >= 0) {
		double x = ui_px(u, (double)u->cursor);
		if (x >= u->lanes.x && x < u->lanes.x + u->lanes.w)
			draw_rect(d, (struct box){ (int)x, u->lanes.y, 1, u->lanes.h }, t->cursor);
	}
}

/* Marks and cursor again, in the ruler, where they can be read. */
static void draw_ruler_marks(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct box old = draw_clip(&u->draw, u->ruler, true);
	for (int i = 0; i < u->n_mark; i++) {
		struct box b = { (int)ui_px(u, (double)u->mark[i]) - 3, u->ruler.y + u->ruler.h - 7, 8, 7 };
		draw_rect(&u->draw, b, t->good);
		draw_zone(&u->draw, b, ZONE_MARK, u->mark[i], 0);
	}
	if (u->cursor >= 0)
		draw_rect(&u->draw,
			  (struct box){ (int)ui_px(u, (double)u->cursor) - 2, u->ruler.y + u->ruler.h - 5, 5, 5 },
			  t->cursor);
	draw_clip(&u->draw, old, false);
}

static void draw_overview(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	double span = ui_span(u), a = u->from / span, b = u->to / span;
	struct box o = u->overview;
	a = a < 0 ? 0 : a > 1 ? 1 : a;
	b = b < 0 ? 0 : b > 1 ? 1 : b;
	draw_rect(&u->draw, o, t->back);
	int x = o.x + (int)(a * o.w), w = (int)((b - a) * o.w);
	draw_rect(&u->draw, (struct box){ x, o.y + 1, w < 4 ? 4 : w, o.h - 2 }, t->line);
	draw_zone(&u->draw, o, ZONE_OVERVIEW, 0, 0);
}

static void draw_scrollbar(struct ui *u)
{
	if (u->track_h <= u->lanes.h)
		return;
	struct box b = { u->lanes.x + u->lanes.w - u->cell_w, u->lanes.y, u->cell_w, u->lanes.h };
	int h = u->lanes.h * u->lanes.h / u->track_h, y = (int)((double)u->scroll_y * u->lanes.h / u->track_h);
	draw_rect(&u->draw, b, theme_get(u->dark)->back & 0x80ffffff);
	draw_rect(&u->draw, (struct box){ b.x + 2, b.y + y, b.w - 4, h < 12 ? 12 : h }, theme_get(u->dark)->faint);
	draw_zone(&u->draw, b, ZONE_SCROLL, 0, 0);
}

/* Why the lanes are empty: a long trace is being read, its report below already; a live run has not begun. */
static void draw_empty(struct ui *u)
{
	char text[120] = "nothing has run yet: Space runs, O does one instruction, U runs to a place", number[32];
	uint64_t events = 0;
	for (int i = 0; i < u->n_run; i++)
		events += u->run[i].reading ? u->run[i].model->vtr->n_event : 0;
	if (events > 0)
		snprintf(text, sizeof text, "reading %s instructions " S_DOTS, ui_number((int64_t)events, number));
	else if (!u->live || live_cycle(u->live) > 0)
		return;
	int w = text_cells(text) * u->cell_w, most = u->lanes.w - 2 * u->pad;
	w = w < most ? w : most;
	int x = u->lanes.x + (u->lanes.w - w) / 2, y = u->lanes.y + u->lanes.h / 2;
	draw_rect(&u->draw, (struct box){ x - u->pad, y - u->pad, w + 2 * u->pad, u->cell_h + 2 * u->pad },
		  theme_get(u->dark)->panel);
	draw_text_fit(&u->draw, x, y, w, theme_get(u->dark)->text, text);
}

void draw_timeline(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	draw_overview(u);
	draw_ruler(u);
	struct box both = { u->labels.x, u->labels.y, u->labels.w + u->lanes.w, u->labels.h },
		   old = draw_clip(d, u->labels, true);
	draw_rect(d, both, t->panel);
	for (int i = 0; i < u->n_track; i++) {
		const struct track *k = &u->track[i];
		if (k->y + k->h >= u->scroll_y && k->y <= u->scroll_y + u->lanes.h)
			label(u, k);
	}
	draw_clip(d, u->lanes, false);
	draw_rect(d, u->lanes, t->panel);
	draw_zone(d, u->lanes, ZONE_LANE, -1, 0);
	for (int i = 0; i < u->n_track; i++) {
		const struct track *k = &u->track[i];
		if (k->y + k->h >= u->scroll_y && k->y <= u->scroll_y + u->lanes.h)
			draw_lane(u, k);
	}
	draw_grid(u);
	draw_over(u);
	draw_arrows(u);
	draw_empty(u);
	draw_scrollbar(u);
	draw_clip(d, old, false);
	draw_ruler_marks(u);
}
