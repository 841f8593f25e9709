/*
 * view.h - the parts of `vinci view` around the ui: opening what the command line names, scripts, and what SDL and
 * libpng are needed for (sdl_*.c, in the program vinci-view only).
 */
#ifndef VIZ_VIEW_H
#define VIZ_VIEW_H

#include "raster.h"
#include "ui.h"

enum { VIEW_SETS = 32 };

struct view {
	struct ui ui;
	struct live *live;
	struct image image;
	struct font font;
	double scale;               /* of text; 0: from the window's size */
	bool in_background;         /* long traces are read while the window shows their head */
	struct view_load *load[UI_RUNS]; /* those that are being read; NULL = none */
	const char *set[VIEW_SETS + 1];
	int n_set;
	/* what needs other libraries, put in by the program: sdl_font.c, sdl_png.c; by tests, their own */
	bool (*font_open)(struct font *f, int pixels, struct fail *fail);
	bool (*png_write)(const char *path, const struct image *i, struct fail *f);
};

/* Open a trace, or a kernel to run live; errors are in the window and on stderr. A second trace is compared with the
 * first. */
bool view_open(struct view *v, const char *path);
void view_close(struct view *v);
/* Take what has been read in the background since; true while something still is. */
bool view_loaded(struct view *v);
/* Take the window's size: chooses the size of text, makes the font again when it changed. */
bool view_size(struct view *v, int w, int h, struct fail *f) SIM_MUST_CHECK;
/* A frame into v->image. */
void view_frame(struct view *v);
bool view_screenshot(struct view *v, const char *path, struct fail *f) SIM_MUST_CHECK;

/* Run the commands of a script (README.md lists them); the fail names its line. */
bool view_script(struct view *v, const char *path, struct fail *f) SIM_MUST_CHECK;

/* view_load.c: a run's whole trace, in a thread of its own; view_load_wait ends all of them, and drops what they read. */
void view_load_begin(struct view *v, int run, const char *path);
void view_load_wait(struct view *v);
/* view.c: what there is to say about a trace that has been opened. */
void view_say(struct view *v, const struct model *m);

/* sdl_font.c, sdl_png.c */
bool font_open(struct font *f, int pixels, struct fail *fail) SIM_MUST_CHECK;
bool png_write(const char *path, const struct image *i, struct fail *f) SIM_MUST_CHECK;

/* `vinci view ...`: starts vinci-view, which stands beside vinci. */
int cli_view(int argc, char **argv);

#endif
