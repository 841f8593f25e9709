/*
 * ui_input.c - keys and mouse.
 */
#include "tuning.h"
#include "ui.h"

#include <string.h>

enum { BUTTON_LEFT = 1, BUTTON_MIDDLE = 2, BUTTON_RIGHT = 3, CLICK_SLACK = 4 };

static double mouse_cycle(const struct ui *u)
{
	bool inside = u->mouse_x >= u->lanes.x && u->mouse_x < u->lanes.x + u->lanes.w;
	return inside ? ui_cycle(u, u->mouse_x) : (u->from + u->to) / 2;
}

static void search_open(struct ui *u, bool until)
{
	u->searching = true;
	u->until_asked = until;
	u->search[0] = 0;
	ui_search_set(u, u->search);
}

static void search_key(struct ui *u, int key, int mods)
{
	size_t n = strlen(u->search);
	switch (key) {
	case KEY_ESC:
		u->searching = false;
		u->search[0] = 0;
		ui_search_set(u, u->search);
		u->until_asked = false;
		break;
	case KEY_ENTER:
	case KEY_F3:
		if (u->until_asked) {
			u->searching = u->until_asked = false;
			ui_live_until(u, u->search);
		} else if (ui_search_next(u, !(mods & MOD_SHIFT))) {
			u->searching = false;
		}
		break;
	case KEY_BACKSPACE:
		while (n > 0 && (u->search[--n] & 0xc0) == 0x80)
			;
		u->search[n] = 0;
		ui_search_set(u, u->search);
		break;
	default: break;
	}
	u->dirty = true;
}

void ui_text(struct ui *u, const char *utf8)
{
	size_t n = strlen(u->search);
	if (!u->searching || u->message[0])
		return;
	if (n + strlen(utf8) < sizeof u->search)
		memcpy(u->search + n, utf8, strlen(utf8) + 1);
	ui_search_set(u, u->search);
}

static void zoom_to_selection(struct ui *u)
{
	const struct model *m = ui_model(u, u->pick.run);
	if (u->range_to > u->range_from) {
		ui_show(u, (double)u->range_from, (double)u->range_to, true);
		return;
	}
	if (!u->pick.any || !m)
		return;
	const struct row *r = &m->lane[u->pick.lane].row[u->pick.row];
	double width = (double)r->stall + r->issue;
	ui_show(u, (double)r->start - r->stall - width * 0.5, (double)row_issue_end(r) + width * 0.5, true);
}

static void show_path(struct ui *u)
{
	u->show_path = !u->show_path;
	for (int i = 0; i < u->n_run && u->show_path; i++)
		if (!u->run[i].has_path)
			u->run[i].has_path = analysis_path(u->run[i].model, u->run[i].focus.core, &u->run[i].path);
}

static void all_cores(struct ui *u)
{
	for (int i = 0; i < u->n_run; i++) {
		uint32_t n = u->run[i].model->vtr->head.n_core, open = 0;
		for (uint32_t c = 0; c < n; c++)
			open += u->run[i].open[c];
		for (uint32_t c = 0; c < n; c++)
			u->run[i].open[c] = open < n && open <= 1 ? 1 : c == u->run[i].focus.core && open == n;
	}
	u->scroll_y = 0;
}

static void stop_until(struct ui *u, struct live_until until)
{
	if (!u->live)
		return;
	u->live_running = false;
	live_to(u->live, &until, 0);
	ui_live_seen(u);
	if (live_state(u->live) == LIVE_FAILED)
		ui_fail(u, live_failure(u->live));
}

static void restarted(void *user, uint64_t kept)
{
	struct ui *u = user;
	struct fail f = { 0 };
	if (!model_rewind(u->run[0].model, kept, &f))
		ui_fail(u, &f);
	u->pick.any = u->hover.any = false;
}

static void step_back(struct ui *u, int64_t cycle)
{
	struct fail f = { 0 };
	if (!u->live)
		return;
	u->live_running = false;
	if (!live_back(u->live, cycle < 0 ? 0 : cycle, restarted, &f))
		ui_fail(u, &f);
	ui_live_seen(u);
}

/* The end of the last cycle before now at which something happened. */
static int64_t cycle_before(const struct ui *u)
{
	const struct model *m = ui_model(u, 0);
	int64_t now = live_cycle(u->live), best = 0;
	for (uint32_t i = 0; m && i < m->n_lane; i++) {
		const struct lane *l = &m->lane[i];
		for (uint32_t k = l->n; k > 0; k--) {
			if (l->row[k - 1].start >= now)
				continue;
			best = l->row[k - 1].start > best ? l->row[k - 1].start : best;
			break;
		}
	}
	return best;
}

static void live_act(struct ui *u, enum ui_action a)
{
	struct live_until until = LIVE_FOREVER;
	if (!u->live)
		return;
	u->tab = u->tab == TAB_MEMORY || u->tab == TAB_BUFFERS ? u->tab : TAB_LIVE;
	switch (a) {
	case ACT_RUN:
		u->live_running =
			!u->live_running && live_state(u->live) != LIVE_ENDED && live_state(u->live) != LIVE_FAILED;
		break;
	case ACT_STEP_OP:
		until.ops = 1;
		stop_until(u, until);
		break;
	case ACT_STEP_CYCLE:
		until.cycle = live_cycle(u->live) + 1;
		stop_until(u, until);
		break;
	case ACT_BACK: step_back(u, cycle_before(u)); break;
	case ACT_RESTART: step_back(u, 0); break;
	case ACT_UNTIL: search_open(u, true); break;
	default: break;
	}
}

void ui_act(struct ui *u, enum ui_action a)
{
	u->dirty = true;
	switch (a) {
	case ACT_FIT: ui_fit(u); break;
	case ACT_UNDO: ui_undo(u); break;
	case ACT_THEME: u->dark = !u->dark; break;
	case ACT_HELP: u->help = !u->help; break;
	case ACT_ARROWS: u->arrows = !u->arrows; break;
	case ACT_PATH: show_path(u); break;
	case ACT_NEXT: ui_step(u, 1); break;
	case ACT_PREV: ui_step(u, -1); break;
	case ACT_TO_RELEASER: ui_jump(u, true); break;
	case ACT_TO_RELEASED: ui_jump(u, false); break;
	case ACT_ALL_CORES: all_cores(u); break;
	case ACT_LONGEST:
		if (u->n_run && u->run[0].findings && u->run[0].findings->n_finding)
			ui_finding(u, 0);
		else if (u->n_run)
			ui_longest(u, u->run[0].focus.cause);
		break;
	case ACT_FORMAT: u->memory_format++; break;
	case ACT_NONE: break;
	default: live_act(u, a); break;
	}
}

static bool plain_key(struct ui *u, int key, int mods)
{
	static const struct {
		int key;
		enum ui_action act;
	} acts[] = {
		{ 'f', ACT_FIT },        { KEY_HOME, ACT_FIT },       { KEY_BACKSPACE, ACT_UNDO },
		{ 't', ACT_THEME },      { '?', ACT_HELP },           { KEY_F1, ACT_HELP },
		{ 'e', ACT_ARROWS },     { 'c', ACT_PATH },           { '.', ACT_NEXT },
		{ ',', ACT_PREV },       { '[', ACT_TO_RELEASER },    { ']', ACT_TO_RELEASED },
		{ 'x', ACT_ALL_CORES },  { 'l', ACT_LONGEST },        { ' ', ACT_RUN },
		{ KEY_F5, ACT_RUN },     { 'o', ACT_STEP_OP },        { KEY_F10, ACT_STEP_OP },
		{ 'y', ACT_STEP_CYCLE }, { KEY_F11, ACT_STEP_CYCLE }, { 'b', ACT_BACK },
		{ KEY_F9, ACT_BACK },    { 'r', ACT_RESTART },        { 'u', ACT_UNTIL },
		{ 'v', ACT_FORMAT },
	};
	double room = u->to - u->from;
	(void)mods;
	for (size_t i = 0; i < sizeof acts / sizeof acts[0]; i++)
		if (acts[i].key == key) {
			ui_act(u, acts[i].act);
			return true;
		}
	switch (key) {
	case 'w': ui_zoom(u, 0.8, mouse_cycle(u)); break;
	case 's': ui_zoom(u, 1.25, mouse_cycle(u)); break;
	case 'a':
	case KEY_LEFT: ui_pan(u, -room * 0.1); break;
	case 'd':
	case KEY_RIGHT: ui_pan(u, room * 0.1); break;
	case KEY_UP: u->scroll_y -= 2 * u->cell_h; break;
	case KEY_DOWN: u->scroll_y += 2 * u->cell_h; break;
	case KEY_PAGE_UP: u->scroll_y -= u->lanes.h; break;
	case KEY_PAGE_DOWN: u->scroll_y += u->lanes.h; break;
	case 'z': zoom_to_selection(u); break;
	case 'm': ui_mark(u); break;
	case '/': search_open(u, false); break;
	case KEY_F12: u->want_screenshot = true; break;
	case KEY_F3: ui_search_next(u, !(mods & MOD_SHIFT)); break;
	case 'n': ui_search_next(u, true); break;
	case 'p': ui_search_next(u, false); break;
	case KEY_TAB: u->tab = (u->tab + 1) % (u->live ? TAB_COUNT : TAB_LIVE); break;
	case KEY_ESC:
		u->range_from = u->range_to = 0;
		u->range_shown = u->pick.any = false;
		break;
	default: return key >= '1' && key < '1' + TAB_COUNT && (u->tab = (enum ui_tab)(key - '1'), true);
	}
	return true;
}

void ui_key(struct ui *u, int key, int mods)
{
	u->dirty = true;
	if (u->message[0]) { /* a note does not stand in the way of what one wanted to do */
		u->message[0] = 0;
		if (u->message_is_error && !(mods & MOD_CTRL))
			return;
	}
	if (mods & MOD_CTRL) {
		if (key == 'f' && !u->tuning)
			search_open(u, false);
		else if (key == 'q')
			u->want_quit = true;
		else if (key == '0')
			ui_fit(u);
		return;
	}
	if (u->searching) {
		search_key(u, key, mods);
		return;
	}
	if (u->help && key == KEY_ESC) {
		u->help = false;
		return;
	}
	if (u->tuning)
		tuning_key(u, key, mods);
	else
		plain_key(u, key, mods);
}

/* ---- mouse ---- */

static bool row_at(const struct ui *u, const struct track *t, int x, uint32_t *row)
{
	const struct model *m = ui_model(u, t->run);
	const struct lane *l = &m->lane[t->lane];
	double per_px = (u->to - u->from) / (u->lanes.w ? u->lanes.w : 1), cycle = ui_cycle(u, x);
	uint32_t i = lane_find(l, (int64_t)cycle - (int64_t)(per_px * 2));
	double best = per_px * 3;
	bool any = false;
	for (int n = 0; i < l->n && n < 64; i++, n++) {
		const struct row *r = &l->row[i];
		double a = (double)r->start - r->stall, b = (double)row_issue_end(r);
		double off = cycle < a ? a - cycle : cycle > b ? cycle - b : 0;
		if (off < best) {
			best = off - 1e-9;
			*row = i;
			any = true;
		}
		if (a > cycle + per_px * 3)
			break;
	}
	return any;
}

static void lane_click(struct ui *u, int x, int y, int clicks)
{
	const struct track *t = ui_track_at(u, y);
	uint32_t row;
	u->cursor = (int64_t)ui_cycle(u, x);
	if (u->cursor < 0)
		u->cursor = 0;
	if (!t || t->head)
		return;
	if (t->mini) {
		ui_toggle_core(u, t->core);
		return;
	}
	if (!row_at(u, t, x, &row)) {
		u->pick.any = false;
		return;
	}
	int64_t cursor = u->cursor;
	ui_select(u, t->run, t->lane, row, false);
	u->cursor = cursor;
	if (clicks > 1)
		zoom_to_selection(u);
}

static void site_click(struct ui *u, uint32_t site)
{
	const struct model *m = ui_model(u, 0);
	if (!m || site >= m->vtr->n_site)
		return;
	memset(u->match, 0, m->vtr->n_site);
	u->match[site] = 1;
	u->n_match = m->site[site].n;
	u->match_on = true;
	snprintf(u->search, sizeof u->search, "%s", m->vtr->site[site].name);
	ui_search_next(u, true);
}

static void zone_click(struct ui *u, const struct draw_zone *z)
{
	switch (z->what) {
	case ZONE_TAB:
		u->tab = (enum ui_tab)z->a;
		u->scroll_right = 0;
		break;
	case ZONE_CORE: ui_toggle_core(u, (uint32_t)z->a); break;
	case ZONE_CAUSE: ui_longest(u, (uint32_t)z->a); break;
	case ZONE_ROW: ui_select(u, (int)(z->a >> 32), (uint32_t)z->a, (uint32_t)z->b, true); break;
	case ZONE_SITE: site_click(u, (uint32_t)z->a); break;
	case ZONE_ACTION: ui_act(u, (enum ui_action)z->a); break;
	case ZONE_SEARCH: search_open(u, false); break;
	case ZONE_FINDING: ui_finding(u, (uint32_t)z->a); break;
	case ZONE_SORT: u->sort_by_line = !u->sort_by_line; break;
	case ZONE_MARK: u->cursor = z->a; break;
	case ZONE_SPACE:
		u->memory_space = (int)z->a;
		u->memory_addr = z->b;
		if (u->live)
			u->tab = TAB_MEMORY;
		break;
	default: break;
	}
}

static bool in_time(const struct draw_zone *z) { return z && (z->what == ZONE_LANE || z->what == ZONE_RULER); }

void ui_mouse_down(struct ui *u, int x, int y, int button, int mods, int clicks)
{
	u->dirty = true;
	u->mouse_x = u->drag_x = x;
	u->mouse_y = u->drag_y = y;
	u->moved = false;
	u->drag = DRAG_NONE;
	if (u->message[0]) {
		u->message[0] = 0;
		if (u->message_is_error)
			return;
	}
	if (u->help) {
		u->help = false;
		return;
	}
	if (u->tuning) {
		tuning_click(u);
		return;
	}
	const struct draw_zone *z = draw_at(&u->draw, x, y);
	u->drag_from = u->from;
	u->drag_to = u->to;
	if (u->searching && !(z && z->what == ZONE_SEARCH))
		u->searching = u->until_asked = false;
	if (!z)
		return;
	if (z->what == ZONE_SPLIT_Y)
		u->drag = DRAG_SPLIT_Y;
	else if (z->what == ZONE_SPLIT_X)
		u->drag = DRAG_SPLIT_X;
	else if (z->what == ZONE_OVERVIEW)
		u->drag = DRAG_OVERVIEW;
	else if (z->what == ZONE_SCROLL)
		u->drag = DRAG_SCROLL;
	else if (in_time(z))
		u->drag = button == BUTTON_LEFT && !(mods & MOD_CTRL) ? DRAG_RANGE : DRAG_PAN;
	else if (button == BUTTON_LEFT)
		zone_click(u, z);
	if (in_time(z) && clicks > 1) {
		lane_click(u, x, y, clicks);
		u->drag = DRAG_NONE;
	}
	if (u->drag == DRAG_OVERVIEW)
		ui_mouse_move(u, x, y);
}

static void drag_range(struct ui *u, int x)
{
	double a = ui_cycle(u, u->drag_x), b = ui_cycle(u, x);
	if (a > b) {
		double t = a;
		a = b;
		b = t;
	}
	u->range_from = a < 0 ? 0 : (int64_t)(a + 0.5);
	u->range_to = b < 0 ? 0 : (int64_t)(b + 0.5);
	u->range_shown = u->range_to > u->range_from;
}

void ui_mouse_move(struct ui *u, int x, int y)
{
	int dx = x - u->drag_x, dy = y - u->drag_y;
	double per_px = (u->drag_to - u->drag_from) / (u->lanes.w ? u->lanes.w : 1);
	u->mouse_x = x;
	u->mouse_y = y;
	u->dirty = true;
	if (u->tuning) {
		tuning_point(u);
		return;
	}
	if (dx > CLICK_SLACK || dx < -CLICK_SLACK || dy > CLICK_SLACK || dy < -CLICK_SLACK)
		u->moved = true;
	switch (u->drag) {
	case DRAG_PAN: ui_show(u, u->drag_from - dx * per_px, u->drag_to - dx * per_px, false); break;
	case DRAG_RANGE:
		if (u->moved)
			drag_range(u, x);
		break;
	case DRAG_SPLIT_Y: u->split_y = (double)y / u->h; break;
	case DRAG_SPLIT_X: u->split_x = (double)x / u->w; break;
	case DRAG_SCROLL:
		u->scroll_y =
			u->lanes.h > 0 ? (int)((double)(y - u->lanes.y) / u->lanes.h * u->track_h) - u->lanes.h / 2 : 0;
		break;
	case DRAG_OVERVIEW: {
		double span = ui_span(u), room = u->to - u->from;
		double at = span * (x - u->overview.x) / (u->overview.w ? u->overview.w : 1);
		ui_show(u, at - room / 2, at + room / 2, false);
		break;
	}
	default: {
		const struct draw_zone *z = draw_at(&u->draw, x, y);
		const struct track *t = z && z->what == ZONE_LANE ? ui_track_at(u, y) : NULL;
		uint32_t row;
		u->hover.any = t && !t->head && !t->mini && row_at(u, t, x, &row);
		if (u->hover.any)
			u->hover = (struct ui_pick){ true, t->run, t->lane, row };
	}
	}
}

void ui_mouse_up(struct ui *u, int x, int y, int button)
{
	enum ui_drag drag = u->drag;
	u->drag = DRAG_NONE;
	u->dirty = true;
	if (drag == DRAG_RANGE && !u->moved && button == BUTTON_LEFT) {
		u->range_from = u->range_to = 0;
		lane_click(u, x, y, 1);
	}
}

void ui_wheel(struct ui *u, int x, int y, double dx, double dy, int mods)
{
	int lines = (int)(dy * 3 * u->cell_h);
	double room = u->to - u->from;
	u->mouse_x = x;
	u->mouse_y = y;
	u->dirty = true;
	if (u->tuning) {
		tuning_wheel(u, dy);
		return;
	}
	if (box_has(u->lanes, x, y) || box_has(u->ruler, x, y) || box_has(u->overview, x, y)) {
		if (mods & MOD_SHIFT)
			ui_pan(u, -(dx + dy) * room * 0.1);
		else if (dx != 0)
			ui_pan(u, dx * room * 0.1);
		else
			ui_zoom(u, dy > 0 ? 0.8 : 1.25, mouse_cycle(u));
	} else if (box_has(u->labels, x, y)) {
		u->scroll_y -= lines;
	} else if (box_has(u->left, x, y)) {
		u->scroll_left -= lines;
	} else if (box_has(u->right, x, y)) {
		if (u->tab == TAB_MEMORY)
			u->memory_addr -= (int64_t)(dy * 64);
		else
			u->scroll_right -= lines;
	}
}
