/*
 * draw.c - building draw lists.
 */
#include "draw.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool box_has(struct box b, int x, int y) { return x >= b.x && y >= b.y && x < b.x + b.w && y < b.y + b.h; }

struct box box_cut(struct box a, struct box b)
{
	int x0 = a.x > b.x ? a.x : b.x, y0 = a.y > b.y ? a.y : b.y;
	int x1 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w, y1 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;
	return (struct box){ x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0 };
}

uint32_t text_next(const char **text)
{
	const uint8_t *p = (const uint8_t *)*text;
	int more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : -1;
	uint32_t v = more == 0 ? *p : more > 0 ? *p & (0x3fu >> more) : 0xfffd;
	if (*p == 0)
		return 0;
	for (int i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80) {
			*text += i;
			return 0xfffd;
		}
		v = v << 6 | (p[i] & 0x3f);
	}
	*text += more > 0 ? more + 1 : 1;
	return v;
}

int text_cells(const char *text)
{
	int n = 0;
	while (text_next(&text))
		n++;
	return n;
}

void draw_begin(struct draw *d, int w, int h, int cell_w, int cell_h)
{
	d->n_item = d->n_zone = 0;
	d->n_text = 0;
	d->cell_w = cell_w;
	d->cell_h = cell_h;
	d->out_of_memory = false;
	d->clip = (struct box){ 0, 0, w, h };
}

void draw_free(struct draw *d)
{
	free(d->item);
	free(d->text);
	free(d->zone);
	memset(d, 0, sizeof *d);
}

static struct draw_item *add(struct draw *d, enum draw_kind kind, struct box b, uint32_t color)
{
	if (d->n_item == d->max_item) {
		int more = d->max_item ? d->max_item * 2 : 4096;
		struct draw_item *i = realloc(d->item, (size_t)more * sizeof *i);
		if (!i) {
			d->out_of_memory = true;
			return NULL;
		}
		d->item = i;
		d->max_item = more;
	}
	struct draw_item *i = &d->item[d->n_item++];
	*i = (struct draw_item){ .kind = kind, .color = color, .box = b };
	return i;
}

static bool visible(const struct draw *d, struct box b)
{
	struct box c = box_cut(d->clip, b);
	return c.w > 0 && c.h > 0;
}

void draw_rect(struct draw *d, struct box b, uint32_t color)
{
	if (visible(d, b))
		add(d, DRAW_RECT, b, color);
}

void draw_hatch(struct draw *d, struct box b, uint32_t color)
{
	if (visible(d, b))
		add(d, DRAW_HATCH, b, color);
}

void draw_frame(struct draw *d, struct box b, uint32_t color)
{
	if (visible(d, b))
		add(d, DRAW_FRAME, b, color);
}

void draw_line(struct draw *d, int x0, int y0, int x1, int y1, uint32_t color)
{
	add(d, DRAW_LINE, (struct box){ x0, y0, x1 - x0, y1 - y0 }, color);
}

struct box draw_clip(struct draw *d, struct box b, bool inside)
{
	struct box old = d->clip;
	d->clip = inside ? box_cut(old, b) : b;
	add(d, DRAW_CLIP, d->clip, 0);
	return old;
}

int draw_text_fit(struct draw *d, int x, int y, int w, uint32_t color, const char *text)
{
	if (x + w > d->clip.x + d->clip.w)
		w = d->clip.x + d->clip.w - x;
	/* a line that would be cut is left out */
	bool whole = y >= d->clip.y && y + d->cell_h <= d->clip.y + d->clip.h && x >= d->clip.x;
	int room = w / d->cell_w, cells = text_cells(text);
	size_t bytes = strlen(text);
	bool cut = cells > room;
	if (room <= 0 || cells == 0)
		return 0;
	if (cut) {
		const char *p = text;
		for (int i = 0; i < room - 1; i++)
			text_next(&p);
		bytes = (size_t)(p - text);
		cells = room;
	}
	if (!whole)
		return cells * d->cell_w;
	if (d->n_text + bytes + 4 > d->max_text) {
		uint32_t more = d->max_text ? d->max_text * 2 + (uint32_t)bytes : 65536;
		char *t = realloc(d->text, more);
		if (!t) {
			d->out_of_memory = true;
			return 0;
		}
		d->text = t;
		d->max_text = more;
	}
	struct draw_item *i = add(d, DRAW_TEXT, (struct box){ x, y, cells * d->cell_w, d->cell_h }, color);
	if (!i)
		return 0;
	i->text = d->n_text;
	for (size_t k = 0; k < bytes; k++) { /* a blank that does not break lines looks like any other */
		bool no_break = k + 1 < bytes && memcmp(text + k, S_NO_BREAK, 2) == 0;
		d->text[d->n_text++] = no_break ? ' ' : text[k];
		k += no_break;
	}
	if (cut) {
		memcpy(d->text + d->n_text, S_DOTS, 3);
		d->n_text += 3;
	}
	d->text[d->n_text++] = 0;
	return cells * d->cell_w;
}

int draw_text(struct draw *d, int x, int y, uint32_t color, const char *text)
{
	return draw_text_fit(d, x, y, d->clip.x + d->clip.w - x, color, text);
}

int draw_textf(struct draw *d, int x, int y, int w, uint32_t color, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return draw_text_fit(d, x, y, w, color, text);
}

/* Bytes of the next line of at most `room` characters, broken at a space where there is one. */
static size_t line_bytes(const char *text, int room)
{
	const char *p = text, *space = NULL;
	for (int n = 0; n < room && *p && *p != '\n'; n++) {
		if (*p == ' ')
			space = p;
		text_next(&p);
	}
	if (!*p || *p == '\n' || *p == ' ' || !space)
		return (size_t)(p - text);
	return (size_t)(space - text);
}

int draw_wrapped(struct draw *d, struct box b, uint32_t color, const char *text)
{
	int room = b.w / d->cell_w, y = 0;
	char line[512];
	while (*text && room > 0 && y + d->cell_h <= b.h) {
		size_t n = line_bytes(text, room);
		bool last = y + 2 * d->cell_h > b.h;
		if (last || n >= sizeof line) { /* what is left does not fit: say so */
			draw_text_fit(d, b.x, b.y + y, b.w, color, text);
			return y + d->cell_h;
		}
		memcpy(line, text, n);
		line[n] = 0;
		draw_text_fit(d, b.x, b.y + y, b.w, color, line);
		y += d->cell_h;
		text += n;
		while (*text == ' ')
			text++;
		if (*text == '\n')
			text++;
	}
	return y;
}

void draw_zone(struct draw *d, struct box b, int what, int64_t a, int64_t b_value)
{
	b = box_cut(d->clip, b);
	if (b.w == 0 || b.h == 0)
		return;
	if (d->n_zone == d->max_zone) {
		int more = d->max_zone ? d->max_zone * 2 : 256;
		struct draw_zone *z = realloc(d->zone, (size_t)more * sizeof *z);
		if (!z) {
			d->out_of_memory = true;
			return;
		}
		d->zone = z;
		d->max_zone = more;
	}
	d->zone[d->n_zone++] = (struct draw_zone){ b, what, a, b_value };
}

const struct draw_zone *draw_at(const struct draw *d, int x, int y)
{
	for (int i = d->n_zone - 1; i >= 0; i--)
		if (box_has(d->zone[i].box, x, y))
			return &d->zone[i];
	return NULL;
}
