/*
 * ui.h - the window's state and what input does to it. Everything but pixels and events of the system: a frame is made
 * into a draw list (draw.h) from this state alone, so that tests need no screen.
 *
 *   +-- top bar: run, search ------------------------------+
 *   | ruler                                                |
 *   | core, pipe | timeline                                |   tracks of run A, and of run B below each core's
 *   |            |                                         |
 *   | legend: colours of causes                            |
 *   +--================ splitter ==========================+
 *   | instruction or range  ||  tabs                       |
 *   +-- status: what is under the mouse -------------------+
 */
#ifndef VIZ_UI_H
#define VIZ_UI_H

#include "../sim/live.h"
#include "analysis.h"
#include "draw.h"
#include "theme.h"

enum { UI_UNDO = 64, UI_MARKS = 32, UI_TEXT = 160, UI_RUNS = 2, UI_MESSAGE = 900 };

enum ui_tab { TAB_VERDICT, TAB_SOURCE, TAB_BUFFERS, TAB_BANDWIDTH, TAB_ROOFLINE, TAB_COMPARE, TAB_LIVE, TAB_MEMORY, TAB_COUNT };

/* What zones of the draw list stand for. */
enum ui_zone {
	ZONE_NONE, ZONE_LANE, ZONE_CORE, ZONE_RULER, ZONE_TAB, ZONE_SPLIT_Y, ZONE_SPLIT_X, ZONE_CAUSE, ZONE_ROW, ZONE_SITE,
	ZONE_ACTION, ZONE_SEARCH, ZONE_LEFT, ZONE_RIGHT, ZONE_SCROLL, ZONE_MARK, ZONE_OVERVIEW, ZONE_SPACE,
	ZONE_SORT, ZONE_FINDING
};

enum ui_action {
	ACT_NONE, ACT_FIT, ACT_UNDO, ACT_THEME, ACT_HELP, ACT_ARROWS, ACT_PATH, ACT_RUN, ACT_STEP_OP, ACT_STEP_CYCLE, ACT_BACK,
	ACT_RESTART, ACT_UNTIL, ACT_FORMAT, ACT_NEXT, ACT_PREV, ACT_TO_RELEASER, ACT_TO_RELEASED, ACT_ALL_CORES, ACT_LONGEST
};

/* Keys that are no characters; characters are themselves in lower case. */
enum ui_key {
	KEY_ESC = 27, KEY_ENTER = 13, KEY_TAB = 9, KEY_BACKSPACE = 8, KEY_LEFT = 1000, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_HOME,
	KEY_END, KEY_PAGE_UP, KEY_PAGE_DOWN, KEY_F1, KEY_F3, KEY_F5, KEY_F9, KEY_F10, KEY_F11, KEY_F12, KEY_DELETE
};
enum { MOD_SHIFT = 1, MOD_CTRL = 2, MOD_ALT = 4 };

/* A run in the window. */
struct ui_run {
	struct model *model;
	struct focus focus;
	const struct vtr_findings *findings; /* what its report says; NULL = nothing yet, or an older trace */
	struct path path;
	bool has_path, has_chip;
	struct chip chip;
	bool reading;           /* the model is only the file's head: its rows are still being read */
	uint8_t *open;          /* per core: its pipes are shown one by one */
	char *line_text;        /* source file of the kernel, NULL when it is not there */
	char line_file[128];    /* its name without folders */
};

struct track { uint8_t run; bool head, mini; uint32_t core, lane; int y, h; }; /* y before scrolling */

struct ui_pick { bool any; uint8_t run; uint32_t lane, row; };

enum ui_drag { DRAG_NONE, DRAG_PAN, DRAG_RANGE, DRAG_SPLIT_Y, DRAG_SPLIT_X, DRAG_SCROLL, DRAG_OVERVIEW };

struct ui {
	struct ui_run run[UI_RUNS];
	int n_run;
	struct live *live;          /* NULL: no live run */
	struct tuning *tuning;      /* NULL: runs are shown, else this table in their place (tuning.h) */
	bool live_running, live_dirty;
	/* picture */
	int w, h, cell_w, cell_h, pad;
	bool dark, help;
	struct draw draw;
	struct box lanes, ruler, labels, left, right, legend, overview;
	double split_y, split_x;    /* shares of height and width */
	struct track *track;
	int n_track, max_track, track_h;
	/* time */
	double from, to;            /* cycles shown */
	struct { double from, to; } undo[UI_UNDO];
	int n_undo, scroll_y, zoom_sign;
	bool follow;                /* the live run's end stays in view: nobody has zoomed */
	/* what is looked at */
	struct ui_pick pick, hover;
	int64_t cursor;             /* cycle for buffers; -1 = none */
	int64_t range_from, range_to; /* range_to <= range_from: none */
	int64_t mark[UI_MARKS];
	int n_mark;
	bool arrows, show_path, sort_by_line, range_shown;
	enum ui_tab tab;
	int scroll_left, scroll_right, left_height, right_height;
	/* search */
	bool searching, until_asked; /* until_asked: the line is a condition to run to */
	char search[UI_TEXT];
	uint8_t *match;             /* per site of run 0 */
	uint64_t n_match;           /* instructions of these sites */
	bool match_on;
	/* mouse */
	int mouse_x, mouse_y, drag_x, drag_y;
	enum ui_drag drag;
	double drag_from, drag_to;
	bool moved, bring_core; /* bring_core: the next frame scrolls to the core in focus */
	/* cached panels */
	struct buffer_map map[VTR_SPACES];
	int64_t map_cycle;
	uint32_t map_core;
	uint64_t map_rows;
	int memory_space, memory_format;
	int64_t memory_addr;
	/* out */
	bool dirty, want_quit, want_screenshot;
	char message[UI_MESSAGE];   /* an error or a note, shown over everything until a key */
	bool message_is_error;
};

void ui_init(struct ui *u);
void ui_free(struct ui *u);
/* Show a model (the ui frees it); a second one is compared with the first. */
bool ui_add_run(struct ui *u, struct model *m);
/* Put the whole model in the place of its head. */
void ui_whole_run(struct ui *u, int run, struct model *m);
void ui_drop_runs(struct ui *u);
/* Bind a live run; its model is shown as run 0. The ui does not own it. */
bool ui_bind_live(struct ui *u, struct live *live);
void ui_size(struct ui *u, int w, int h, int cell_w, int cell_h);
void ui_say(struct ui *u, bool error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* A fail in the window. */
void ui_fail(struct ui *u, const struct fail *f);

/* Input. */
void ui_key(struct ui *u, int key, int mods);
void ui_text(struct ui *u, const char *utf8);
void ui_mouse_down(struct ui *u, int x, int y, int button, int mods, int clicks);
void ui_mouse_move(struct ui *u, int x, int y);
void ui_mouse_up(struct ui *u, int x, int y, int button);
void ui_wheel(struct ui *u, int x, int y, double dx, double dy, int mods);
void ui_act(struct ui *u, enum ui_action a);
/* live_open's on_event, user being the ui: the event becomes a row. */
void ui_live_event(void *ui, const struct vtr_event *e);
void ui_live_hold(void *ui, const struct vtr_hold *h);
/* The live run goes on for one frame's worth of work. */
void ui_live_slice(struct ui *u);

/* The frame: u->draw and the boxes above. */
void ui_frame(struct ui *u);

/* --- between the ui's files --- */
const struct model *ui_model(const struct ui *u, int run);
double ui_px(const struct ui *u, double cycle);          /* cycle to x */
double ui_cycle(const struct ui *u, double x);
void ui_zoom(struct ui *u, double factor, double about); /* about: a cycle */
void ui_pan(struct ui *u, double cycles);
void ui_show(struct ui *u, double from, double to, bool remember);
void ui_fit(struct ui *u);
void ui_undo(struct ui *u);
double ui_span(const struct ui *u);                      /* longest run's cycles */
void ui_select(struct ui *u, int run, uint32_t lane, uint32_t row, bool bring);
void ui_bring(struct ui *u);                             /* the selected row into view */
void ui_step(struct ui *u, int by);                      /* previous, next on the lane */
void ui_jump(struct ui *u, bool to_releaser);
bool ui_search_next(struct ui *u, bool forward);
void ui_search_set(struct ui *u, const char *text);
void ui_longest(struct ui *u, uint32_t cause);           /* select the longest wait for that cause */
void ui_finding(struct ui *u, uint32_t number);          /* go to where a finding of run 0 shows most */
void ui_mark(struct ui *u);
uint32_t ui_core(const struct ui *u);                    /* core of the selection, or the one in focus */
void ui_tracks(struct ui *u);
void ui_toggle_core(struct ui *u, uint32_t core);
const struct track *ui_track_at(const struct ui *u, int y);
void ui_live_until(struct ui *u, const char *condition);
void ui_live_seen(struct ui *u);                         /* rows were added or removed */

void draw_timeline(struct ui *u);
void draw_lane(struct ui *u, const struct track *t);
void draw_arrows(struct ui *u);
void draw_left(struct ui *u);
void draw_right(struct ui *u);
void draw_help(struct ui *u);
void panel_verdict(struct ui *u, struct box b);
/* Where the cycles of a core's pipes went, as bars; returns the height used. */
int draw_core_time(struct ui *u, struct box b, uint32_t core);
void panel_source(struct ui *u, struct box b);
void panel_buffers(struct ui *u, struct box b);
void panel_bandwidth(struct ui *u, struct box b);
void panel_roofline(struct ui *u, struct box b);
void panel_compare(struct ui *u, struct box b);
void panel_live(struct ui *u, struct box b);
void panel_memory(struct ui *u, struct box b);

uint32_t ui_cause_color(const struct ui *u, const struct vtr_head *h, uint32_t cause);
uint32_t ui_cause_text(const struct ui *u, const struct vtr_head *h, uint32_t cause); /* the same, readable as text */
const char *ui_count(double v, char text[32]);           /* "12.3 k" */
const char *ui_number(int64_t v, char text[32]);         /* "12 345" */
const char *ui_time(const struct ui *u, double cycles, char text[32]); /* "9.03 us" */
/* A thin bar at the right edge of a panel whose content is higher than it. */
void ui_scroll_hint(struct ui *u, struct box b, int at, int height);
void ui_button(struct ui *u, int *x, int y, const char *label, enum ui_action a, bool on);

#endif
