/*
 * viz_ui.c - the window without a screen: draw lists hold no text that overlaps or leaves the window at any size, clicks
 * and drags hit what they point at, zoom keeps the cycle under the mouse, search and jumps select the right instruction.
 */
#include "trace_make.h"

#include "../isa/isa.h"
#include "../viz/raster.h"
#include "../viz/view.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct made made;

static void setup(struct ui *u, uint32_t cores, uint32_t steps)
{
	struct fail f = { 0 };
	struct model *m = malloc(sizeof *m);
	made_run(&made, 11, cores, steps, 512);
	cr_assert(m && model_open_memory(m, made.bytes, made.size, "made.vtr", &f), "%s", f.what);
	ui_init(u);
	cr_assert(ui_add_run(u, m));
	ui_frame(u);
	ui_frame(u);
}

static void teardown(struct ui *u)
{
	ui_free(u);
	made_free(&made);
}

static bool overlap(struct box a, struct box b)
{
	struct box c = box_cut(a, b);
	return c.w > 0 && c.h > 0;
}

/* Text on lanes may lie under an arrow, but no two texts may lie on each other, and none may be cut by its clip. */
static void check_texts(const struct ui *u, const char *what)
{
	const struct draw *d = &u->draw;
	struct box clip = { 0, 0, u->w, u->h };
	int *text = malloc((size_t)d->n_item * sizeof *text), n = 0;
	for (int i = 0; i < d->n_item; i++) {
		const struct draw_item *it = &d->item[i];
		if (it->kind == DRAW_CLIP)
			clip = it->box;
		if (it->kind != DRAW_TEXT)
			continue;
		struct box in = box_cut(it->box, clip);
		cr_assert(in.w == it->box.w && in.h == it->box.h, "%s: \"%s\" is cut", what, d->text + it->text);
		cr_assert(it->box.x >= 0 && it->box.y >= 0 && it->box.x + it->box.w <= u->w &&
				  it->box.y + it->box.h <= u->h,
			  "%s: \"%s\" leaves the window", what, d->text + it->text);
		text[n++] = i;
	}
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++)
			cr_assert(!overlap(d->item[text[i]].box, d->item[text[k]].box), "%s: \"%s\" over \"%s\"", what,
				  d->text + d->item[text[i]].text, d->text + d->item[text[k]].text);
	free(text);
}

static const int sizes[][4] = {
	{ 1024, 640, 7, 15 }, { 1280, 720, 7, 15 }, { 1920, 1080, 9, 18 }, { 3840, 2160, 14, 29 }, { 640, 400, 7, 15 }
};

Test(viz_ui, no_text_overlaps_or_is_cut_at_any_size)
{
	struct ui u;
	char what[64];
	setup(&u, 5, 300);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		ui_size(&u, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
		for (int tab = 0; tab < TAB_LIVE; tab++) {
			u.tab = (enum ui_tab)tab;
			ui_fit(&u);
			ui_frame(&u);
			snprintf(what, sizeof what, "%d x %d, panel %d", sizes[s][0], sizes[s][1], tab + 1);
			check_texts(&u, what);
			ui_select(&u, 0, 1, 40 + (uint32_t)tab, true);
			ui_act(&u, ACT_PATH);
			for (int zoom = 0; zoom < 12; zoom++) {
				ui_zoom(&u, 0.6, (double)u.cursor);
				ui_frame(&u);
				check_texts(&u, what);
			}
		}
		u.range_from = 100;
		u.range_to = 5000;
		u.range_shown = true;
		ui_frame(&u);
		check_texts(&u, "range");
		u.range_shown = false;
	}
	teardown(&u);
}

/* Every panel at every size, at the scroll that it has and scrolled down. */
static void check_panels(struct ui *u, int n_tab, const char *what)
{
	char name[100];
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		ui_size(u, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
		for (int tab = 0; tab < n_tab; tab++)
			for (int scroll = 0; scroll < 3; scroll++) {
				u->tab = (enum ui_tab)tab;
				u->scroll_right = u->scroll_left = scroll * 77;
				ui_frame(u);
				snprintf(name, sizeof name, "%s, %d x %d, panel %d, scroll %d", what, sizes[s][0], sizes[s][1],
					 tab + 1, scroll);
				check_texts(u, name);
			}
	}
}

Test(viz_ui, no_text_overlaps_or_is_cut_in_a_comparison)
{
	struct ui u;
	struct fail f = { 0 };
	struct made other;
	struct model *m = malloc(sizeof *m);
	setup(&u, 3, 200);
	made_run(&other, 5, 4, 150, 256);
	cr_assert(m && model_open_memory(m, other.bytes, other.size, "a/longer/path/to/the/other/run.vtr", &f), "%s", f.what);
	cr_assert(ui_add_run(&u, m));
	check_panels(&u, TAB_LIVE, "two runs");
	ui_select(&u, 1, 1, 40, true);
	ui_act(&u, ACT_PATH);
	check_panels(&u, TAB_LIVE, "two runs, one selected");
	ui_free(&u);
	made_free(&other);
	made_free(&made);
}

/* A live run at its beginning, in the middle, at its end; a kernel of vector cores and one of cube cores. */
Test(viz_ui, no_text_overlaps_or_is_cut_in_a_live_run)
{
	static const char *const kernels[] = { "kernels/add", "kernels/matmul" };
	static const char *const stops[] = { "", "4000", "9000", "end" };
	char err[256], what[64];
	cr_assert(isa_init(err, sizeof err), "%s", err);
	for (int k = 0; k < 2; k++) {
		struct fail f = { 0 };
		struct ui u;
		ui_init(&u);
		struct live *l = live_open(kernels[k], NULL, ui_live_event, &u, &f);
		cr_assert(l, "%s", f.what);
		live_on_hold(l, ui_live_hold);
		cr_assert(ui_bind_live(&u, l));
		for (int i = 0; i < 4; i++) {
			if (i == 3)
				u.live_running = true;
			else if (i > 0)
				ui_live_until(&u, stops[i]);
			while (u.live_running)
				ui_live_slice(&u);
			u.message[0] = 0;
			for (int format = 0; format < 3; format++) {
				snprintf(what, sizeof what, "%s at %s, format %d", kernels[k], stops[i], format);
				check_panels(&u, TAB_COUNT, what);
				u.memory_format++;
				u.memory_space++;
			}
		}
		ui_free(&u);
		live_free(l);
	}
}

Test(viz_ui, never_more_than_the_screen_holds)
{
	struct ui u;
	setup(&u, 2, 20000); /* 80000 rows and more on a core */
	for (double part = 1; part > 1e-4; part /= 3) {
		ui_show(&u, ui_span(&u) * 0.3, ui_span(&u) * (0.3 + 0.7 * part), true);
		ui_frame(&u);
		/* per pixel column of a lane: work, wait; boxes have edges and text besides */
		cr_assert_lt(u.draw.n_item, u.lanes.w * 4 * u.n_track + 4000, "at %g of the run", part);
	}
	teardown(&u);
}

static const struct track *open_track(const struct ui *u, uint32_t lane)
{
	for (int i = 0; i < u->n_track; i++)
		if (!u->track[i].head && !u->track[i].mini && u->track[i].lane == lane)
			return &u->track[i];
	return NULL;
}

static void click(struct ui *u, int x, int y)
{
	ui_mouse_down(u, x, y, 1, 0, 1);
	ui_mouse_up(u, x, y, 1);
	ui_frame(u);
}

static int lane_y(const struct ui *u, const struct track *t) { return u->lanes.y + t->y - u->scroll_y + t->h / 2; }

Test(viz_ui, a_click_selects_the_instruction_below_it)
{
	struct ui u;
	setup(&u, 1, 50);
	const struct lane *l = &u.run[0].model->lane[3];
	for (uint32_t row = 2; row < l->n; row += 7) {
		const struct row *r = &l->row[row];
		ui_show(&u, (double)r->start - 300, (double)r->start + 300, true);
		ui_frame(&u);
		const struct track *t = open_track(&u, 3);
		cr_assert(t);
		click(&u, (int)ui_px(&u, (double)r->start + r->issue * 0.5), lane_y(&u, t));
		cr_assert(u.pick.any && u.pick.lane == 3 && u.pick.row == row, "row %u, got %u", row, u.pick.row);
	}
	teardown(&u);
}

Test(viz_ui, zoom_keeps_the_cycle_under_the_mouse_and_can_be_undone)
{
	struct ui u;
	setup(&u, 1, 200);
	int x = u.lanes.x + u.lanes.w / 3, y = u.lanes.y + 20;
	double from = u.from, to = u.to, before = ui_cycle(&u, x);
	for (int i = 0; i < 5; i++)
		ui_wheel(&u, x, y, 0, 1, 0);
	cr_assert_float_eq(ui_cycle(&u, x), before, (u.to - u.from) * 0.01);
	cr_assert_lt(u.to - u.from, (to - from) * 0.5);
	ui_key(&u, KEY_BACKSPACE, 0);
	cr_assert_float_eq(u.from, from, 1e-6);
	cr_assert_float_eq(u.to, to, 1e-6);
	u.mouse_x = x;
	ui_key(&u, 'w', 0);
	cr_assert_float_eq(ui_cycle(&u, x), before, (u.to - u.from) * 0.01);
	ui_key(&u, 'f', 0);
	cr_assert_leq(u.from, 0);
	cr_assert_geq(u.to, (double)u.run[0].model->end);
	teardown(&u);
}

Test(viz_ui, dragging_measures)
{
	struct ui u;
	setup(&u, 1, 200);
	int x0 = u.lanes.x + 100, x1 = u.lanes.x + 300, y = u.lanes.y + 60;
	double a = ui_cycle(&u, x0), b = ui_cycle(&u, x1);
	ui_mouse_down(&u, x1, y, 1, 0, 1);
	ui_mouse_move(&u, x0, y);
	ui_mouse_up(&u, x0, y, 1);
	cr_assert(u.range_shown);
	cr_assert_float_eq((double)u.range_from, a, 1);
	cr_assert_float_eq((double)u.range_to, b, 1);
	ui_key(&u, 'z', 0);
	cr_assert_float_eq(u.from, (double)u.range_from, 1);
	ui_key(&u, KEY_ESC, 0);
	cr_assert_not(u.range_shown);
	teardown(&u);
}

Test(viz_ui, splitters_tabs_and_cores_answer_to_the_mouse)
{
	struct ui u;
	setup(&u, 5, 50);
	double was = u.split_y;
	ui_mouse_down(&u, 300, u.left.y - 2, 1, 0, 1);
	ui_mouse_move(&u, 300, 250);
	ui_mouse_up(&u, 300, 250, 1);
	cr_assert_lt(u.split_y, was);
	ui_frame(&u);
	for (int i = 0; i < u.draw.n_zone; i++)
		if (u.draw.zone[i].what == ZONE_TAB && u.draw.zone[i].a == TAB_BUFFERS) {
			click(&u, u.draw.zone[i].box.x + 3, u.draw.zone[i].box.y + 3);
			break;
		}
	cr_assert_eq(u.tab, TAB_BUFFERS);
	uint8_t open = u.run[0].open[0];
	for (int i = 0; i < u.draw.n_zone; i++)
		if (u.draw.zone[i].what == ZONE_CORE && u.draw.zone[i].a == 0) {
			click(&u, u.draw.zone[i].box.x + 3, u.draw.zone[i].box.y + 3);
			break;
		}
	cr_assert_neq(u.run[0].open[0], open);
	teardown(&u);
}

Test(viz_ui, jumps_follow_the_flag_both_ways)
{
	struct ui u;
	setup(&u, 1, 30);
	const struct model *m = u.run[0].model;
	uint32_t row = 0;
	while (m->vtr->site[row_site(&m->lane[1].row[row])].role != VTR_WAIT_FLAG)
		row++;
	ui_select(&u, 0, 1, row, true);
	ui_key(&u, '[', 0);
	cr_assert_eq(u.pick.lane, 3);
	cr_assert_eq(m->vtr->site[row_site(&m->lane[3].row[u.pick.row])].role, VTR_SET_FLAG);
	ui_key(&u, ']', 0);
	cr_assert(u.pick.lane == 1 && u.pick.row == row);
	ui_key(&u, '.', 0);
	cr_assert_eq(u.pick.row, row + 1);
	ui_key(&u, ',', 0);
	cr_assert_eq(u.pick.row, row);
	teardown(&u);
}

static const char *picked_name(const struct ui *u)
{
	const struct model *m = u->run[0].model;
	return m->vtr->site[row_site(&m->lane[u->pick.lane].row[u->pick.row])].name;
}

Test(viz_ui, search_finds_mnemonics_lines_addresses_and_cycles)
{
	struct ui u;
	setup(&u, 2, 60);
	ui_key(&u, '/', 0);
	ui_text(&u, "VADD");
	ui_key(&u, KEY_ENTER, 0);
	cr_assert(u.pick.any);
	cr_assert_str_eq(picked_name(&u), "vadd.f16");
	const struct model *m = u.run[0].model;
	int64_t first = m->lane[u.pick.lane].row[u.pick.row].start;
	ui_key(&u, 'n', 0);
	cr_assert_str_eq(picked_name(&u), "vadd.f16");
	cr_assert_geq(m->lane[u.pick.lane].row[u.pick.row].start, first);
	ui_key(&u, 'p', 0);
	cr_assert_eq(m->lane[u.pick.lane].row[u.pick.row].start, first);
	ui_search_set(&u, "k.c:11");
	cr_assert(ui_search_next(&u, true));
	cr_assert_str_eq(picked_name(&u), "set_flag");
	ui_search_set(&u, "0x1008");
	cr_assert(ui_search_next(&u, true));
	cr_assert_str_eq(picked_name(&u), "wait_flag");
	ui_search_set(&u, "GM:0x200003000"); /* step 3's source in trace_make.c, unless it copies nothing */
	if (ui_search_next(&u, true)) {
		struct vtr_event e;
		cr_assert(model_event(m, &m->lane[u.pick.lane], u.pick.row, &e));
		cr_assert(0x200003000 >= e.access[0].addr && 0x200003000 < e.access[0].addr + e.access[0].extent);
	}
	ui_search_set(&u, "@1234");
	cr_assert(ui_search_next(&u, true));
	cr_assert_eq(u.cursor, 1234);
	ui_search_set(&u, "nothing like this");
	cr_assert_not(ui_search_next(&u, true));
	cr_assert(u.message[0]);
	teardown(&u);
}

static const struct draw_zone *zone_of(const struct ui *u, enum ui_zone what, int64_t a)
{
	for (int i = 0; i < u->draw.n_zone; i++)
		if (u->draw.zone[i].what == (int)what && u->draw.zone[i].a == a)
			return &u->draw.zone[i];
	return NULL;
}

/* A finding with an instruction leads to that one's longest wait, one with a cause to the longest wait for it, one about
 * the whole run shows the whole run. */
Test(viz_ui, a_click_on_a_finding_goes_to_where_it_shows)
{
	struct ui u;
	setup(&u, 2, 300);
	const struct model *m = ui_model(&u, 0);
	ui_size(&u, 1280, 720, 7, 15);
	for (int i = 0; i < 3; i++) {
		u.scroll_right = 0;
		ui_frame(&u);
		const struct draw_zone *z = zone_of(&u, ZONE_FINDING, i);
		cr_assert_not_null(z, "finding %d is not in the window", i);
		click(&u, z->box.x + 30, z->box.y + 5);
		const struct row *r = u.pick.any ? &m->lane[u.pick.lane].row[u.pick.row] : NULL;
		int64_t most = 0;
		switch (i) {
		case 0:
			cr_assert(r && row_site(r) == 2 && m->lane[u.pick.lane].core == 0);
			for (uint32_t k = 0; k < m->lane[1].n; k++)
				if (row_site(&m->lane[1].row[k]) == 2)
					most = m->lane[1].row[k].stall > most ? m->lane[1].row[k].stall : most;
			cr_assert_geq(r->stall, most);
			cr_assert(u.from < (double)r->start && u.to > (double)r->start);
			break;
		case 1:
			for (uint32_t k = 0; k < m->n_lane; k++)
				for (uint32_t j = 0; j < m->lane[k].n; j++)
					if (row_cause(&m->lane[k].row[j]) == 2 && m->lane[k].row[j].stall > most)
						most = m->lane[k].row[j].stall;
			cr_assert(r && row_cause(r) == 2 && r->stall == most);
			break;
		default: cr_assert(u.from <= 0 && u.to >= ui_span(&u));
		}
	}
	teardown(&u);
}

Test(viz_ui, two_runs_one_above_the_other)
{
	struct ui u;
	struct made other;
	struct fail f = { 0 };
	struct model *m = malloc(sizeof *m);
	setup(&u, 2, 100);
	made_run(&other, 99, 2, 140, 512);
	cr_assert(m && model_open_memory(m, other.bytes, other.size, "other.vtr", &f), "%s", f.what);
	cr_assert(ui_add_run(&u, m));
	ui_frame(&u);
	cr_assert_eq(u.n_run, 2);
	cr_assert_eq(u.tab, TAB_COMPARE);
	int runs[2] = { 0, 0 };
	for (int i = 0; i < u.n_track; i++)
		runs[u.track[i].run]++;
	cr_assert(runs[0] > 0 && runs[1] > 0);
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		ui_size(&u, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
		ui_frame(&u);
		check_texts(&u, "compare");
	}
	ui_free(&u);
	made_free(&other);
	made_free(&made);
}

Test(viz_ui, markers_and_help)
{
	struct ui u;
	setup(&u, 1, 50);
	u.cursor = 700;
	ui_key(&u, 'm', 0);
	cr_assert_eq(u.n_mark, 1);
	ui_key(&u, 'm', 0);
	cr_assert_eq(u.n_mark, 0);
	ui_key(&u, '?', 0);
	cr_assert(u.help);
	ui_frame(&u);
	ui_key(&u, KEY_ESC, 0);
	cr_assert_not(u.help);
	ui_key(&u, 't', 0);
	cr_assert_not(u.dark);
	teardown(&u);
}

/* ---- what surrounds the ui ---- */

static bool test_font(struct font *f, int pixels, struct fail *fail)
{
	return font_blocks(f, pixels * 7 / 12, pixels * 15 / 12) || fail_set(fail, FAIL_INTERNAL, "no memory");
}

static int pictures;
static bool test_png(const char *path, const struct image *i, struct fail *f)
{
	(void)path;
	(void)f;
	pictures += i->w > 0;
	return true;
}

static bool run_script(struct view *v, const char *text, struct fail *f)
{
	char path[64];
	snprintf(path, sizeof path, "build/viz_ui_script_%d.txt", (int)getpid());
	FILE *out = fopen(path, "w");
	cr_assert(out && fputs(text, out) >= 0 && fclose(out) == 0);
	bool ok = view_script(v, path, f);
	remove(path);
	return ok;
}

static void view_begin(struct view *v)
{
	struct fail f = { 0 };
	memset(v, 0, sizeof *v);
	ui_init(&v->ui);
	v->font_open = test_font;
	v->png_write = test_png;
	cr_assert(view_size(v, 1280, 720, &f));
}

Test(viz_ui, a_script_drives_the_window_and_names_its_wrong_line)
{
	struct view v;
	struct fail f = { 0 };
	view_begin(&v);
	cr_assert(
		run_script(
			&v,
			"# nothing open yet\nexpect Drop a trace\nsize 1024 640\nkey ?\nexpect Keys and mouse\nkey esc\n"
			"screenshot x.png\nquit\nno such thing\n",
			&f),
		"%s", f.what);
	cr_assert_eq(pictures, 1);
	cr_assert_eq(v.ui.w, 1024);
	cr_assert_not(run_script(&v, "size 800 600\nexpect what is not there\n", &f));
	cr_assert_eq(f.line, 2);
	memset(&f, 0, sizeof f);
	cr_assert_not(run_script(&v, "jump\n", &f));
	cr_assert_eq(f.line, 1);
	view_close(&v);
}

static bool on_screen(const struct ui *u, const char *text)
{
	for (int i = 0; i < u->draw.n_item; i++)
		if (u->draw.item[i].kind == DRAW_TEXT && strstr(u->draw.text + u->draw.item[i].text, text))
			return true;
	return false;
}

/* A long trace shows its report at once; its instructions come when a thread has read them. */
Test(viz_ui, a_long_trace_is_read_behind_the_window)
{
	struct view v;
	char path[64];
	made_run(&made, 2, 5, 15000, 0);
	snprintf(path, sizeof path, "build/viz_ui_long_%d.vtr", (int)getpid());
	FILE *out = fopen(path, "wb");
	cr_assert(out && fwrite(made.bytes, 1, made.size, out) == made.size && fclose(out) == 0);
	view_begin(&v);
	v.in_background = true;
	cr_assert(view_open(&v, path));
	cr_assert(v.ui.run[0].reading && v.ui.run[0].model->n_row == 0);
	view_frame(&v);
	check_texts(&v.ui, "while reading");
	cr_assert(on_screen(&v.ui, "single buffer") && on_screen(&v.ui, "reading"));
	ui_key(&v.ui, 'l', 0); /* what has no rows yet cannot be gone to */
	ui_key(&v.ui, 'c', 0);
	view_frame(&v);
	for (int i = 0; i < 3000 && view_loaded(&v); i++)
		usleep(10000);
	cr_assert_not(v.ui.run[0].reading);
	cr_assert_eq(v.ui.run[0].model->n_row, made.n_event);
	view_frame(&v);
	cr_assert_not(on_screen(&v.ui, "reading"));
	/* closed while it reads: nothing is left over */
	cr_assert(view_open(&v, path));
	view_close(&v);
	remove(path);
	made_free(&made);
}

Test(viz_ui, a_broken_file_is_a_message_in_the_window)
{
	struct view v;
	view_begin(&v);
	cr_assert_not(view_open(&v, "Makefile"));
	cr_assert(v.ui.message_is_error);
	cr_assert(strstr(v.ui.message, "not a Vinci trace"));
	view_frame(&v);
	cr_assert_not(view_open(&v, "no/such/file.vtr"));
	view_frame(&v);
	view_close(&v);
}

Test(viz_ui, a_picture_has_the_colours_of_the_draw_list)
{
	struct draw d = { 0 };
	struct image i = { 0 };
	struct font f;
	cr_assert(image_size(&i, 40, 30) && font_blocks(&f, 7, 15));
	draw_begin(&d, 40, 30, 7, 15);
	draw_rect(&d, (struct box){ 0, 0, 40, 30 }, 0xff102030);
	draw_clip(&d, (struct box){ 10, 10, 10, 10 }, false);
	draw_rect(&d, (struct box){ -5, -5, 100, 100 }, 0xffff0000);
	draw_clip(&d, (struct box){ 0, 0, 40, 30 }, false);
	draw_rect(&d, (struct box){ 30, 0, 10, 30 }, 0x80ffffff);
	draw_line(&d, -1000000, 25, 1000000, 25, 0xff00ff00);
	raster(&i, &d, &f);
	cr_assert_eq(i.pixel[0], 0xff102030);
	cr_assert_eq(i.pixel[10 * 40 + 10], 0xffff0000);
	cr_assert_eq(i.pixel[9 * 40 + 10], 0xff102030);
	cr_assert_eq(i.pixel[20 * 40 + 20], 0xff102030);
	cr_assert_eq(i.pixel[25 * 40 + 3], 0xff00ff00);
	uint32_t half = i.pixel[35];
	cr_assert_float_eq(half >> 16 & 255, (0x10 + 0xff) / 2.0, 2);
	draw_free(&d);
	image_free(&i);
	font_free(&f);
}
