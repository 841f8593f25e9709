/*
 * panels.c - the tabs on the right; bars of a core's cycles, and the hot spots by source line and instruction.
 */
#include "ui.h"

#include <stdlib.h>
#include <string.h>

static void draw_tabs(struct ui *u, struct box b)
{
	static const char *const name[TAB_COUNT] = { "1 Verdict",  "2 Source",  "3 Buffers", "4 Bandwidth",
						     "5 Roofline", "6 Compare", "7 Live",    "8 Memory" };
	static const char *const brief[TAB_COUNT] = { "1 Why",  "2 Src", "3 Buf",  "4 BW",
						      "5 Roof", "6 A/B", "7 Live", "8 Mem" };
	const struct theme *t = theme_get(u->dark);
	int x = b.x, n = u->live ? TAB_COUNT : TAB_LIVE, wide = 0;
	for (int i = 0; i < n; i++)
		wide += (text_cells(name[i]) + 2) * u->cell_w;
	for (int i = 0; i < n; i++) {
		const char *text = wide > b.w ? brief[i] : name[i];
		int w = (text_cells(text) + 2) * u->cell_w;
		bool on = u->tab == (enum ui_tab)i;
		draw_rect(&u->draw, (struct box){ x, b.y, w - 2, b.h }, on ? t->panel : t->back);
		if (on)
			draw_rect(&u->draw, (struct box){ x, b.y, w - 2, 2 }, t->accent);
		draw_text_fit(&u->draw, x + u->cell_w, b.y + 4, b.x + b.w - x - u->cell_w, on ? t->text : t->faint,
			      text);
		draw_zone(&u->draw, (struct box){ x, b.y, w - 2, b.h }, ZONE_TAB, i, 0);
		x += w;
	}
}

void ui_scroll_hint(struct ui *u, struct box b, int at, int height)
{
	int w = u->cell_w / 2;
	if (height <= b.h || height <= 0)
		return;
	int h = b.h * b.h / height, y = (int)((double)at * b.h / height);
	draw_rect(&u->draw, (struct box){ b.x + b.w - w, b.y + y, w, h < 8 ? 8 : h }, theme_get(u->dark)->line);
}

void draw_right(struct ui *u)
{
	struct box b = u->right, old = draw_clip(&u->draw, b, false);
	int tabs = u->cell_h + 8;
	draw_tabs(u, (struct box){ b.x, b.y, b.w, tabs });
	struct box in = { b.x, b.y + tabs, b.w, b.h - tabs };
	draw_rect(&u->draw, in, theme_get(u->dark)->panel);
	draw_clip(&u->draw, in, false);
	draw_zone(&u->draw, in, ZONE_RIGHT, 0, 0);
	if (u->scroll_right > u->right_height - in.h)
		u->scroll_right = u->right_height - in.h;
	if (u->scroll_right < 0)
		u->scroll_right = 0;
	in = (struct box){ in.x + u->pad, in.y + u->pad, in.w - 2 * u->pad, in.h - 2 * u->pad };
	u->right_height = 0;
	switch (u->tab) {
	case TAB_SOURCE: panel_source(u, in); break;
	case TAB_BUFFERS: panel_buffers(u, in); break;
	case TAB_BANDWIDTH: panel_bandwidth(u, in); break;
	case TAB_ROOFLINE: panel_roofline(u, in); break;
	case TAB_COMPARE: panel_compare(u, in); break;
	case TAB_LIVE: panel_live(u, in); break;
	case TAB_MEMORY: panel_memory(u, in); break;
	default: panel_verdict(u, in); break;
	}
	draw_clip(&u->draw, old, false);
	ui_scroll_hint(u, u->right, u->scroll_right, u->right_height);
}

/* ---- where cycles went ---- */

struct part {
	uint32_t cause;
	int64_t cycles;
};

static int by_cycles(const void *a, const void *b)
{
	const struct part *x = a, *y = b;
	return x->cycles < y->cycles ? 1 : x->cycles > y->cycles ? -1 : (int)x->cause - (int)y->cause;
}

/* One pipe of the core that ended last: a bar of all its cycles, and its largest causes in words. */
static void pipe_bar(struct ui *u, struct box b, const struct core_time *t, uint32_t pipe)
{
	const struct theme *th = theme_get(u->dark);
	const struct vtr_head *h = &ui_model(u, 0)->vtr->head;
	struct part part[VTR_CAUSES];
	/* name, bar, "busy 12 %", and one cause in words; what is left over makes the bar longer */
	int bar_x = b.x + 6 * u->cell_w, bar_w = (b.w - 6 * u->cell_w) * 2 / 5, words = 38 * u->cell_w;
	if (bar_w > b.w - 6 * u->cell_w - words)
		bar_w = b.w - 6 * u->cell_w - words;
	if (bar_w < 12 * u->cell_w)
		bar_w = 12 * u->cell_w;
	uint32_t n = 0;
	double x = bar_x;
	draw_text_fit(&u->draw, b.x, b.y, 5 * u->cell_w, th->text, h->pipe[pipe]);
	double scale = t->total > 0 ? (double)bar_w / (double)t->total : 0;
	draw_rect(&u->draw, (struct box){ bar_x, b.y + 1, bar_w, u->cell_h - 2 }, th->group[GROUP_OUTSIDE]);
	double busy = (double)t->busy[pipe] * scale;
	draw_rect(&u->draw, (struct box){ bar_x, b.y + 1, (int)busy, u->cell_h - 2 }, th->work);
	x += busy;
	for (uint32_t k = 0; k < h->n_cause; k++) {
		enum cause_group g = cause_group(h->cause[k]);
		if (g != GROUP_BUSY && g != GROUP_BANK && g != GROUP_BANDWIDTH && g != GROUP_OUTSIDE &&
		    t->cause[pipe][k] > 0) {
			part[n].cause = k;
			part[n++].cycles = t->cause[pipe][k];
		}
	}
	qsort(part, n, sizeof part[0], by_cycles);
	for (uint32_t i = 0; i < n; i++) {
		double w = (double)part[i].cycles * scale;
		draw_hatch(&u->draw, (struct box){ (int)x, b.y + 1, (int)(x + w) - (int)x, u->cell_h - 2 },
			   ui_cause_color(u, h, part[i].cause));
		draw_zone(&u->draw, (struct box){ (int)x, b.y, (int)w + 1, u->cell_h }, ZONE_CAUSE, part[i].cause, 0);
		x += w;
	}
	int tx = bar_x + bar_w + u->cell_w, end = b.x + b.w;
	tx += draw_textf(&u->draw, tx, b.y, end - tx, th->text, "busy %3.0f %%",
			 100.0 * (double)t->busy[pipe] / (double)(t->total ? t->total : 1));
	for (uint32_t i = 0; i < n && i < 3; i++) {
		char text[100];
		double percent = 100.0 * (double)part[i].cycles / (double)(t->total ? t->total : 1);
		snprintf(text, sizeof text, "%s %.0f %%", h->cause[part[i].cause], percent);
		if (percent < 0.5 || (i > 0 && tx + (text_cells(text) + 2) * u->cell_w > end))
			break;
		tx += 2 * u->cell_w;
		tx += draw_text_fit(&u->draw, tx, b.y, end - tx, ui_cause_text(u, h, part[i].cause), text);
	}
}

int draw_core_time(struct ui *u, struct box b, uint32_t core)
{
	const struct model *m = ui_model(u, 0);
	const struct vtr_head *h = &m->vtr->head;
	struct core_time t;
	int y = b.y;
	analysis_core(m, core, &t);
	draw_textf(&u->draw, b.x, y, b.w, theme_get(u->dark)->faint, "Where the cycles of %s went%s", h->core[core].name,
		   core == u->run[0].focus.core ? ", the last to finish" : "");
	y += u->cell_h + 2;
	for (uint32_t p = 0; p < h->n_pipe; p++) {
		if (!t.present[p])
			continue;
		pipe_bar(u, (struct box){ b.x, y, b.w, u->cell_h }, &t, p);
		y += u->cell_h + 4;
	}
	return y - b.y;
}

/* ---- source ---- */

struct hot {
	uint32_t site;
	int64_t busy, stall;
	uint64_t n;
	int line;
};

static int line_number(const char *text)
{
	const char *colon = strchr(text, ':');
	return colon ? atoi(colon + 1) : 0;
}

static int by_heat(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	int64_t p = x->busy + x->stall, q = y->busy + y->stall;
	return p != q ? (p < q ? 1 : -1) : x->site < y->site ? -1 : 1;
}

static int by_place(const void *a, const void *b)
{
	const struct hot *x = a, *y = b;
	return x->site < y->site ? -1 : 1;
}

/* The source's text of a line, without what it is indented by. */
static void line_text(const struct ui_run *r, const char *where, char *out, size_t size)
{
	size_t n = strlen(r->line_file);
	const char *p = r->line_text;
	out[0] = 0;
	if (!p || strncmp(where, r->line_file, n) != 0 || where[n] != ':')
		return;
	for (int line = atoi(where + n + 1); line > 1 && p; line--)
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	if (!p)
		return;
	p += strspn(p, " \t");
	size_t i = 0;
	for (; i + 1 < size && p[i] && p[i] != '\n' && p[i] != '\r'; i++)
		out[i] = p[i] == '\t' ? ' ' : p[i];
	out[i] = 0;
}

static void hot_row(struct ui *u, struct box b, const struct hot *x, int64_t most)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	const struct vtr_site *s = &m->vtr->site[x->site];
	char count[32], busy[32], stall[32], source[160], place[64];
	bool picked = u->pick.any && u->pick.run == 0 && row_site(&m->lane[u->pick.lane].row[u->pick.row]) == x->site;
	int bar_w = 14 * u->cell_w, cx = b.x;
	if (picked || u->match[x->site])
		draw_rect(&u->draw, b, picked ? theme_mix(t->panel, t->accent, 70) : theme_mix(t->panel, t->match, 50));
	draw_zone(&u->draw, b, ZONE_SITE, x->site, 0);
	double scale = most ? (double)bar_w / (double)most : 0;
	int busy_w = (int)((double)x->busy * scale), stall_w = (int)((double)x->stall * scale);
	draw_rect(&u->draw, (struct box){ cx, b.y + 2, busy_w, u->cell_h - 4 }, t->work);
	draw_hatch(&u->draw, (struct box){ cx + busy_w, b.y + 2, stall_w, u->cell_h - 4 }, t->group[GROUP_FLAG]);
	cx += bar_w + u->cell_w;
	cx += draw_textf(&u->draw, cx, b.y, 24 * u->cell_w, t->text, "%7s %7s %7s ", ui_count((double)x->n, count),
			 ui_count((double)x->busy, busy), ui_count((double)x->stall, stall));
	snprintf(place, sizeof place, "%.*s", (int)strcspn(s->line, " "), s->line[0] ? s->line : "?");
	draw_text_fit(&u->draw, cx, b.y, 20 * u->cell_w, t->faint, place);
	cx += 21 * u->cell_w;
	draw_text_fit(&u->draw, cx, b.y, 22 * u->cell_w, t->accent, s->name);
	cx += 23 * u->cell_w;
	line_text(&u->run[0], s->line, source, sizeof source);
	draw_text_fit(&u->draw, cx, b.y, b.x + b.w - cx, t->text, source);
}

void panel_source(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	uint32_t n_site = m->vtr->n_site, n = 0;
	struct hot *hot = malloc((n_site ? n_site : 1) * sizeof *hot);
	int64_t most = 0;
	if (!hot)
		return;
	for (uint32_t i = 0; i < n_site; i++) {
		const struct site_sum *s = &m->site[i];
		if (s->n == 0 && s->stall == 0)
			continue;
		hot[n++] = (struct hot){ i, s->busy, s->stall, s->n, line_number(m->vtr->site[i].line) };
		most = s->busy + s->stall > most ? s->busy + s->stall : most;
	}
	qsort(hot, n, sizeof *hot, u->sort_by_line ? by_place : by_heat);
	int x = b.x;
	draw_textf(&u->draw, x, b.y, b.w, t->faint, "%-14s %7s %7s %7s %-20s %-22s %s",
		   u->sort_by_line ? "by address" : "hottest first", "count", "busy", "waited", "line", "instruction",
		   "source");
	draw_zone(&u->draw, (struct box){ b.x, b.y, 15 * u->cell_w, u->cell_h }, ZONE_SORT, 0, 0);
	struct box list = { b.x, b.y + u->cell_h + 2, b.w, b.h - u->cell_h - 2 }, old = draw_clip(&u->draw, list, true);
	u->right_height = (int)n * u->cell_h + u->cell_h + 6 * u->pad;
	uint32_t first = (uint32_t)(u->scroll_right / u->cell_h);
	for (uint32_t i = first; i < n; i++) {
		int y = list.y + (int)(i - first) * u->cell_h;
		if (y + u->cell_h > list.y + list.h)
			break;
		hot_row(u, (struct box){ list.x, y, list.w, u->cell_h }, &hot[i], most);
	}
	draw_clip(&u->draw, old, false);
	free(hot);
}
