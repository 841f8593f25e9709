/*
 * sdl_main.c - the program vinci-view: command line, window, events, one texture.
 */
#include "view.h"

#include "../isa/isa.h"

#include <SDL2/SDL.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char usage[] =
	"usage: vinci view [RUN.vtr [OTHER.vtr] | KERNEL | TABLE.csv] [options]\n"
	"A window on a run: who worked, who waited, and for what. On a trace (vinci run KERNEL --trace RUN.vtr), on two\n"
	"traces to compare, or on a kernel that runs inside the window (a folder, a launch file, an .elf). Keys: ? in it.\n"
	"Or the table that vinci tune wrote with --csv or --json.\n"
	"\n"
	"  --set NAME=VALUE     of a kernel's launch file, as in vinci run\n"
	"  --size WxH           of the window\n"
	"  --scale FACTOR       size of text; default from the window's size\n"
	"  --light              light colours\n"
	"  --script FILE        do what FILE says, without a window (viz/README.md lists the commands)\n"
	"  --screenshot FILE    write a PNG at the end, without a window\n"
	"\n"
	"example: vinci run kernels/matmul --trace m.vtr && vinci view m.vtr\n";

enum { O_SET = 256, O_SIZE, O_SCALE, O_LIGHT, O_SCRIPT, O_SHOT };

static const struct option long_options[] = {
	{ "set", 1, 0, O_SET },       { "size", 1, 0, O_SIZE },
	{ "scale", 1, 0, O_SCALE },   { "light", 0, 0, O_LIGHT },
	{ "script", 1, 0, O_SCRIPT }, { "screenshot", 1, 0, O_SHOT },
	{ "help", 0, 0, 'h' },        { 0, 0, 0, 0 },
};

struct program_args {
	int w, h;
	const char *script, *shot;
	bool help;
};

static bool take_options(struct view *v, struct program_args *a, int argc, char **argv, struct fail *f)
{
	int c;
	while ((c = getopt_long(argc, argv, "h", long_options, NULL)) != -1) {
		switch (c) {
		case O_SET:
			if (v->n_set == VIEW_SETS)
				return fail_set(f, FAIL_USER, "more than %d times --set", VIEW_SETS);
			v->set[v->n_set++] = optarg;
			break;
		case O_SIZE:
			if (sscanf(optarg, "%dx%d", &a->w, &a->h) != 2 || a->w < 64 || a->h < 64 || a->w > 16384 ||
			    a->h > 16384)
				return fail_set(f, FAIL_USER, "--size %s: expected WIDTHxHEIGHT, like 1280x720",
						optarg);
			break;
		case O_SCALE:
			v->scale = strtod(optarg, NULL);
			if (!(v->scale >= 0.5 && v->scale <= 8))
				return fail_set(f, FAIL_USER, "--scale %s: expected 0.5 to 8", optarg);
			break;
		case O_LIGHT: v->ui.dark = false; break;
		case O_SCRIPT: a->script = optarg; break;
		case O_SHOT: a->shot = optarg; break;
		case 'h': a->help = true; break;
		default: return fail_set(f, FAIL_USER, "wrong option (see: vinci view --help)");
		}
	}
	return argc - optind <= UI_RUNS || fail_set(f, FAIL_USER, "at most %d runs can be compared", UI_RUNS);
}

/* ---- window ---- */

struct window {
	SDL_Window *window;
	SDL_Renderer *renderer;
	SDL_Texture *texture;
	int w, h;
	struct view *v;
	int swallow;
};

static int key_of(const SDL_Keysym *k)
{
	static const struct {
		SDL_Keycode sdl;
		int key;
	} of[] = {
		{ SDLK_LEFT, KEY_LEFT },      { SDLK_RIGHT, KEY_RIGHT },
		{ SDLK_UP, KEY_UP },          { SDLK_DOWN, KEY_DOWN },
		{ SDLK_HOME, KEY_HOME },      { SDLK_END, KEY_END },
		{ SDLK_PAGEUP, KEY_PAGE_UP }, { SDLK_PAGEDOWN, KEY_PAGE_DOWN },
		{ SDLK_F1, KEY_F1 },          { SDLK_F3, KEY_F3 },
		{ SDLK_F5, KEY_F5 },          { SDLK_F9, KEY_F9 },
		{ SDLK_F10, KEY_F10 },        { SDLK_F11, KEY_F11 },
		{ SDLK_F12, KEY_F12 },        { SDLK_DELETE, KEY_DELETE },
		{ SDLK_KP_ENTER, KEY_ENTER },
	};
	for (size_t i = 0; i < sizeof of / sizeof of[0]; i++)
		if (of[i].sdl == k->sym)
			return of[i].key;
	return k->sym > 0 && k->sym < 127 ? (int)k->sym : 0;
}

static int mods_of(void)
{
	SDL_Keymod m = SDL_GetModState();
	return (m & KMOD_SHIFT ? MOD_SHIFT : 0) | (m & KMOD_CTRL ? MOD_CTRL : 0) | (m & KMOD_ALT ? MOD_ALT : 0);
}

static bool resize(struct window *x, struct fail *f)
{
	SDL_GetRendererOutputSize(x->renderer, &x->w, &x->h);
	if (x->texture)
		SDL_DestroyTexture(x->texture);
	x->texture = SDL_CreateTexture(x->renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING, x->w, x->h);
	if (!x->texture)
		return fail_set(f, FAIL_USER, "SDL: %s", SDL_GetError());
	return view_size(x->v, x->w, x->h, f);
}

static void text_scale(struct window *x, int by)
{
	struct fail f = { 0 };
	double now = x->v->ui.cell_h / 15.0;
	x->v->scale = by == 0 ? 0 : now * (by > 0 ? 1.15 : 1 / 1.15);
	if (x->v->scale && x->v->scale < 0.6)
		x->v->scale = 0.6;
	if (x->v->scale > 6)
		x->v->scale = 6;
	(void)!view_size(x->v, x->w, x->h, &f);
}

/* Keys whose character also comes as text: the text must not land in a search line that the key has opened. */
static void key_down(struct window *x, const SDL_Keysym *k)
{
	struct ui *u = &x->v->ui;
	int key = key_of(k), mods = mods_of();
	bool was = u->searching;
	if ((mods & MOD_CTRL) && (key == '+' || key == '=' || key == '-')) {
		text_scale(x, key == '-' ? -1 : 1);
		return;
	}
	if (key == '/' && (mods & MOD_SHIFT))
		key = '?';
	if (u->searching && key >= 32 && key < 127 && !(mods & MOD_CTRL))
		return; /* comes as text */
	if (key && !(key == '?' && u->searching))
		ui_key(u, key, mods);
	x->swallow = !was && u->searching && key < 127;
}

static void text_input(struct window *x, const char *text)
{
	struct ui *u = &x->v->ui;
	if (x->swallow) {
		x->swallow = 0;
		return;
	}
	if (u->searching)
		ui_text(u, text);
	else if (strcmp(text, "?") == 0 && !(SDL_GetModState() & KMOD_SHIFT))
		ui_key(u, '?', 0); /* keyboards on which ? has a key of its own */
}

/* Window coordinates to pixels of the frame buffer, which differ on high-DPI screens. */
static void to_pixels(const struct window *x, int *px, int *py)
{
	int w, h;
	SDL_GetWindowSize(x->window, &w, &h);
	*px = w > 0 ? *px * x->w / w : *px;
	*py = h > 0 ? *py * x->h / h : *py;
}

static void mouse(struct window *x, const SDL_Event *e)
{
	struct ui *u = &x->v->ui;
	int px, py;
	switch (e->type) {
	case SDL_MOUSEBUTTONDOWN:
		px = e->button.x;
		py = e->button.y;
		to_pixels(x, &px, &py);
		ui_mouse_down(u, px, py, e->button.button, mods_of(), e->button.clicks);
		break;
	case SDL_MOUSEBUTTONUP:
		px = e->button.x;
		py = e->button.y;
		to_pixels(x, &px, &py);
		ui_mouse_up(u, px, py, e->button.button);
		break;
	case SDL_MOUSEMOTION:
		px = e->motion.x;
		py = e->motion.y;
		to_pixels(x, &px, &py);
		ui_mouse_move(u, px, py);
		break;
	default:
		SDL_GetMouseState(&px, &py);
		to_pixels(x, &px, &py);
		ui_wheel(u, px, py, e->wheel.x, e->wheel.y, mods_of());
	}
}

static bool handle(struct window *x, const SDL_Event *e, struct fail *f)
{
	struct ui *u = &x->v->ui;
	switch (e->type) {
	case SDL_QUIT: u->want_quit = true; break;
	case SDL_WINDOWEVENT:
		u->dirty = true;
		if (e->window.event == SDL_WINDOWEVENT_SIZE_CHANGED)
			return resize(x, f);
		break;
	case SDL_KEYDOWN: key_down(x, &e->key.keysym); break;
	case SDL_TEXTINPUT: text_input(x, e->text.text); break;
	case SDL_MOUSEBUTTONDOWN:
	case SDL_MOUSEBUTTONUP:
	case SDL_MOUSEMOTION:
	case SDL_MOUSEWHEEL: mouse(x, e); break;
	case SDL_DROPFILE:
		view_open(x->v, e->drop.file);
		SDL_free(e->drop.file);
		break;
	default: break;
	}
	return true;
}

static void shoot(struct window *x)
{
	struct fail f = { 0 };
	char path[64];
	x->v->ui.want_screenshot = false;
	for (int i = 1; i < 1000; i++) {
		snprintf(path, sizeof path, "vinci-view-%03d.png", i);
		SDL_RWops *there = SDL_RWFromFile(path, "rb");
		if (!there)
			break;
		SDL_RWclose(there);
	}
	if (view_screenshot(x->v, path, &f))
		ui_say(&x->v->ui, false, "The picture is in %s.", path);
	else
		ui_fail(&x->v->ui, &f);
}

static void present(struct window *x)
{
	view_frame(x->v);
	SDL_UpdateTexture(x->texture, NULL, x->v->image.pixel, x->v->image.w * 4);
	SDL_RenderCopy(x->renderer, x->texture, NULL, NULL);
	SDL_RenderPresent(x->renderer);
}

static bool event_loop(struct window *x, struct fail *f)
{
	struct ui *u = &x->v->ui;
	SDL_Event e;
	SDL_StartTextInput();
	while (!u->want_quit) {
		int wait_ms = view_loaded(x->v) ? 20 : 500;
		bool any = u->live_running || u->dirty ? SDL_PollEvent(&e) : SDL_WaitEventTimeout(&e, wait_ms);
		for (; any; any = SDL_PollEvent(&e))
			if (!handle(x, &e, f))
				return false;
		ui_live_slice(u);
		if (u->want_screenshot)
			shoot(x);
		if (u->dirty)
			present(x);
	}
	return true;
}

static bool run_window(struct view *v, const struct program_args *a, struct fail *f)
{
	struct window x = { .v = v };
	SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "nearest");
	SDL_SetHint(SDL_HINT_VIDEO_ALLOW_SCREENSAVER, "1");
	if (SDL_Init(SDL_INIT_VIDEO) != 0) {
		fail_set(f, FAIL_USER, "no window can be opened: %s", SDL_GetError());
		return fail_hint(f, "without a display, use --screenshot or --script");
	}
	x.window = SDL_CreateWindow("vinci view", SDL_WINDOWPOS_UNDEFINED, SDL_WINDOWPOS_UNDEFINED, a->w, a->h,
				    SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
	if (x.window)
		x.renderer = SDL_CreateRenderer(x.window, -1, 0);
	if (x.window && !x.renderer)
		x.renderer = SDL_CreateRenderer(x.window, -1, SDL_RENDERER_SOFTWARE);
	bool ok = x.renderer || fail_set(f, FAIL_USER, "no window can be opened: %s", SDL_GetError());
	ok = ok && resize(&x, f) && event_loop(&x, f);
	if (x.texture)
		SDL_DestroyTexture(x.texture);
	if (x.renderer)
		SDL_DestroyRenderer(x.renderer);
	if (x.window)
		SDL_DestroyWindow(x.window);
	SDL_Quit();
	return ok;
}

static bool run_headless(struct view *v, const struct program_args *a, struct fail *f)
{
	if (a->script && !view_script(v, a->script, f))
		return false;
	return !a->shot || view_screenshot(v, a->shot, f);
}

int main(int argc, char **argv)
{
	struct view *v = calloc(1, sizeof *v);
	struct program_args a = { .w = 1280, .h = 720 };
	struct fail f = { 0 };
	char err[512];
	if (!v || !isa_init(err, sizeof err)) {
		fprintf(stderr, "vinci view: internal error%s%s\n", v ? ": " : "", v ? err : "");
		return FAIL_INTERNAL;
	}
	ui_init(&v->ui);
	v->font_open = font_open;
	v->png_write = png_write;
	bool ok = take_options(v, &a, argc, argv, &f);
	if (ok && a.help) {
		fputs(usage, stdout);
		view_close(v);
		free(v);
		return 0;
	}
	bool headless = a.script || a.shot, opened = true;
	v->in_background = !headless;
	ok = ok && view_size(v, a.w, a.h, &f);
	for (int i = optind; ok && i < argc; i++)
		opened = view_open(v, argv[i]) && opened;
	ok = ok && (headless ? run_headless(v, &a, &f) : run_window(v, &a, &f));
	if (!ok)
		fail_print(&f);
	view_close(v);
	free(v);
	return !ok ? (int)f.class : headless && !opened ? FAIL_USER : 0;
}
