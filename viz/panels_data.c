/*
 * panels_data.c - buffers at the cursor, bandwidth over time, roofline, two runs side by side.
 */
#include "ui.h"

#include <math.h>
#include <string.h>

/* ---- buffers ---- */

static uint32_t map_color(const struct ui *u, enum map_state s)
{
	const struct theme *t = theme_get(u->dark);
	switch (s) {
	case MAP_STALE: return t->group[GROUP_EMPTY];
	case MAP_LIVE: return t->group[GROUP_BARRIER];
	case MAP_READ: return t->accent;
	case MAP_WRITE: return t->group[GROUP_FLAG];
	case MAP_CONFLICT: return t->bad;
	default: return t->lane;
	}
}

static void map_legend(struct ui *u, struct box b)
{
	static const char *const name[MAP_STATES] = { "never written", "stale",       "live",
						      "read now",      "written now", "read and written" };
	const struct theme *t = theme_get(u->dark);
	int x = b.x;
	for (int s = 0; s < MAP_STATES; s++) {
		int w = text_cells(name[s]) * u->cell_w;
		if (x + w + 3 * u->cell_w > b.x + b.w)
			break;
		draw_rect(&u->draw, (struct box){ x, b.y + 3, u->cell_h - 6, u->cell_h - 6 },
			  map_color(u, (enum map_state)s));
		draw_frame(&u->draw, (struct box){ x, b.y + 3, u->cell_h - 6, u->cell_h - 6 }, t->line);
		draw_text(&u->draw, x + u->cell_h, b.y, t->faint, name[s]);
		x += w + u->cell_h + 2 * u->cell_w;
	}
}

static int map_rows(struct ui *u, struct box b, int y, uint32_t space)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	const struct buffer_map *map = &u->map[space];
	char text[200];
	int left = 13 * u->cell_w, w = b.w - left;
	draw_textf(&u->draw, b.x, y, left - u->cell_w, t->text, "%-4s%4.0f KiB", m->vtr->head.space[space],
		   (double)map->bytes / 1024);
	draw_rect(&u->draw, (struct box){ b.x + left, y, w, u->cell_h }, t->lane);
	for (int c = 0; c < MAP_CELLS;) {
		int end = c + 1;
		while (end < MAP_CELLS && map->cell[end] == map->cell[c])
			end++;
		int x0 = b.x + left + c * w / MAP_CELLS, x1 = b.x + left + end * w / MAP_CELLS;
		if (map->cell[c] != MAP_NEVER)
			draw_rect(&u->draw, (struct box){ x0, y, x1 - x0, u->cell_h }, map_color(u, map->cell[c]));
		c = end;
	}
	draw_zone(&u->draw, (struct box){ b.x + left, y, w, u->cell_h }, ZONE_SPACE, space, 0);
	y += u->cell_h + 2;
	for (int i = 0; i < map->n_now && i < 4; i++) {
		const struct lane *l = &m->lane[map->now[i].lane];
		snprintf(text, sizeof text, "%s 0x%llx .. 0x%llx by %s %s", map->now[i].write ? "written" : "read",
			 (unsigned long long)map->now[i].addr,
			 (unsigned long long)(map->now[i].addr + map->now[i].extent), m->vtr->head.pipe[l->pipe],
			 model_name(m, l, &l->row[map->now[i].row]));
		draw_text_fit(&u->draw, b.x + left, y, w, map->now[i].write ? t->group[GROUP_FLAG] : t->accent, text);
		draw_zone(&u->draw, (struct box){ b.x + left, y, w, u->cell_h }, ZONE_ROW, map->now[i].lane,
			  map->now[i].row);
		y += u->cell_h;
	}
	return y + 2;
}

void panel_buffers(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	uint32_t core = ui_core(u);
	char number[32], time[32];
	int64_t cycle = u->cursor >= 0 ? u->cursor : m->end / 2;
	if (u->map_cycle != cycle || u->map_core != core || u->map_rows != m->n_row) {
		analysis_buffers(m, u->run[0].has_chip ? &u->run[0].chip : NULL, core, cycle, u->map);
		u->map_cycle = cycle;
		u->map_core = core;
		u->map_rows = m->n_row;
	}
	int y = b.y - u->scroll_right, top = y;
	draw_textf(&u->draw, b.x, y, b.w, t->accent, "%s at cycle %s (%s)%s", m->vtr->head.core[core].name,
		   ui_number(cycle, number), ui_time(u, (double)cycle, time),
		   u->cursor < 0 ? "; click in the timeline to choose a cycle" : "");
	y += u->cell_h;
	map_legend(u, (struct box){ b.x, y, b.w, u->cell_h });
	y += u->cell_h + u->pad;
	int n = 0;
	for (uint32_t s = 0; s < m->vtr->head.n_space; s++)
		if (u->map[s].present) {
			y = map_rows(u, b, y, s);
			n++;
		}
	if (n == 0)
		draw_text_fit(&u->draw, b.x, y, b.w, t->faint, "No instruction has touched a buffer yet.");
	else if (!u->map[0].whole)
		draw_text_fit(&u->draw, b.x, y, b.w, t->faint,
			      "A long run: only what happened near this cycle is considered.");
	u->right_height = y - top + 5 * u->pad;
}

/* ---- bandwidth ---- */

static const uint32_t series[6] = { 0xff56b4e9, 0xffe69f00, 0xff009e73, 0xffcc79a7, 0xffd55e00, 0xff9d7ad6 };

void panel_bandwidth(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m = ui_model(u, 0);
	const struct vtr_head *h = &m->vtr->head;
	struct box plot = { b.x + 9 * u->cell_w, b.y + u->cell_h + 4, b.w - 10 * u->cell_w, b.h - 2 * u->cell_h - 8 };
	uint32_t pipes[6], n = 0;
	double most = 1, from = u->from < 0 ? 0 : u->from, to = u->to > (double)m->end ? (double)m->end : u->to;
	char text[64], a[32], c[32];
	for (uint32_t p = 0; p < h->n_pipe && n < 6; p++)
		if (analysis_bytes(m, p, 0, (double)m->end) > 0)
			pipes[n++] = p;
	if (n == 0 || plot.w < 20 || plot.h < 20 || to <= from) {
		draw_text_fit(&u->draw, b.x, b.y, b.w, t->faint, "Nothing is moved in this stretch.");
		return;
	}
	double step = (to - from) / plot.w;
	for (uint32_t i = 0; i < n; i++)
		for (int x = 0; x < plot.w; x++) {
			double v = analysis_bytes(m, pipes[i], from + x * step, from + (x + 1) * step) / step;
			most = v > most ? v : most;
		}
	const struct ui_run *r = &u->run[0];
	int x = b.x;
	draw_text(&u->draw, x, b.y, t->faint, "B/cycle, all cores:");
	x += 20 * u->cell_w;
	for (uint32_t i = 0; i < n; i++) {
		double mean = analysis_bytes(m, pipes[i], from, to) / (to - from);
		snprintf(text, sizeof text, "%s mean %s", h->pipe[pipes[i]], ui_count(mean, a));
		if (x + (text_cells(text) + 3) * u->cell_w > b.x + b.w)
			break;
		draw_rect(&u->draw, (struct box){ x, b.y + 4, u->cell_w, u->cell_h - 8 }, series[i]);
		x += 2 * u->cell_w;
		x += draw_text(&u->draw, x, b.y, t->text, text) + 2 * u->cell_w;
	}
	draw_rect(&u->draw, plot, t->lane);
	for (int k = 0; k <= 2; k++) {
		int y = plot.y + plot.h * k / 2;
		draw_rect(&u->draw, (struct box){ plot.x, y, plot.w, 1 }, t->line);
		draw_textf(&u->draw, b.x,
			   y - (k == 0   ? 0
				: k == 2 ? u->cell_h
					 : u->cell_h / 2),
			   8 * u->cell_w, t->faint, "%8s", ui_count(most * (2 - k) / 2, a));
	}
	for (uint32_t i = 0; i < n; i++) {
		int last = -1;
		for (int px = 0; px < plot.w; px++) {
			double v = analysis_bytes(m, pipes[i], from + px * step, from + (px + 1) * step) / step;
			int y = plot.y + plot.h - 1 - (int)(v / most * (plot.h - 2));
			int y0 = last < 0 ? y : last < y ? last : y, y1 = last > y ? last : y;
			draw_rect(&u->draw, (struct box){ plot.x + px, y0, 1, y1 - y0 + 2 }, series[i]);
			last = y;
		}
	}
	double hbm = r->has_chip ? (double)r->chip.gm.hbm_rate / 1000 : 0;
	if (hbm > 0 && hbm < most) {
		int y = plot.y + plot.h - 1 - (int)(hbm / most * (plot.h - 2));
		for (int px = 0; px < plot.w; px += 8)
			draw_rect(&u->draw, (struct box){ plot.x + px, y, 4, 1 }, t->bad);
	}
	draw_textf(&u->draw, plot.x, plot.y + plot.h + 2, plot.w, t->faint, "cycles %s .. %s%s",
		   ui_number((int64_t)from, a), ui_number((int64_t)to, c),
		   hbm > 0 && hbm < most ? "; dashes: what HBM can do" : "");
}

/* ---- roofline ---- */

static double log_at(double v, double low, double high) { return log10(v / low) / log10(high / low); }

static void roof_line(struct ui *u, struct box p, double x0, double y0, double x1, double y1, const double lim[4],
		      uint32_t color)
{
	int ax = p.x + (int)(log_at(x0, lim[0], lim[1]) * p.w),
	    ay = p.y + p.h - (int)(log_at(y0, lim[2], lim[3]) * p.h);
	int bx = p.x + (int)(log_at(x1, lim[0], lim[1]) * p.w),
	    by = p.y + p.h - (int)(log_at(y1, lim[2], lim[3]) * p.h);
	draw_line(&u->draw, ax, ay, bx, by, color);
	draw_line(&u->draw, ax, ay + 1, bx, by + 1, color);
}

static void roof_point(struct ui *u, struct box p, const struct roofline *r, const double lim[4], uint32_t color)
{
	double x = r->intensity < lim[0] ? lim[0] : r->intensity > lim[1] ? lim[1] : r->intensity;
	double y = r->ops < lim[2] ? lim[2] : r->ops > lim[3] ? lim[3] : r->ops;
	int px = p.x + (int)(log_at(x, lim[0], lim[1]) * p.w), py = p.y + p.h - (int)(log_at(y, lim[2], lim[3]) * p.h),
	    s = u->cell_h / 3;
	draw_rect(&u->draw, (struct box){ px - s, py - s, 2 * s + 1, 2 * s + 1 }, color);
	draw_frame(&u->draw, (struct box){ px - s - 1, py - s - 1, 2 * s + 3, 2 * s + 3 }, theme_get(u->dark)->text);
}

void panel_roofline(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct ui_run *run = &u->run[0];
	struct roofline r;
	char peak[32], done[32], bytes[32];
	if (!analysis_roofline(run->model, run->has_chip ? &run->chip : NULL, &r)) {
		draw_wrapped(&u->draw, b, t->faint,
			     run->has_chip ? "The run has no work or no memory traffic to place."
					   : "The chip's numbers are not among the configs: no roofs to draw.");
		return;
	}
	double roof = r.l2 > r.hbm ? r.l2 : r.hbm, knee = r.peak / roof,
	       can = r.intensity * roof < r.peak ? r.intensity * roof : r.peak;
	int y = b.y;
	draw_textf(&u->draw, b.x, y, b.w, t->text,
		   "%s %ss per cycle, %.1f %% of the peak %s; %.2f per byte of GM traffic (%s B)",
		   ui_count(r.ops, done), r.unit, 100 * r.ops / r.peak, ui_count(r.peak, peak), r.intensity,
		   ui_count((double)(run->model->gm_read + run->model->gm_write), bytes));
	y += u->cell_h;
	draw_textf(&u->draw, b.x, y, b.w, t->accent,
		   "%s: at this intensity the roof is at %s, the run reaches %.1f %% of it",
		   r.intensity < knee ? "Left of the knee, memory sets the limit"
				      : "Right of the knee, the units set the limit",
		   ui_count(can, peak), 100 * r.ops / can);
	y += u->cell_h + u->pad;
	struct box p = { b.x + 9 * u->cell_w, y, b.w - 10 * u->cell_w, b.y + b.h - y - u->cell_h - 2 };
	if (p.w < 40 || p.h < 30)
		return;
	double lim[4] = { knee / 1000, knee * 1000, r.peak / 10000, r.peak * 3 };
	if (r.intensity < lim[0])
		lim[0] = r.intensity / 2;
	if (r.intensity > lim[1])
		lim[1] = r.intensity * 2;
	if (r.ops < lim[2])
		lim[2] = r.ops / 2;
	draw_rect(&u->draw, p, t->lane);
	struct box old = draw_clip(&u->draw, p, true);
	roof_line(u, p, lim[0], lim[0] * r.hbm, r.peak / r.hbm, r.peak, lim, t->group[GROUP_BANDWIDTH]);
	if (r.l2 > r.hbm)
		roof_line(u, p, lim[0], lim[0] * r.l2, r.peak / r.l2, r.peak, lim, t->group[GROUP_FLAG]);
	roof_line(u, p, knee, r.peak, lim[1], r.peak, lim, t->accent);
	for (int i = 0; i < u->n_run; i++) {
		struct roofline o;
		if (analysis_roofline(u->run[i].model, u->run[i].has_chip ? &u->run[i].chip : NULL, &o))
			roof_point(u, p, &o, lim, i ? t->critical : t->cursor);
	}
	draw_text_fit(&u->draw, p.x + p.w - 30 * u->cell_w, p.y + 2, 29 * u->cell_w, t->faint, "roofs:");
	draw_text_fit(&u->draw, p.x + p.w - 23 * u->cell_w, p.y + 2, 6 * u->cell_w, t->accent, "units");
	draw_text_fit(&u->draw, p.x + p.w - 16 * u->cell_w, p.y + 2, 4 * u->cell_w, t->group[GROUP_FLAG], "L2");
	draw_text_fit(&u->draw, p.x + p.w - 12 * u->cell_w, p.y + 2, 4 * u->cell_w, t->group[GROUP_BANDWIDTH], "HBM");
	draw_clip(&u->draw, old, false);
	draw_textf(&u->draw, b.x, p.y, 9 * u->cell_w, t->faint, "%s", ui_count(lim[3], peak));
	draw_textf(&u->draw, b.x, p.y + p.h - u->cell_h, 9 * u->cell_w, t->faint, "%.3g", lim[2]);
	draw_textf(&u->draw, p.x, p.y + p.h + 1, p.w, t->faint, "%ss per byte, %.2g .. %.2g, both axes logarithmic",
		   r.unit, lim[0], lim[1]);
}

/* ---- compare ---- */

static void compare_row(struct ui *u, struct box b, const char *name, double a, double c, bool percent)
{
	const struct theme *t = theme_get(u->dark);
	char x[32], y[32], z[32];
	double diff = c - a;
	draw_text_fit(&u->draw, b.x, b.y, 30 * u->cell_w, t->text, name);
	int at = b.x + 31 * u->cell_w;
	at += draw_textf(&u->draw, at, b.y, 24 * u->cell_w, t->text, "%11s %11s ", ui_number((int64_t)a, x),
			 ui_number((int64_t)c, y));
	uint32_t color = diff == 0 ? t->faint : diff < 0 ? t->good : t->bad;
	snprintf(z, sizeof z, "%s%s",
		 diff > 0   ? "+"
		 : diff < 0 ? "-"
			    : "",
		 diff == 0 ? "same" : ui_number((int64_t)fabs(diff), x));
	at += draw_textf(&u->draw, at, b.y, 12 * u->cell_w, color, "%11s ", z);
	if (percent && a > 0 && diff != 0)
		draw_textf(&u->draw, at, b.y, b.x + b.w - at, color, "%+.1f %%", 100 * diff / a);
}

/* The finding of run `run` called id; NULL when its report has none. */
static const struct vtr_finding *finding_of(const struct ui *u, int run, const char *id)
{
	const struct vtr_findings *x = u->run[run].findings;
	for (uint32_t i = 0; x && i < x->n_finding; i++)
		if (strcmp(x->finding[i].id, id) == 0)
			return &x->finding[i];
	return NULL;
}

/* What each report says could be saved at most: findings of A, then those that only B has. Returns the height used. */
static int compare_findings(struct ui *u, struct box b)
{
	int y = b.y;
	char name[100];
	if (!u->run[0].findings || !u->run[1].findings)
		return 0;
	for (int run = 0; run < 2; run++) {
		const struct vtr_findings *x = u->run[run].findings;
		for (uint32_t i = 0; i < x->n_finding; i++) {
			const struct vtr_finding *f = &x->finding[i], *other = finding_of(u, 1 - run, f->id);
			if (finding_of(u, run, f->id) != f || (run == 1 && other))
				continue; /* the largest of a name stands for it */
			double own = (double)f->gain, its = other ? (double)other->gain : 0;
			snprintf(name, sizeof name, "cost of %.60s", f->id);
			compare_row(u, (struct box){ b.x, y, b.w, b.h }, name, run ? its : own, run ? own : its, true);
			y += b.h;
		}
	}
	return y - b.y;
}

void panel_compare(struct ui *u, struct box b)
{
	const struct theme *t = theme_get(u->dark);
	const struct model *m[2] = { ui_model(u, 0), ui_model(u, 1) };
	struct core_time time[2];
	char name[100];
	int y = b.y - u->scroll_right, top = y, line = u->cell_h;
	if (!m[1]) {
		draw_wrapped(
			&u->draw, b, t->faint,
			"Two runs are compared when two traces are given: vinci view old.vtr new.vtr, or when a second"
			" one is dropped into the window.");
		return;
	}
	for (int i = 0; i < 2; i++) {
		analysis_core(m[i], u->run[i].focus.core, &time[i]);
		draw_textf(&u->draw, b.x, y, b.w, t->faint, "%s  %s: %s, entry %s, on %s", i ? "B" : "A", m[i]->path,
			   m[i]->vtr->head.kernel, m[i]->vtr->head.entry, m[i]->vtr->head.chip);
		y += line;
	}
	y += u->pad;
	draw_textf(&u->draw, b.x, y, b.w, t->faint, "%-30s %11s %11s %11s", "of the core that ended last", "A", "B",
		   "B - A");
	y += line;
	compare_row(u, (struct box){ b.x, y, b.w, line }, "cycles", (double)m[0]->cycles, (double)m[1]->cycles, true);
	y += line;
	compare_row(u, (struct box){ b.x, y, b.w, line }, "instructions", (double)m[0]->n_row, (double)m[1]->n_row,
		    true);
	y += line;
	compare_row(u, (struct box){ b.x, y, b.w, line }, "GM bytes", (double)(m[0]->gm_read + m[0]->gm_write),
		    (double)(m[1]->gm_read + m[1]->gm_write), true);
	y += line;
	y += compare_findings(u, (struct box){ b.x, y, b.w, line });
	const struct vtr_head *h = &m[0]->vtr->head, *o = &m[1]->vtr->head;
	for (uint32_t p = 0; p < h->n_pipe && p < o->n_pipe; p++) {
		if (!time[0].present[p] && !time[1].present[p])
			continue;
		snprintf(name, sizeof name, "%s busy", h->pipe[p]);
		compare_row(u, (struct box){ b.x, y, b.w, line }, name, (double)time[0].busy[p],
			    (double)time[1].busy[p], true);
		y += line;
		for (uint32_t k = 0; k < h->n_cause; k++) {
			enum cause_group g = cause_group(h->cause[k]);
			int64_t a = time[0].cause[p][k], c = 0;
			for (uint32_t j = 0; j < o->n_cause; j++)
				if (strcmp(o->cause[j], h->cause[k]) == 0)
					c = time[1].cause[p][j];
			int64_t diff = a > c ? a - c : c - a;
			if (g == GROUP_BUSY || g == GROUP_OUTSIDE || diff * 200 < m[0]->end)
				continue;
			snprintf(name, sizeof name, "  %s", h->cause[k]);
			compare_row(u, (struct box){ b.x, y, b.w, line }, name, (double)a, (double)c, true);
			y += line;
		}
	}
	u->right_height = y - top + 5 * u->pad;
}
