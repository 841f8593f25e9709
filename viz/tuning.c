/*
 * tuning.c - draws a table of `vinci tune` and reacts to keys and mouse: left the picture, right the candidate that is
 * looked at and the ranking.
 */
#include "tuning.h"

#include "ui.h"

#include <stdlib.h>
#include <string.h>

/* Zones of this view; a, b: cell, or row of the table. */
enum { ZONE_CELL = 1000, ZONE_RANK, ZONE_AXIS_X, ZONE_AXIS_Y, ZONE_SHAPE };

struct axis { int n; int64_t value[TUNING_VALUES]; };

static int by_value(const void *pa, const void *pb)
{
	int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

	return a < b ? -1 : a > b;
}

static bool shown(const struct tuning *t, const struct tuning_row *r) { return r->shape < 0 || r->shape == t->at_shape; }

static int place_of(const struct axis *a, int64_t v)
{
	for (int i = 0; i < a->n; i++)
		if (a->value[i] == v)
			return i;
	return -1;
}

/* The values that a parameter takes, in order; what is more than fits is left out. */
static struct axis axis_of(const struct tuning *t, int param)
{
	struct axis a = { 0 };

	for (int64_t i = 0; i < t->n_row; i++) {
		int64_t v = t->row[i].value[param];
		if (shown(t, &t->row[i]) && a.n < TUNING_VALUES && place_of(&a, v) < 0)
			a.value[a.n++] = v;
	}
	qsort(a.value, (size_t)a.n, sizeof a.value[0], by_value);
	return a;
}

/* The row that stands for each cell: its fastest, else one that was not timed. -1: none. */
static void fill(const struct tuning *t, const struct axis *x, const struct axis *y, int64_t *cell)
{
	for (int i = 0; i < x->n * y->n; i++)
		cell[i] = -1;
	for (int64_t i = 0; i < t->n_row; i++) {
		const struct tuning_row *r = &t->row[i];
		int cx = place_of(x, r->value[t->x]), cy = place_of(y, r->value[t->y]);
		if (!shown(t, r) || cx < 0 || cy < 0)
			continue;
		int64_t *c = &cell[cy * x->n + cx];
		bool better = *c < 0 || (r->status == TUNED_TIMED && (t->row[*c].status != TUNED_TIMED ||
								       r->cycles < t->row[*c].cycles));
		if (better)
			*c = i;
	}
}

/* Blue is best, orange twice the cycles and more. */
static uint32_t color_of(const struct theme *th, double ratio)
{
	double v = ratio >= 2 ? 1 : ratio - 1;

	return v < 0.5 ? theme_mix(th->lane, th->accent, (int)(150 * (1 - 2 * v)))
		       : theme_mix(th->lane, th->group[GROUP_BANDWIDTH], (int)(150 * (2 * v - 1)));
}

static const char *status_name(enum tuning_status s)
{
	static const char *const name[TUNED_STATUS] = { "timed", "rejected", "refused", "wrong values", "failed" };

	return name[s];
}

static double ratio(const struct tuning *t, const struct tuning_row *r)
{
	return t->n_rank ? (double)r->cycles / (double)t->row[t->rank[0]].cycles : 1;
}

static void draw_cell(struct ui *u, struct box b, int64_t row)
{
	const struct tuning *t = u->tuning;
	const struct theme *th = theme_get(u->dark);
	char text[32] = "", number[32];

	if (row < 0)
		return;
	const struct tuning_row *r = &t->row[row];
	if (r->status == TUNED_TIMED) {
		draw_rect(&u->draw, b, color_of(th, ratio(t, r)));
		snprintf(text, sizeof text, "%.3f", ratio(t, r));
	} else {
		draw_rect(&u->draw, b, th->lane);
		snprintf(text, sizeof text, "%s", status_name(r->status));
	}
	if (row == t->pick || row == t->hover)
		draw_frame(&u->draw, b, row == t->pick ? th->select : th->cursor);
	int room = b.w - 8, lines = b.h / u->cell_h;
	if (text_cells(text) * u->cell_w > room || lines < 1)
		return;
	int y = b.y + (b.h - (lines > 1 ? 2 : 1) * u->cell_h) / 2;
	draw_text(&u->draw, b.x + 4, y, r->status == TUNED_TIMED ? th->text : th->faint, text);
	ui_number(r->cycles, number);
	if (lines > 1 && r->status == TUNED_TIMED && text_cells(number) * u->cell_w <= room)
		draw_text(&u->draw, b.x + 4, y + u->cell_h, th->faint, number);
}

static void draw_picture(struct ui *u, struct box b)
{
	const struct tuning *t = u->tuning;
	const struct theme *th = theme_get(u->dark);
	struct axis x = axis_of(t, t->x), y = axis_of(t, t->y);
	int64_t *cell = malloc((size_t)(x.n * y.n + 1) * sizeof *cell);
	int left = 10 * u->cell_w, top = 2 * u->cell_h + 8, line = u->cell_h + 4;

	if (!cell || x.n == 0 || y.n == 0) {
		free(cell);
		return;
	}
	fill(t, &x, &y, cell);
	struct box ax = { b.x + left, b.y, b.w - left, line }, ay = { b.x, b.y + u->cell_h + 4, left, line };
	draw_textf(&u->draw, ax.x, ax.y, ax.w, th->accent, "%s " S_ARROW, t->param[t->x]);
	draw_textf(&u->draw, ay.x, ay.y, ay.w - u->cell_w, th->accent, "%s", t->param[t->y]);
	draw_zone(&u->draw, ax, ZONE_AXIS_X, 0, 0);
	draw_zone(&u->draw, ay, ZONE_AXIS_Y, 0, 0);
	int w = (b.w - left) / x.n, h = (b.h - top) / y.n;
	w = w > 20 * u->cell_w ? 20 * u->cell_w : w;
	h = h > 5 * u->cell_h ? 5 * u->cell_h : h;
	for (int i = 0; i < x.n; i++)
		if (w > 5 * u->cell_w)
			draw_textf(&u->draw, b.x + left + i * w, b.y + line, w - u->cell_w, th->text, "%lld",
				   (long long)x.value[i]);
	for (int j = 0; j < y.n; j++) {
		if (h >= u->cell_h)
			draw_textf(&u->draw, b.x, b.y + top + j * h + (h - u->cell_h) / 2, left - u->cell_w, th->text, "%lld",
				   (long long)y.value[j]);
		for (int i = 0; i < x.n; i++) {
			struct box c = { b.x + left + i * w, b.y + top + j * h, w - 2, h - 2 };
			draw_cell(u, c, cell[j * x.n + i]);
			draw_zone(&u->draw, c, ZONE_CELL, cell[j * x.n + i], 0);
		}
	}
	free(cell);
}

static int64_t rank_of(const struct tuning *t, int64_t row)
{
	for (int64_t i = 0; i < t->n_rank; i++)
		if (t->rank[i] == row)
			return i;
	return -1;
}

/* The candidate that is looked at: the one under the mouse, else the selected one. */
static void draw_candidate(struct ui *u, struct box b)
{
	const struct tuning *t = u->tuning;
	const struct theme *th = theme_get(u->dark);
	int64_t row = t->hover >= 0 ? t->hover : t->pick;
	int y = b.y, column = (b.w - u->cell_w) / 2;
	char number[32];

	draw_text_fit(&u->draw, b.x, y, b.w, th->accent, t->hover >= 0 ? "Under the mouse" : "Selected");
	y += u->cell_h + 4;
	if (row < 0) {
		draw_text_fit(&u->draw, b.x, y, b.w, th->faint, "no candidate was timed at this shape");
		return;
	}
	const struct tuning_row *r = &t->row[row];
	if (r->status == TUNED_TIMED)
		draw_textf(&u->draw, b.x, y, b.w, th->text, "%s cycles, rank %lld of %lld, %.1f %% slower than the best",
			   ui_number(r->cycles, number), (long long)rank_of(t, row) + 1, (long long)t->n_rank,
			   100 * (ratio(t, r) - 1));
	else
		draw_textf(&u->draw, b.x, y, b.w, th->bad, r->lacks ? "%s: lacks %s" : "%s", status_name(r->status),
			   ui_number(r->lacks, number));
	y += u->cell_h + 4;
	for (int k = 0; k < t->n_param; k++) {
		draw_textf(&u->draw, b.x + k % 2 * column, y, column - u->cell_w, th->text, "%s = %lld", t->param[k],
			   (long long)r->value[k]);
		if (k % 2 || k + 1 == t->n_param)
			y += u->cell_h;
	}
	y += 4;
	draw_wrapped(&u->draw, (struct box){ b.x, y, b.w, b.y + b.h - y }, th->text, r->reason);
}

static void draw_ranking(struct ui *u, struct box b)
{
	struct tuning *t = u->tuning;
	const struct theme *th = theme_get(u->dark);
	int rows = (b.h - u->cell_h - 4) / u->cell_h;
	char number[32];

	char names[TUNING_PARAMS * TUNING_NAME] = "";
	for (int k = 0; k < t->n_param; k++) {
		strcat(names, " ");
		strcat(names, t->param[k]);
	}
	draw_textf(&u->draw, b.x, b.y, b.w, th->accent, "Ranking: %lld timed;%s", (long long)t->n_rank, names);
	if (t->scroll > t->n_rank - rows)
		t->scroll = t->n_rank - rows;
	if (t->scroll < 0)
		t->scroll = 0;
	for (int i = 0; i < rows && t->scroll + i < t->n_rank; i++) {
		int64_t row = t->rank[t->scroll + i];
		const struct tuning_row *r = &t->row[row];
		struct box line = { b.x, b.y + u->cell_h + 4 + i * u->cell_h, b.w, u->cell_h };
		char text[TUNING_PARAMS * 24] = "";
		size_t at = 0;
		for (int k = 0; k < t->n_param; k++)
			at += (size_t)snprintf(text + at, sizeof text - at, "%s%lld", k ? " " : "", (long long)r->value[k]);
		if (row == t->pick || row == t->hover)
			draw_rect(&u->draw, line, theme_mix(th->panel, th->accent, row == t->pick ? 90 : 45));
		draw_textf(&u->draw, line.x, line.y, line.w, th->text, "%4lld %12s  %.3f  %s", (long long)(t->scroll + i + 1),
			   ui_number(r->cycles, number), ratio(t, r), text);
		draw_zone(&u->draw, line, ZONE_RANK, row, 0);
	}
}

static void draw_bar(struct ui *u)
{
	const struct tuning *t = u->tuning;
	const struct theme *th = theme_get(u->dark);
	struct box b = { 0, 0, u->w, u->cell_h + 10 };
	const char *slash = strrchr(t->file, '/');

	draw_rect(&u->draw, b, th->panel);
	draw_textf(&u->draw, u->pad, 5, u->w - 2 * u->pad, th->text,
		   "%s  " S_DOT "  shape %d of %d: %s  " S_DOT "  %s right, %s down",
		   slash ? slash + 1 : t->file, t->at_shape + 1, t->n_shape,
		   t->shape[t->at_shape][0] ? t->shape[t->at_shape] : "the launch file's", t->param[t->x], t->param[t->y]);
	draw_zone(&u->draw, b, ZONE_SHAPE, 0, 0);
}

void tuning_draw(struct ui *u)
{
	const struct theme *th = theme_get(u->dark);
	int bar = u->cell_h + 10, status = u->cell_h + 6, side = u->w * 3 / 5, pad = u->pad + 4;
	int height = u->h - bar - status, half = height / 2;

	draw_bar(u);
	draw_rect(&u->draw, (struct box){ side, bar, u->w - side, height }, th->panel);
	struct box all = { 0, 0, u->w, u->h }, right = { side + pad, bar + pad, u->w - side - 2 * pad, half - 2 * pad };
	draw_picture(u, (struct box){ pad, bar + pad, side - 2 * pad, height - 2 * pad });
	draw_clip(&u->draw, right, false);
	draw_candidate(u, right);
	right.y += half;
	right.h = height - half - 2 * pad;
	draw_clip(&u->draw, right, false);
	draw_ranking(u, right);
	draw_clip(&u->draw, all, false);
	draw_rect(&u->draw, (struct box){ 0, u->h - status, u->w, status }, th->panel);
	draw_text_fit(&u->draw, u->pad, u->h - status + 2, u->w - 2 * u->pad, th->faint,
		      "click: select  up down: ranking  X Y: parameters of the picture  N P: shape  T: colours  F12: screenshot");
}

static void next_axis(struct tuning *t, int *axis, int other)
{
	*axis = (*axis + 1) % t->n_param;
	if (*axis == other && t->n_param > 1)
		*axis = (*axis + 1) % t->n_param;
}

static void next_shape(struct ui *u, int by)
{
	struct tuning *t = u->tuning;

	if (!tuning_look(t, (t->at_shape + by + t->n_shape) % t->n_shape))
		ui_say(u, true, "no memory for the ranking");
}

static void step(struct tuning *t, int64_t by)
{
	int64_t at = rank_of(t, t->pick) + by;

	if (!t->n_rank)
		return;
	at = at < 0 ? 0 : at >= t->n_rank ? t->n_rank - 1 : at;
	t->pick = t->rank[at];
	t->hover = -1;
	t->scroll = at < t->scroll ? at : at > t->scroll + 5 ? at - 5 : t->scroll;
}

void tuning_key(struct ui *u, int key, int mods)
{
	struct tuning *t = u->tuning;

	(void)mods;
	switch (key) {
	case KEY_UP: step(t, -1); break;
	case KEY_DOWN: step(t, 1); break;
	case KEY_HOME: step(t, -t->n_rank); break;
	case KEY_END: step(t, t->n_rank); break;
	case KEY_PAGE_UP: step(t, -10); break;
	case KEY_PAGE_DOWN: step(t, 10); break;
	case 'x': next_axis(t, &t->x, t->y); break;
	case 'y': next_axis(t, &t->y, t->x); break;
	case 'n': next_shape(u, 1); break;
	case 'p': next_shape(u, -1); break;
	case 't': u->dark = !u->dark; break;
	case KEY_F12: u->want_screenshot = true; break;
	default: break;
	}
}

static const struct draw_zone *zone_here(const struct ui *u, int64_t *row)
{
	const struct draw_zone *z = draw_at(&u->draw, u->mouse_x, u->mouse_y);

	*row = z && (z->what == ZONE_CELL || z->what == ZONE_RANK) && z->a < u->tuning->n_row ? z->a : -1;
	return z;
}

void tuning_point(struct ui *u)
{
	int64_t row;

	zone_here(u, &row);
	u->tuning->hover = row;
}

void tuning_click(struct ui *u)
{
	struct tuning *t = u->tuning;
	int64_t row;
	const struct draw_zone *z = zone_here(u, &row);

	if (row >= 0)
		t->pick = row;
	else if (z && z->what == ZONE_AXIS_X)
		next_axis(t, &t->x, t->y);
	else if (z && z->what == ZONE_AXIS_Y)
		next_axis(t, &t->y, t->x);
	else if (z && z->what == ZONE_SHAPE)
		next_shape(u, 1);
}

void tuning_wheel(struct ui *u, double dy)
{
	u->tuning->scroll -= (int64_t)(3 * dy);
}
