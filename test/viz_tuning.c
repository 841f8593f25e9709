/*
 * viz_tuning.c - the table of a search in the window: what is read from CSV and JSON, what is left out, what is refused; the
 * ranking, keys and mouse, and that no text overlaps at any size.
 */
#include "../viz/tuning.h"
#include "../viz/ui.h"

#include <criterion/criterion.h>
#include <string.h>

static const char table[] =
	"shape,status,cycles,lacks,a,b,reason\n"
	"\"check\",right,0,0,1,8,\"\"\n"
	"\"check\",wrong,0,0,3,8,\"wrong values at the checked shape\"\n"
	"\"M=4,K=2\",timed,500,0,1,8,\"M is \"\"busy\"\", they say\"\n"
	"\"M=4,K=2\",timed,400,0,1,16,\"MTE2\"\n"
	"\"M=4,K=2\",timed,700,0,2,16,\"V\"\n"
	"\"M=4,K=2,K=1\",timed,50,0,2,16,\"a cheaper shape\"\n"
	"\"M=4,K=2\",rejected,0,96,2,8,\"a * b <= 4, of course\"\n"
	"\"M=9\",timed,80,0,2,8,\"V\"\n";

static struct tuning *read_table(const char *text)
{
	struct fail f = { 0 };
	struct tuning *t = tuning_parse(text, strlen(text), "x/t.csv", &f);
	cr_assert(t, "%s", f.what);
	return t;
}

Test(viz_tuning, csv_is_read)
{
	struct tuning *t = read_table(table);
	cr_expect_eq(t->n_shape, 2, "the cheaper shape on the way is left out");
	cr_expect_str_eq(t->shape[0], "M=4,K=2");
	cr_expect_str_eq(t->shape[1], "M=9");
	cr_expect_eq(t->n_param, 2);
	cr_expect_eq(t->n_rank, 3);
	cr_expect_eq(t->row[t->rank[0]].cycles, 400);
	cr_expect_eq(t->row[t->rank[0]].value[1], 16);
	cr_expect_str_eq(t->row[t->rank[1]].reason, "M is \"busy\", they say");
	cr_expect_eq(t->row[t->rank[2]].cycles, 700);
	cr_expect(tuning_look(t, 1));
	cr_expect_eq(t->n_rank, 1);
	int lacking = 0, wrong = 0;
	for (int64_t i = 0; i < t->n_row; i++) {
		lacking += t->row[i].status == TUNED_REJECTED && t->row[i].lacks == 96 &&
			   strcmp(t->row[i].reason, "a * b <= 4, of course") == 0;
		wrong += t->row[i].status == TUNED_WRONG && t->row[i].shape == -1;
	}
	cr_expect_eq(lacking, 1);
	cr_expect_eq(wrong, 1, "a failed value check counts at every shape");
	tuning_free(t);
}

Test(viz_tuning, json_is_read)
{
	struct tuning *t = read_table(
		"{ \"schema\": 1, \"combinations\": 2, \"shapes\": [ { \"shape\": \"n=1\", \"ranked\": ["
		"{ \"params\": { \"a\": 5, \"b\": 6 }, \"cycles\": 30, \"bottleneck\": \"V\" },"
		"{ \"params\": { \"a\": 7, \"b\": 6 }, \"cycles\": 20, \"bottleneck\": \"MTE3\" } ] } ] }");
	cr_expect_eq(t->n_rank, 2);
	cr_expect_eq(t->row[t->rank[0]].value[0], 7);
	cr_expect_str_eq(t->row[t->rank[0]].reason, "MTE3");
	tuning_free(t);
}

Test(viz_tuning, what_is_no_table_is_refused_with_its_line)
{
	static const struct { const char *text, *says; int line; } cases[] = {
		{ "", "no table of vinci tune", 1 },
		{ "shape,status,cycles\n", "no table of vinci tune", 1 },
		{ "shape,status,cycles,lacks,a,b\n", "no table of vinci tune", 1 },
		{ "shape,status,cycles,lacks,a,reason\n", "the table is empty", 0 },
		{ "shape,status,cycles,lacks,a,reason\n\"M\",timed,5,0,1\n", "damaged", 2 },
		{ "shape,status,cycles,lacks,a,reason\n\"M\",timed,5,0,1,x\n\"M\",timed,five,0,1,x\n", "damaged", 3 },
		{ "shape,status,cycles,lacks,a,reason\n\"M\",slept,5,0,1,x\n", "damaged", 2 },
		{ "shape,status,cycles,lacks,a,reason\n\"M\",timed,0,0,1,x\n", "damaged", 2 },
		{ "{ \"schema\": 1", "no JSON", 1 },
		{ "{ \"schema\": 1 }", "no table of vinci tune", 0 },
		{ "{ \"combinations\": 1, \"shapes\": [ { \"ranked\": [] } ] }", "a shape without a name", 0 },
		{ "{ \"combinations\": 1, \"shapes\": [ { \"shape\": \"\", \"ranked\": [ {} ] } ] }", "without parameters", 0 },
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct fail f = { 0 };
		cr_expect_null(tuning_parse(cases[i].text, strlen(cases[i].text), "x/t.csv", &f), "%s", cases[i].text);
		cr_expect_eq(f.class, FAIL_USER, "%s", cases[i].text);
		cr_expect(strstr(f.what, cases[i].says), "%s: got \"%s\"", cases[i].text, f.what);
		cr_expect_eq(f.line, cases[i].line, "%s: line %d", cases[i].text, f.line);
		cr_expect_str_eq(f.file, "x/t.csv");
	}
}

static bool says(const struct ui *u, const char *text)
{
	for (int i = 0; i < u->draw.n_item; i++)
		if (u->draw.item[i].kind == DRAW_TEXT && strstr(u->draw.text + u->draw.item[i].text, text))
			return true;
	return false;
}

/* Where a text stands; fails when it is not there. */
static struct box where(const struct ui *u, const char *text)
{
	for (int i = 0; i < u->draw.n_item; i++)
		if (u->draw.item[i].kind == DRAW_TEXT && strcmp(u->draw.text + u->draw.item[i].text, text) == 0)
			return u->draw.item[i].box;
	cr_assert_fail("\"%s\" is not in the window", text);
	return (struct box){ 0 };
}

static void show(struct ui *u, int w, int h, int cell_w, int cell_h)
{
	ui_init(u);
	u->tuning = read_table(table);
	ui_size(u, w, h, cell_w, cell_h);
	ui_frame(u);
}

Test(viz_tuning, keys_and_mouse)
{
	struct ui u;
	show(&u, 1280, 720, 7, 15);
	cr_expect(says(&u, "400 cycles, rank 1 of 3"));
	ui_key(&u, KEY_DOWN, 0);
	ui_frame(&u);
	cr_expect(says(&u, "500 cycles, rank 2 of 3, 25.0 % slower"));
	cr_expect(says(&u, "they say"));
	struct box b = where(&u, "rejected"); /* the cell of a = 2, b = 8 */
	ui_mouse_move(&u, b.x + 2, b.y + 2);
	ui_frame(&u);
	cr_expect(says(&u, "Under the mouse"));
	cr_expect(says(&u, "rejected: lacks 96"));
	cr_expect(says(&u, "a * b <= 4"));
	b = where(&u, "1.750"); /* 700 cycles */
	ui_mouse_down(&u, b.x + 2, b.y + 2, 1, 0, 1);
	ui_mouse_move(&u, 5, 300);
	ui_frame(&u);
	cr_expect(says(&u, "700 cycles, rank 3 of 3"), "a click selects");
	ui_key(&u, 'n', 0);
	ui_frame(&u);
	cr_expect(says(&u, "shape 2 of 2: M=9"));
	cr_expect(says(&u, "80 cycles, rank 1 of 1"));
	ui_key(&u, 'x', 0);
	cr_expect_neq(u.tuning->x, u.tuning->y);
	ui_free(&u);
}

Test(viz_tuning, no_text_overlaps_or_leaves_the_window)
{
	static const int sizes[][4] = { { 1024, 640, 7, 15 }, { 1280, 720, 7, 15 }, { 1920, 1080, 9, 18 },
					{ 3840, 2160, 14, 29 }, { 320, 200, 7, 15 } };
	for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
		struct ui u;
		show(&u, sizes[s][0], sizes[s][1], sizes[s][2], sizes[s][3]);
		const struct draw *d = &u.draw;
		for (int i = 0; i < d->n_item; i++) {
			struct box a = d->item[i].box;
			if (d->item[i].kind != DRAW_TEXT)
				continue;
			cr_expect(a.x >= 0 && a.y >= 0 && a.x + a.w <= u.w && a.y + a.h <= u.h, "\"%s\" leaves the window",
				  d->text + d->item[i].text);
			for (int k = i + 1; k < d->n_item; k++) {
				struct box c = box_cut(a, d->item[k].box);
				cr_expect(d->item[k].kind != DRAW_TEXT || c.w <= 0 || c.h <= 0, "\"%s\" over \"%s\" at %d",
					  d->text + d->item[i].text, d->text + d->item[k].text, u.w);
			}
		}
		ui_free(&u);
	}
}
