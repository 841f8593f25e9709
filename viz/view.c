/*
 * view.c - what surrounds the ui: files and kernels to open, size of text, frames, screenshots.
 */
#include "view.h"

#include "tuning.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { TEXT_PIXELS = 12, WIDE = 2880, FEW_EVENTS = 200000 };

static bool is_trace(const char *path)
{
	struct stat st;
	FILE *in;
	char magic[4] = "";
	size_t n = strlen(path);
	if (n > 4 && strcmp(path + n - 4, ".vtr") == 0)
		return true;
	/* whatever is no folder, launch file or program is held for a trace, whose reader says what is wrong */
	if (stat(path, &st) != 0 || S_ISDIR(st.st_mode) || (n > 4 && strcmp(path + n - 4, ".cfg") == 0))
		return false;
	if (!(in = fopen(path, "rb")))
		return true;
	size_t got = fread(magic, 1, 4, in);
	fclose(in);
	bool source = n > 2 && (strcmp(path + n - 2, ".c") == 0 || (n > 4 && strcmp(path + n - 4, ".cpp") == 0));
	return !source && !(got == 4 && memcmp(magic,
					       "\x7f"
					       "ELF",
					       4) == 0);
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);
	return n > k && strcmp(text + n - k, end) == 0;
}

/* What vinci tune wrote takes the place of all runs. */
static bool open_table(struct view *v, const char *path, struct fail *f)
{
	struct tuning *t = tuning_open(path, f);
	if (!t)
		return false;
	view_load_wait(v);
	ui_drop_runs(&v->ui);
	live_free(v->live);
	v->live = NULL;
	v->ui.tuning = t;
	return true;
}

static bool open_trace(struct view *v, const char *path, struct fail *f)
{
	struct model *m = malloc(sizeof *m);
	if (!m)
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	bool head = v->in_background && model_open_head(m, path, f);
	if (head && m->vtr->n_event < FEW_EVENTS) {
		model_free(m);
		head = false;
	}
	if (!head && !model_open(m, path, f)) {
		free(m);
		return false;
	}
	if (v->ui.tuning)
		ui_drop_runs(&v->ui);
	if (v->ui.live || v->ui.n_run == UI_RUNS)
		view_load_wait(v);
	if (!ui_add_run(&v->ui, m))
		return fail_set(f, FAIL_INTERNAL, "no memory for the trace");
	if (head)
		view_load_begin(v, v->ui.n_run - 1, path);
	else
		view_say(v, m);
	return true;
}

void view_say(struct view *v, const struct model *m)
{
	const char *path = m->path;
	if (m->vtr->cut)
		ui_say(&v->ui, false,
		       "%s has no end: its run was killed or still goes on. What is whole is shown: %llu events.", path,
		       (unsigned long long)m->n_row);
	else if (m->n_bad)
		ui_say(&v->ui, true, "%s: %u damaged blocks were left out; the rest is shown.", path, m->n_bad);
	else if (m->vtr->has_done && m->vtr->done.failed)
		ui_say(&v->ui, true, "This run failed: %s", m->vtr->done.message);
	else if (m->n_row == 0)
		ui_say(&v->ui, false, "%s holds no instructions.", path);
}

static bool open_kernel(struct view *v, const char *path, struct fail *f)
{
	struct live *l = live_open(path, v->set, ui_live_event, &v->ui, f);
	if (!l)
		return false;
	live_on_hold(l, ui_live_hold);
	view_load_wait(v);
	ui_drop_runs(&v->ui);
	live_free(v->live);
	v->live = l;
	return ui_bind_live(&v->ui, l) || fail_set(f, FAIL_INTERNAL, "no memory for the run");
}

bool view_open(struct view *v, const char *path)
{
	struct fail f = { 0 };
	bool table = ends_with(path, ".csv") || ends_with(path, ".json");
	if (table ? open_table(v, path, &f) : is_trace(path) ? open_trace(v, path, &f) : open_kernel(v, path, &f)) {
		if (v->ui.message[0])
			fprintf(stderr, "vinci view: %s\n", v->ui.message);
		return true;
	}
	fail_print(&f);
	ui_fail(&v->ui, &f);
	return false;
}

void view_close(struct view *v)
{
	view_load_wait(v);
	ui_free(&v->ui);
	live_free(v->live);
	v->live = NULL;
	image_free(&v->image);
	font_free(&v->font);
}

bool view_size(struct view *v, int w, int h, struct fail *f)
{
	double scale = v->scale > 0 ? v->scale : w >= WIDE ? 2 : w >= 1800 ? 1.25 : 1;
	int pixels = (int)(TEXT_PIXELS * scale + 0.5);
	struct font font = { 0 };
	if (w < 64)
		w = 64;
	if (h < 64)
		h = 64;
	if (!v->font_open(&font, pixels, f))
		return false;
	font_free(&v->font);
	v->font = font;
	if (!image_size(&v->image, w, h))
		return fail_set(f, FAIL_INTERNAL, "no memory for a picture of %d x %d", w, h);
	ui_size(&v->ui, w, h, font.cell_w, font.cell_h);
	return true;
}

void view_frame(struct view *v)
{
	ui_frame(&v->ui);
	raster(&v->image, &v->ui.draw, &v->font);
}

bool view_screenshot(struct view *v, const char *path, struct fail *f)
{
	/* twice: the first frame settles what depends on the layout */
	view_frame(v);
	view_frame(v);
	return v->png_write(path, &v->image, f);
}
