/*
 * lane.c - one lane of the timeline: boxes when there is room for them, shares of work and waiting per pixel when not.
 * However many instructions there are, no more than a few rectangles per pixel are made.
 */
#include "ui.h"

#include <string.h>

enum { MANY_ROWS = 48, BOX_MIN = 3 };

uint32_t ui_cause_color(const struct ui *u, const struct vtr_head *h, uint32_t cause)
{
	const struct theme *t = theme_get(u->dark);
	enum cause_group g = cause < h->n_cause ? cause_group(h->cause[cause]) : GROUP_OUTSIDE;
	uint32_t c = t->group[g], same = 0;
	/* waits for different pipes: shades of one colour */
	if (g == GROUP_FLAG)
		for (uint32_t k = 0; k < cause; k++)
			same += cause_group(h->cause[k]) == g;
	/* nothing to do because the scalar unit was held up: grey with a tinge of what held it */
	const char *why = g == GROUP_EMPTY ? strchr(h->cause[cause], ':') : NULL;
	enum cause_group held = why ? cause_group(why + 1) : GROUP_EMPTY;
	if (held != GROUP_EMPTY)
		return theme_mix(c, t->group[held], 90);
	return same ? theme_mix(c, u->dark ? 0xff402000 : 0xffffffff, (int)(same * 22)) : c;
}

uint32_t ui_cause_text(const struct ui *u, const struct vtr_head *h, uint32_t cause)
{
	return theme_mix(ui_cause_color(u, h, cause), theme_get(u->dark)->text, 110);
}

/* A column of pixels, or several equal ones. */
struct column {
	int x, w, busy, wait;
	uint32_t color;
};

struct pen {
	struct ui *u;
	const struct track *t;
	const struct lane *l;
	const struct vtr_head *h;
	struct box box;
	uint32_t work;
	uint32_t color[VTR_CAUSES];
	struct column run; /* not drawn yet */
	double per_px;
	/* a pixel that small rows are gathered in */
	int px;
	double busy, wait;
	uint32_t cause;
	double top;
	int rows;
};

static void put_run(struct pen *p)
{
	struct column *c = &p->run;
	int y = p->box.y + p->box.h;
	if (c->w > 0 && c->busy > 0)
		draw_rect(&p->u->draw, (struct box){ c->x, y - c->busy, c->w, c->busy }, p->work);
	if (c->w > 0 && c->wait > 0)
		draw_rect(&p->u->draw, (struct box){ c->x, y - c->busy - c->wait, c->w, c->wait }, c->color);
	c->w = 0;
}

static void put_column(struct pen *p, int x, double busy, double wait, uint32_t color)
{
	int b = (int)(busy * p->box.h + 0.5), w = (int)(wait * p->box.h + 0.5);
	if (busy > 0 && b == 0)
		b = 1;
	if (b > p->box.h)
		b = p->box.h;
	if (w > p->box.h - b)
		w = p->box.h - b;
	if (p->run.w > 0 && p->run.x + p->run.w == x && p->run.busy == b && p->run.wait == w &&
	    (p->run.color == color || w == 0)) {
		p->run.w++;
		return;
	}
	put_run(p);
	p->run = (struct column){ x, 1, b, w, color };
}

/* Zoomed out: from the summaries. */
static void lane_far(struct pen *p)
{
	int x0 = p->box.x, x1 = p->box.x + p->box.w;
	for (int x = x0; x < x1; x++) {
		double from = ui_cycle(p->u, x), to = ui_cycle(p->u, x + 1);
		if (to <= 0 || from > (double)p->u->run[p->t->run].model->end)
			continue;
		struct bucket b = lane_bucket(p->l, from < 0 ? 0 : (int64_t)from, (int64_t)to < 1 ? 1 : (int64_t)to);
		if (b.busy || b.wait)
			put_column(p, x, b.busy / 65535.0, b.wait / 65535.0, p->color[b.cause]);
		else
			put_run(p);
	}
	put_run(p);
}

static void flush_pixel(struct pen *p)
{
	if (p->rows)
		put_column(p, p->px, p->busy / p->per_px, p->wait / p->per_px, p->color[p->cause]);
	p->rows = 0;
	p->busy = p->wait = p->top = 0;
}

static void gather(struct pen *p, const struct row *r, double a, double s, double b)
{
	int x = (int)a;
	if (x != p->px)
		flush_pixel(p);
	p->px = x;
	p->rows++;
	p->busy += (b - s) * p->per_px;
	p->wait += (s - a) * p->per_px;
	if (r->stall > p->top) {
		p->top = r->stall;
		p->cause = row_cause(r);
	}
}

/* Half a line at the bottom edge is no text. */
static bool text_room(const struct pen *p)
{
	return !p->t->mini && p->box.h >= p->u->cell_h && p->box.y + p->box.h <= p->u->lanes.y + p->u->lanes.h + 2;
}

static void wait_box(struct pen *p, const struct row *r, int x0, int x1)
{
	struct draw *d = &p->u->draw;
	int h = p->box.h, top = p->box.y + (h > 12 ? h / 8 : 0), height = h > 12 ? h - h / 4 : h;
	uint32_t color = p->color[row_cause(r)];
	struct box b = { x0, top, x1 - x0, height };
	const char *text = p->h->cause[row_cause(r)];
	draw_hatch(d, b, color);
	struct box seen = box_cut(b, d->clip);
	if (text_cells(text) * d->cell_w + 6 > seen.w || !text_room(p))
		return;
	int w = text_cells(text) * d->cell_w, x = seen.x + (seen.w - w) / 2;
	const struct theme *t = theme_get(p->u->dark);
	draw_rect(d, (struct box){ x - 2, p->box.y + (h - d->cell_h) / 2, w + 4, d->cell_h },
		  theme_mix(t->back, color, 40));
	draw_text(d, x, p->box.y + (h - d->cell_h) / 2, t->text, text);
}

static void work_box(struct pen *p, const struct row *r, uint32_t row, int x0, int x1)
{
	struct ui *u = p->u;
	struct draw *d = &u->draw;
	const struct theme *t = theme_get(u->dark);
	const struct model *m = u->run[p->t->run].model;
	const struct vtr_site *site = model_site(m, r);
	const char *name = model_name(m, p->l, r);
	struct box b = { x0, p->box.y, x1 - x0, p->box.h };
	bool matched = u->match_on && p->t->run == 0 && site && u->match[row_site(r)];
	bool sync = site && site->role != VTR_WORK && (int)p->l->pipe != m->hold_pipe;
	uint32_t color = sync ? t->group[GROUP_SYNC] : p->work;
	draw_rect(d, b, matched ? t->match : color);
	/* the part of it that is lost within: bank conflicts, shared bandwidth */
	if (r->extra > 0 && r->issue > 0) {
		int w = (int)((double)b.w * r->extra / r->issue);
		draw_hatch(d, (struct box){ b.x + b.w - w, b.y + b.h - b.h / 4, w, b.h / 4 },
			   t->group[row_extra_is_bank(r) ? GROUP_BANK : GROUP_BANDWIDTH]);
	}
	if (b.w > BOX_MIN)
		draw_rect(d, (struct box){ b.x + b.w - 1, b.y, 1, b.h }, t->work_edge);
	if (u->show_path && u->run[p->t->run].has_path && path_has(&u->run[p->t->run].path, p->t->lane, row)) {
		draw_rect(d, (struct box){ b.x, b.y + b.h - 3, b.w, 3 }, t->critical);
		draw_rect(d, (struct box){ b.x, b.y, b.w, 2 }, t->critical);
	}
	struct box seen = box_cut(b, d->clip);
	int cells = text_cells(name), room = (seen.w - 5) / d->cell_w;
	if (!text_room(p) || room < 3 || (room < cells && room < 6))
		return;
	draw_text_fit(d, seen.x + 3, p->box.y + (p->box.h - d->cell_h) / 2, room * d->cell_w,
		      matched || (sync && u->dark) ? t->match_text : t->work_text, name);
}

/* The first row behind i that ends after the pixel at x. */
static uint32_t past_pixel(const struct pen *p, uint32_t i, int x)
{
	uint32_t next = lane_find(p->l, (int64_t)ui_cycle(p->u, x + 1));
	return next > i ? next : i + 1;
}

/* Zoomed in: the rows themselves. */
static void lane_near(struct pen *p)
{
	struct ui *u = p->u;
	uint32_t i = lane_find(p->l, (int64_t)u->from - 1);
	p->px = -1;
	while (i < p->l->n) {
		const struct row *r = &p->l->row[i];
		double a = ui_px(u, (double)r->start - r->stall), s = ui_px(u, (double)r->start),
		       b = ui_px(u, (double)row_issue_end(r));
		double left = p->box.x - 16, right = p->box.x + p->box.w + 16;
		if (a > right)
			break;
		if (b - a < BOX_MIN) {
			gather(p, r, a, s, b);
			i = p->rows > MANY_ROWS ? past_pixel(p, i, p->px) : i + 1;
			continue;
		}
		flush_pixel(p);
		put_run(p);
		a = a < left ? left : a;
		s = s < left ? left : s > right ? right : s;
		b = b > right ? right : b;
		if (r->stall > 0 && (int)s > (int)a)
			wait_box(p, r, (int)a, (int)s);
		if (b >= s)
			work_box(p, r, i, (int)s, (int)b > (int)s ? (int)b : (int)s + 1);
		i++;
	}
	flush_pixel(p);
	put_run(p);
}

static void draw_one(struct ui *u, const struct track *t, const struct lane *l, struct box box)
{
	struct pen p = { .u = u, .t = t, .l = l, .h = &u->run[t->run].model->vtr->head, .box = box };
	p.per_px = (u->to - u->from) / (u->lanes.w ? u->lanes.w : 1);
	p.work = theme_get(u->dark)->work;
	for (uint32_t k = 0; k < p.h->n_cause; k++)
		p.color[k] = ui_cause_color(u, p.h, k);
	if (lane_level(l, p.per_px) >= 0)
		lane_far(&p);
	else
		lane_near(&p);
}

/* What a live run's scalar unit has done since its last hold: worked, and perhaps waits now. */
static void draw_scalar_now(struct ui *u, const struct track *t, const struct core *c, struct box box)
{
	const struct lane *l = &ui_model(u, 0)->lane[t->lane];
	int64_t now = live_cycle(u->live), from = l->n ? row_issue_end(&l->row[l->n - 1]) : 0;
	int64_t until = c->scalar.cycle < now ? c->scalar.cycle : now;
	if (c->block < 0)
		return;
	for (int waits = 0; waits < 2; waits++) {
		double a = ui_px(u, (double)(waits && until > from ? until : from)), b = ui_px(u, (double)(waits ? now : until));
		a = a < box.x ? box.x : a;
		b = b > box.x + box.w ? box.x + box.w : b;
		struct box in = { (int)a, box.y, (int)b - (int)a, box.h };
		if (in.w > 0 && !waits)
			draw_rect(&u->draw, in, theme_mix(theme_get(u->dark)->work, theme_get(u->dark)->lane, 120));
		else if (in.w > 0 && c->wait != WAIT_NONE)
			draw_hatch(&u->draw, in, theme_get(u->dark)->group[GROUP_EMPTY]);
	}
}

/* A live run's transfer under way: its event comes when it ends. */
static void draw_under_way(struct ui *u, const struct track *t, struct box box)
{
	const struct sim *s = u->live && t->run == 0 ? live_sim(u->live) : NULL;
	uint32_t pipe = ui_model(u, 0)->lane[t->lane].pipe;
	if (s && (int)pipe == ui_model(u, 0)->hold_pipe)
		draw_scalar_now(u, t, &s->core[t->core], box);
	if (!s || t->core >= (uint32_t)s->n_core || pipe >= PIPE_COUNT || s->core[t->core].pipe[pipe].flow < 0)
		return;
	const struct pipe *p = &s->core[t->core].pipe[pipe];
	double a = ui_px(u, (double)p->current_start), b = ui_px(u, (double)live_cycle(u->live)), end = box.x + box.w;
	a = a < box.x - 4 ? box.x - 4 : a;
	b = b > end ? end : b;
	if (b <= a)
		return;
	struct box in = { (int)a, box.y, (int)(b - a), box.h };
	char name[64];
	draw_rect(&u->draw, in, theme_mix(theme_get(u->dark)->work, theme_get(u->dark)->lane, 120));
	if (in.w > 6 * u->cell_w && box.y + box.h <= u->lanes.y + u->lanes.h + 2)
		draw_text_fit(&u->draw, in.x + 3, box.y + (box.h - u->cell_h) / 2, in.w - 6, theme_get(u->dark)->text,
			      op_name(p->current, name, sizeof name));
}

void draw_lane(struct ui *u, const struct track *t)
{
	const struct model *m = ui_model(u, t->run);
	const struct theme *th = theme_get(u->dark);
	struct box b = { u->lanes.x, u->lanes.y + t->y - u->scroll_y, u->lanes.w, t->h };
	uint32_t ground = t->run ? th->lane_other : th->lane;
	if (t->head)
		return;
	draw_zone(&u->draw, b, ZONE_LANE, t->lane, t->run);
	if (!t->mini) {
		struct box in = { b.x, b.y + 2, b.w, b.h - 4 };
		draw_rect(&u->draw, in, ground);
		draw_one(u, t, &m->lane[t->lane], in);
		draw_under_way(u, t, in);
		return;
	}
	int thin = u->cell_h / 4, y = b.y + 2;
	draw_rect(&u->draw, (struct box){ b.x, b.y + 1, b.w, b.h - 2 }, ground);
	for (uint32_t p = 0; p < m->vtr->head.n_pipe; p++) {
		const struct lane *l = &m->lane[t->lane + p];
		if (l->n == 0)
			continue;
		draw_one(u, t, l, (struct box){ b.x, y, b.w, thin - 1 });
		y += thin;
	}
}
