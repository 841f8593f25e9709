/*
 * frame.c - the whole frame: where things are, top bar, legend, status line, messages, help.
 */
#include "tuning.h"
#include "ui.h"

#include <string.h>

const char *ui_number(int64_t v, char text[32])
{
	char digits[24];
	int n = snprintf(digits, sizeof digits, "%lld", (long long)v), at = 0;
	for (int i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-')
			text[at++] = ' ';
		text[at++] = digits[i];
	}
	text[at] = 0;
	return text;
}

const char *ui_count(double v, char text[32])
{
	static const char *const unit[] = { "", " k", " M", " G", " T" };
	int k = 0;
	while (v >= 99999.5 && k < 4) {
		v /= 1000;
		k++;
	}
	snprintf(text, 32, k && v < 1000 ? "%.1f%s" : "%.0f%s", v, unit[k]);
	return text;
}

const char *ui_time(const struct ui *u, double cycles, char text[32])
{
	const struct model *m = ui_model(u, 0);
	double mhz = m && m->vtr->head.clock_mhz ? (double)m->vtr->head.clock_mhz : 1000, us = cycles / mhz;
	if (us < 1)
		snprintf(text, 32, "%.1f ns", us * 1000);
	else
		snprintf(text, 32, us < 10000 ? "%.2f " S_MICRO "s" : "%.0f " S_MICRO "s", us);
	return text;
}

void ui_button(struct ui *u, int *x, int y, const char *label, enum ui_action a, bool on)
{
	const struct theme *t = theme_get(u->dark);
	struct box b = { *x, y, text_cells(label) * u->cell_w + 2 * u->pad, u->cell_h + 4 };
	draw_rect(&u->draw, b, on ? t->accent : theme_mix(t->panel, t->text, 28));
	draw_text(&u->draw, b.x + u->pad, b.y + 2, on ? t->back : t->text, label);
	draw_zone(&u->draw, b, ZONE_ACTION, a, 0);
	*x += b.w + u->pad;
}

static void draw_search(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	char text[UI_TEXT + 64];
	draw_rect(&u->draw, b, t->back);
	draw_frame(&u->draw, b, u->searching ? t->accent : t->line);
	draw_zone(&u->draw, b, ZONE_SEARCH, 0, 0);
	if (u->searching && !u->search[0])
		snprintf(text, sizeof text,
			 u->until_asked ? "run to: cycle, line, flag, write" : "mnemonic, line, 0xADDR, @cycle");
	else if (u->match_on && !u->until_asked)
		snprintf(text, sizeof text, "%s%s (%llu found)", u->search, u->searching ? "_" : "",
			 (unsigned long long)u->n_match);
	else
		snprintf(text, sizeof text, "%s%s", u->search[0] ? u->search : "/ search", u->searching ? "_" : "");
	draw_text_fit(&u->draw, b.x + u->pad, b.y + 3, b.w - 2 * u->pad, u->search[0] ? t->text : t->faint, text);
}

static void draw_top(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	int bar = u->cell_h + 10, x = u->pad, y = 3;
	char cycles[32], time[32];
	draw_rect(d, (struct box){ 0, 0, u->w, bar }, t->panel);
	int search_w = 36 * u->cell_w, search_x = u->w - search_w - u->pad;
	draw_search(u, (struct box){ search_x, 2, search_w, u->cell_h + 6 });
	int tools = u->w >= 130 * u->cell_w ? search_x - 44 * u->cell_w : search_x - 8 * u->cell_w, tx = tools;
	if (tools < search_x - 10 * u->cell_w) {
		ui_button(u, &tx, y, "F fit", ACT_FIT, false);
		ui_button(u, &tx, y, "E arrows", ACT_ARROWS, u->arrows);
		ui_button(u, &tx, y, "C path", ACT_PATH, u->show_path);
		ui_button(u, &tx, y, "T", ACT_THEME, false);
	}
	ui_button(u, &tx, y, "?", ACT_HELP, u->help);
	const struct model *m = ui_model(u, 0);
	if (!m) {
		draw_text_fit(d, x, y + 2, tools - x, t->text, "vinci view");
		return;
	}
	const struct vtr_head *h = &m->vtr->head;
	const char *slash = strrchr(h->kernel, '/');
	draw_textf(d, x, y + 2, tools - x - u->pad, t->text, "%s  " S_DOT "  %s  " S_DOT "  %s cycles = %s",
		   slash ? slash + 1 : h->kernel, h->chip, ui_number(m->cycles, cycles),
		   ui_time(u, (double)m->cycles, time));
}

/* Colours of the causes that occur, in lines; returns the height. When `put` is false only the height is worked out. */
static int draw_legend(struct ui *u, struct box b, bool put)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	struct draw *d = &u->draw;
	int line = u->cell_h + 4, x = b.x + u->pad, y = b.y, box = u->cell_h - 4;
	if (!m)
		return line;
	const struct vtr_head *h = &m->vtr->head;
	for (uint32_t k = 0; k <= h->n_cause + 1; k++) {
		/* first what is no wait, then each cause that somebody waited for, last the empty lane */
		bool empty = k == h->n_cause + 1;
		const char *name = k == 0 ? "working" : empty ? "nothing to do" : h->cause[k - 1];
		int64_t sum = 0;
		for (uint32_t i = 0; k > 0 && !empty && i < m->n_lane; i++)
			sum += m->lane[i].cause[k - 1];
		enum cause_group g = k ? cause_group(name) : GROUP_BUSY;
		if (k > 0 && !empty && (sum == 0 || g == GROUP_BUSY))
			continue;
		int w = box + (text_cells(name) + 3) * u->cell_w;
		if (x + w > b.x + b.w && x > b.x + u->pad) {
			x = b.x + u->pad;
			y += line;
		}
		if (put) {
			struct box c = { x, y + 4, box, box };
			if (k == 0 || empty)
				draw_rect(d, c, empty ? t->lane : t->work);
			else
				draw_hatch(d, c, ui_cause_color(u, h, k - 1));
			draw_text_fit(d, x + box + u->cell_w, y + 2, b.x + b.w - x - box - u->cell_w, t->text, name);
			if (empty)
				draw_frame(d, c, t->line);
			else if (k > 0)
				draw_zone(d, (struct box){ x, y, w, line }, ZONE_CAUSE, k - 1, 0);
		}
		x += w;
	}
	return y + line - b.y;
}

static void draw_status(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	char number[32], time[32], text[400] = "";
	draw_rect(d, b, t->panel);
	const struct ui_pick *p = &u->hover;
	const struct model *m = ui_model(u, p->run);
	if (box_has(u->lanes, u->mouse_x, u->mouse_y) && ui_model(u, 0)) {
		double c = ui_cycle(u, u->mouse_x);
		size_t n =
			(size_t)snprintf(text, sizeof text, "cycle %s (%s)",
					 ui_number((int64_t)(c < 0 ? 0 : c), number), ui_time(u, c < 0 ? 0 : c, time));
		if (p->any && m && p->row < m->lane[p->lane].n) {
			const struct lane *l = &m->lane[p->lane];
			const struct row *r = &l->row[p->row];
			n += (size_t)snprintf(text + n, sizeof text - n, "   %s: %s, %u cycles",
					      m->vtr->head.pipe[l->pipe], model_name(m, l, r), r->issue);
			if (r->stall)
				snprintf(text + n, sizeof text - n, ", after %u lost to \"%s\"", r->stall,
					 m->vtr->head.cause[row_cause(r)]);
		}
	} else if (u->range_to > u->range_from) {
		snprintf(text, sizeof text, "selected %s cycles (%s)", ui_number(u->range_to - u->range_from, number),
			 ui_time(u, (double)(u->range_to - u->range_from), time));
	}
	static const char keys[] =
		"W/S zoom  A/D pan  F fit  drag: measure  click: details  [ ] follow  / search  ? help";
	int keys_w = text_cells(keys) * u->cell_w, text_w = text_cells(text) * u->cell_w;
	draw_text_fit(d, b.x + u->pad, b.y + 2, b.w - 2 * u->pad, t->text, text);
	if (text_w + keys_w + 4 * u->pad < b.w)
		draw_text(d, b.x + b.w - keys_w - u->pad, b.y + 2, t->faint, keys);
}

static void draw_message(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	int w = u->w * 3 / 4 < 90 * u->cell_w ? u->w * 3 / 4 : 90 * u->cell_w, room = (w - 4 * u->pad) / u->cell_w;
	int lines = (text_cells(u->message) + room) / (room > 8 ? room - 8 : 1) + 3;
	struct box b = { (u->w - w) / 2, u->h / 4, w, lines * u->cell_h + 4 * u->pad };
	draw_clip(d, (struct box){ 0, 0, u->w, u->h }, false);
	draw_rect(d, b, t->panel);
	draw_frame(d, b, u->message_is_error ? t->bad : t->accent);
	draw_text(d, b.x + 2 * u->pad, b.y + u->pad, u->message_is_error ? t->bad : t->accent,
		  u->message_is_error ? "Error" : "Note");
	draw_wrapped(d,
		     (struct box){ b.x + 2 * u->pad, b.y + u->pad + u->cell_h + 2, b.w - 4 * u->pad,
				   b.h - u->cell_h - 2 * u->pad - 2 },
		     t->text, u->message);
}

void draw_help(struct ui *u)
{
	static const char *const text[][2] = {
		{ "W S, wheel", "zoom in, out at the mouse" },
		{ "A D, arrows, shift+wheel", "pan; up and down scroll the lanes" },
		{ "right-drag, ctrl+drag", "pan with the mouse" },
		{ "F, Home", "all of the run" },
		{ "Z", "zoom to the selection" },
		{ "Backspace", "undo zoom" },
		{ "click", "details of an instruction; a double click zooms to it" },
		{ "drag", "measure; statistics of the stretch" },
		{ "[ ]", "to what released it; to what it released" },
		{ ", .", "previous, next instruction of the pipe" },
		{ "click on a finding", "where it shows" },
		{ "L, click in the legend", "where the first finding shows; longest wait for a cause" },
		{ "C", "critical path" },
		{ "E", "arrows from set_flag to wait_flag" },
		{ "/ or ctrl+F", "search: mnemonic, line, 0xADDR, UB:0xADDR, @cycle" },
		{ "N P, F3", "next, previous hit" },
		{ "M", "marker at the cursor, or away with it" },
		{ "X, click on a core", "open, close cores" },
		{ "1 .. 8, Tab", "panels on the right" },
		{ "T", "light, dark" },
		{ "F12", "screenshot (PNG)" },
		{ "ctrl + -", "size of text" },
		{ "ctrl+Q", "quit" },
		{ "", "" },
		{ "live run:", "" },
		{ "Space", "run, pause" },
		{ "O, F10", "one instruction" },
		{ "Y, F11", "one cycle" },
		{ "B, F9", "back to the cycle before" },
		{ "R", "start over" },
		{ "U", "run to: 1200, matmul.c:88, flag MTE2 V 0, write UB 0x40" },
		{ "V", "format of memory" },
	};
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	int n = (int)(sizeof text / sizeof text[0]), columns = (n + 2) * u->cell_h + 4 * u->pad > u->h ? 2 : 1;
	int rows = (n + columns - 1) / columns, left = 25 * u->cell_w, width = left + 55 * u->cell_w;
	int w = columns * width + 4 * u->pad;
	if (w > u->w - 2 * u->pad) {
		w = u->w - 2 * u->pad;
		width = (w - 4 * u->pad) / columns;
	}
	struct box b = { (u->w - w) / 2, (u->h - (rows + 2) * u->cell_h - 2 * u->pad) / 2, w,
			 (rows + 2) * u->cell_h + 2 * u->pad };
	draw_clip(d, (struct box){ 0, 0, u->w, u->h }, false);
	draw_rect(d, b, t->panel);
	draw_frame(d, b, t->accent);
	draw_text(d, b.x + 2 * u->pad, b.y + u->pad, t->accent, "Keys and mouse");
	for (int i = 0; i < n; i++) {
		int x = b.x + 2 * u->pad + i / rows * width,
		    y = b.y + u->pad + (1 + i % rows) * u->cell_h + u->cell_h / 2;
		draw_text_fit(d, x, y, left - u->cell_w, t->text, text[i][0]);
		draw_text_fit(d, x + left, y, width - left - u->cell_w, t->faint, text[i][1]);
	}
}

static void draw_welcome(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	static const char text[] =
		"Drop a trace (.vtr) here.\n\nTraces come from:  vinci run KERNEL --trace FILE.vtr\n"
		"Watch a kernel run:  vinci view kernels/matmul\nCompare two runs:  vinci view old.vtr new.vtr";
	draw_wrapped(&u->draw, (struct box){ u->w / 2 - 26 * u->cell_w, u->h / 3, 54 * u->cell_w, u->h / 2 }, t->faint,
		     text);
}

static void layout(struct ui *u)
{
	int bar = u->cell_h + 10, status = u->cell_h + 6, labels = 25 * u->cell_w + 2 * u->pad, thumb = u->cell_h / 2;
	double y = u->split_y < 0.2 ? 0.2 : u->split_y > 0.85 ? 0.85 : u->split_y;
	double x = u->split_x < 0.15 ? 0.15 : u->split_x > 0.8 ? 0.8 : u->split_x;
	int cut = (int)(y * u->h), side = (int)(x * u->w), gap = u->pad;
	int legend = draw_legend(u, (struct box){ 0, 0, u->w, 0 }, false);
	u->overview = (struct box){ labels, bar, u->w - labels, thumb };
	u->ruler = (struct box){ labels, bar + thumb, u->w - labels, u->cell_h + 8 };
	int top = u->ruler.y + u->ruler.h;
	u->lanes = (struct box){ labels, top, u->w - labels, cut - top - legend };
	u->labels = (struct box){ 0, top, labels, u->lanes.h };
	u->legend = (struct box){ 0, cut - legend, u->w, legend };
	u->left = (struct box){ 0, cut + gap, side, u->h - status - cut - gap };
	u->right = (struct box){ side + gap, cut + gap, u->w - side - gap, u->left.h };
}

static void draw_splitters(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct box h = { 0, u->left.y - u->pad, u->w, u->pad }, v = { u->left.w, u->left.y, u->pad, u->left.h };
	draw_rect(&u->draw, h, t->back);
	draw_rect(&u->draw, v, t->back);
	draw_rect(&u->draw, (struct box){ u->w / 2 - 20, h.y + h.h / 2, 40, 1 }, t->faint);
	draw_rect(&u->draw, (struct box){ v.x + v.w / 2, v.y + v.h / 2 - 20, 1, 40 }, t->faint);
	draw_zone(&u->draw, h, ZONE_SPLIT_Y, 0, 0);
	draw_zone(&u->draw, v, ZONE_SPLIT_X, 0, 0);
}

static void draw_messages(struct ui *u)
{
	if (u->message[0])
		draw_message(u);
	u->dirty = false;
}

void ui_frame(struct ui *u)
{
	const struct theme *t = theme_get(u->dark);
	struct draw *d = &u->draw;
	draw_begin(d, u->w, u->h, u->cell_w, u->cell_h);
	struct box all = { 0, 0, u->w, u->h };
	draw_clip(d, all, false);
	draw_rect(d, all, t->back);
	if (u->tuning) {
		tuning_draw(u);
		draw_messages(u);
		return;
	}
	layout(u);
	draw_top(u);
	if (ui_model(u, 0)) {
		ui_tracks(u);
		draw_timeline(u);
		draw_clip(d, all, false);
		draw_rect(d, u->legend, t->panel);
		draw_legend(u, u->legend, true);
		draw_splitters(u);
		draw_left(u);
		draw_right(u);
		draw_clip(d, all, false);
	} else {
		draw_welcome(u);
	}
	draw_status(u, (struct box){ 0, u->h - u->cell_h - 6, u->w, u->cell_h + 6 });
	if (u->help)
		draw_help(u);
	draw_messages(u);
}
