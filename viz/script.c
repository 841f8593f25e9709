/*
 * script.c - the window by commands instead of hands, one a line: for tests and for pictures in documents.
 */
#include "view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_SIZE = 512, MAX_ARGS = 6 };

struct step {
	struct view *v;
	const char *file;
	int line;
	int n;
	char *arg[MAX_ARGS];
	const char *rest;
	bool quit;
};

static bool wrong(const struct step *s, struct fail *f, const char *what)
{
	return fail_file(f, FAIL_USER, s->file, s->line, "%s: %s", s->arg[0], what);
}

static const struct {
	const char *name;
	int key;
} keys[] = {
	{ "esc", KEY_ESC },
	{ "enter", KEY_ENTER },
	{ "tab", KEY_TAB },
	{ "backspace", KEY_BACKSPACE },
	{ "left", KEY_LEFT },
	{ "right", KEY_RIGHT },
	{ "up", KEY_UP },
	{ "down", KEY_DOWN },
	{ "home", KEY_HOME },
	{ "end", KEY_END },
	{ "space", ' ' },
	{ "pageup", KEY_PAGE_UP },
	{ "pagedown", KEY_PAGE_DOWN },
	{ "f1", KEY_F1 },
	{ "f3", KEY_F3 },
	{ "f12", KEY_F12 },
};

/* "w", "ctrl+f", "shift+f3", "esc" */
static bool press(struct step *s, struct fail *f)
{
	const char *p = s->arg[1];
	int mods = 0, key = 0;
	for (; strchr(p, '+') && strlen(p) > 1; p = strchr(p, '+') + 1)
		mods |= strncmp(p, "ctrl", 4) == 0 ? MOD_CTRL : strncmp(p, "shift", 5) == 0 ? MOD_SHIFT : MOD_ALT;
	if (strlen(p) == 1)
		key = tolower((unsigned char)*p);
	for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
		if (strcasecmp(p, keys[i].name) == 0)
			key = keys[i].key;
	if (!key)
		return wrong(s, f, "no such key");
	ui_key(&s->v->ui, key, mods);
	return true;
}

/* select CORE PIPE N: the Nth instruction of a pipe, from 0 */
static bool select_row(struct step *s, struct fail *f)
{
	const struct model *m = ui_model(&s->v->ui, 0);
	if (!m)
		return wrong(s, f, "no run is open");
	const struct vtr_head *h = &m->vtr->head;
	uint32_t core = (uint32_t)strtoul(s->arg[1], NULL, 10), row = (uint32_t)strtoul(s->arg[3], NULL, 10);
	for (uint32_t p = 0; p < h->n_pipe && core < h->n_core; p++)
		if (strcmp(h->pipe[p], s->arg[2]) == 0 && row < m->lane[core * h->n_pipe + p].n) {
			ui_select(&s->v->ui, 0, core * h->n_pipe + p, row, true);
			return true;
		}
	return wrong(s, f, "there is no such instruction");
}

static bool expect(struct step *s, struct fail *f)
{
	const struct draw *d = &s->v->ui.draw;
	view_frame(s->v);
	for (int i = 0; i < d->n_item; i++)
		if (d->item[i].kind == DRAW_TEXT && strstr(d->text + d->item[i].text, s->rest))
			return true;
	return wrong(s, f, "this text is not in the window");
}

static int number(const struct step *s, int i) { return (int)strtol(s->arg[i], NULL, 10); }

static bool do_size(struct step *s, struct fail *f)
{
	int w = number(s, 1), h = number(s, 2);
	if (w < 64 || h < 64 || w > 16384 || h > 16384)
		return wrong(s, f, "expected width and height, 64 to 16384 pixels");
	if (s->n > 3)
		s->v->scale = strtod(s->arg[3], NULL);
	return view_size(s->v, w, h, f);
}

static bool do_zoom(struct step *s, struct fail *f)
{
	double a = strtod(s->arg[1], NULL), b = strtod(s->arg[2], NULL);
	if (!(b > a))
		return wrong(s, f, "expected two cycles, the first one smaller");
	ui_show(&s->v->ui, a, b, true);
	return true;
}

static bool do_search(struct step *s, struct fail *f)
{
	ui_search_set(&s->v->ui, s->rest);
	return ui_search_next(&s->v->ui, true) || wrong(s, f, "not found");
}

static bool do_text(struct step *s, struct fail *f)
{
	(void)f;
	ui_text(&s->v->ui, s->rest);
	return true;
}
static bool do_open(struct step *s, struct fail *f)
{
	(void)f;
	view_open(s->v, s->rest);
	return true;
}
static bool do_until(struct step *s, struct fail *f)
{
	(void)f;
	ui_live_until(&s->v->ui, s->rest);
	return true;
}
static bool do_shot(struct step *s, struct fail *f) { return view_screenshot(s->v, s->rest, f); }
static bool do_quit(struct step *s, struct fail *f)
{
	(void)f;
	return s->quit = true;
}

static bool do_tab(struct step *s, struct fail *f)
{
	int tab = number(s, 1);
	if (tab < 1 || tab > TAB_COUNT)
		return wrong(s, f, "expected the number of a panel, from 1");
	s->v->ui.tab = (enum ui_tab)(tab - 1);
	return true;
}

static bool do_theme(struct step *s, struct fail *f)
{
	(void)f;
	s->v->ui.dark = strcmp(s->arg[1], "light") != 0;
	return true;
}

static bool do_click(struct step *s, struct fail *f)
{
	(void)f;
	view_frame(s->v);
	ui_mouse_move(&s->v->ui, number(s, 1), number(s, 2));
	ui_mouse_down(&s->v->ui, number(s, 1), number(s, 2), 1, 0, 1);
	ui_mouse_up(&s->v->ui, number(s, 1), number(s, 2), 1);
	return true;
}

static bool do_drag(struct step *s, struct fail *f)
{
	(void)f;
	view_frame(s->v);
	ui_mouse_down(&s->v->ui, number(s, 1), number(s, 2), 1, 0, 1);
	ui_mouse_move(&s->v->ui, number(s, 3), number(s, 4));
	ui_mouse_up(&s->v->ui, number(s, 3), number(s, 4), 1);
	return true;
}

static bool do_point(struct step *s, struct fail *f)
{
	(void)f;
	view_frame(s->v);
	ui_mouse_move(&s->v->ui, number(s, 1), number(s, 2));
	return true;
}

static bool do_wheel(struct step *s, struct fail *f)
{
	(void)f;
	view_frame(s->v);
	ui_wheel(&s->v->ui, number(s, 1), number(s, 2), 0, number(s, 3), 0);
	return true;
}

static bool do_run(struct step *s, struct fail *f)
{
	if (!s->v->ui.live)
		return wrong(s, f, "there is no live run");
	s->v->ui.live_running = true;
	while (s->v->ui.live_running)
		ui_live_slice(&s->v->ui);
	return true;
}

static const struct {
	const char *name;
	int args;
	bool (*run)(struct step *, struct fail *);
} commands[] = {
	{ "size", 2, do_size },       { "zoom", 2, do_zoom },   { "select", 3, select_row }, { "search", 1, do_search },
	{ "key", 1, press },          { "text", 1, do_text },   { "open", 1, do_open },      { "to", 1, do_until },
	{ "run", 0, do_run },         { "tab", 1, do_tab },     { "theme", 1, do_theme },    { "click", 2, do_click },
	{ "drag", 4, do_drag },       { "point", 2, do_point }, { "wheel", 3, do_wheel },    { "expect", 1, expect },
	{ "screenshot", 1, do_shot }, { "quit", 0, do_quit },
};

static bool run_line(struct step *s, char *line, struct fail *f)
{
	char rest[LINE_SIZE];
	char *save = NULL, *p = line + strspn(line, " \t");
	snprintf(rest, sizeof rest, "%s", p + strcspn(p, " \t"));
	s->rest = rest + strspn(rest, " \t");
	s->n = 0;
	for (char *w = strtok_r(p, " \t", &save); w && s->n < MAX_ARGS; w = strtok_r(NULL, " \t", &save))
		s->arg[s->n++] = w;
	if (s->n == 0 || s->arg[0][0] == '#')
		return true;
	for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
		if (strcmp(commands[i].name, s->arg[0]) != 0)
			continue;
		if (s->n <= commands[i].args)
			return wrong(s, f, "too few words");
		view_frame(s->v);
		return commands[i].run(s, f);
	}
	return wrong(s, f, "no such command (viz/README.md lists them)");
}

bool view_script(struct view *v, const char *path, struct fail *f)
{
	struct step s = { .v = v, .file = path };
	char line[LINE_SIZE];
	FILE *in = fopen(path, "r");
	if (!in)
		return fail_file(f, FAIL_USER, path, 0, "the script cannot be read");
	bool ok = true;
	while (ok && !s.quit && fgets(line, sizeof line, in)) {
		line[strcspn(line, "\r\n")] = 0;
		s.line++;
		ok = run_line(&s, line, f);
	}
	fclose(in);
	return ok;
}
