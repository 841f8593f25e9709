/*
 * draw.h - draw lists: what a frame consists of, as plain data, and the zones in it that react to the mouse. Made without
 * a screen; raster.h turns them into pixels.
 *
 * Coordinates are pixels from the top left. Text is UTF-8 in one monospaced font: cell is the advance by the line height.
 */
#ifndef VIZ_DRAW_H
#define VIZ_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct box { int x, y, w, h; };

enum draw_kind { DRAW_RECT, DRAW_HATCH, DRAW_FRAME, DRAW_LINE, DRAW_TEXT, DRAW_CLIP };

/* RECT fills; HATCH fills with diagonal stripes; FRAME is the border; LINE goes from (x, y) to (x + w, y + h); TEXT
 * starts at its offset in draw.text; CLIP limits what follows. Colours are 0xAARRGGBB. */
struct draw_item { uint8_t kind, bold; uint32_t color, text; struct box box; };

/* Something that can be clicked or pointed at: what it is for, and a number for whoever made it. */
struct draw_zone { struct box box; int what; int64_t a, b; };

struct draw {
	int cell_w, cell_h;
	struct draw_item *item;
	int n_item, max_item;
	char *text;
	uint32_t n_text, max_text;
	struct draw_zone *zone;
	int n_zone, max_zone;
	struct box clip;
	bool out_of_memory;
};

void draw_begin(struct draw *d, int w, int h, int cell_w, int cell_h);
void draw_free(struct draw *d);
void draw_rect(struct draw *d, struct box b, uint32_t color);
void draw_hatch(struct draw *d, struct box b, uint32_t color);
void draw_frame(struct draw *d, struct box b, uint32_t color);
void draw_line(struct draw *d, int x0, int y0, int x1, int y1, uint32_t color);
/* Set the clip; returns the one before. It is cut to that one when `inside`. */
struct box draw_clip(struct draw *d, struct box b, bool inside);
/* One line of text at (x, y), its top left; not drawn when it has no room in the clip. Returns its width. */
int draw_text(struct draw *d, int x, int y, uint32_t color, const char *text);
/* The same, shortened with an ellipsis to at most w pixels. */
int draw_text_fit(struct draw *d, int x, int y, int w, uint32_t color, const char *text);
int draw_textf(struct draw *d, int x, int y, int w, uint32_t color, const char *fmt, ...)
	__attribute__((format(printf, 6, 7)));
/* Text broken into lines at spaces; returns the height used, at most h. */
int draw_wrapped(struct draw *d, struct box b, uint32_t color, const char *text);
void draw_zone(struct draw *d, struct box b, int what, int64_t a, int64_t b_value);
/* The topmost zone at a point, NULL when there is none. */
const struct draw_zone *draw_at(const struct draw *d, int x, int y);

int text_cells(const char *text);               /* characters of UTF-8 text */
uint32_t text_next(const char **text);          /* next code point; 0xfffd for a wrong byte, 0 at the end */
bool box_has(struct box b, int x, int y);
struct box box_cut(struct box a, struct box b); /* common part; w or h 0 when there is none */

#define S_ARROW "\xe2\x86\x92"
#define S_LEFT "\xe2\x86\x90"
#define S_DOTS "\xe2\x80\xa6"
#define S_NO_BREAK "\xc2\xa0"
#define S_MICRO "\xc2\xb5"
#define S_TIMES "\xc3\x97"
#define S_DOT "\xc2\xb7"
#define S_OPEN "\xe2\x96\xbe"
#define S_CLOSED "\xe2\x96\xb8"
#define S_PLAY "\xe2\x96\xb6"

#endif
