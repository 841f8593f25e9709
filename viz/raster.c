/*
 * raster.c - rectangles, lines and glyphs into the frame buffer; plain loops, which beat SDL's software renderer.
 */
#include "raster.h"

#include <stdlib.h>
#include <string.h>

bool image_size(struct image *i, int w, int h)
{
	if (i->pixel && i->w == w && i->h == h)
		return true;
	uint32_t *p = realloc(i->pixel, (size_t)w * (size_t)h * sizeof *p);
	if (!p)
		return false;
	*i = (struct image){ w, h, p };
	memset(p, 0, (size_t)w * (size_t)h * sizeof *p);
	return true;
}

void image_free(struct image *i)
{
	free(i->pixel);
	memset(i, 0, sizeof *i);
}

static uint32_t blend(uint32_t to, uint32_t color, uint32_t alpha)
{
	uint32_t rb = to & 0xff00ff, g = to & 0x00ff00, crb = color & 0xff00ff, cg = color & 0x00ff00;
	rb += ((crb - rb) * alpha) >> 8;
	g += ((cg - g) * alpha) >> 8;
	return 0xff000000 | (rb & 0xff00ff) | (g & 0x00ff00);
}

static void fill(struct image *o, struct box b, uint32_t color)
{
	uint32_t alpha = color >> 24;
	for (int y = b.y; y < b.y + b.h; y++) {
		uint32_t *p = o->pixel + (size_t)y * (size_t)o->w + b.x;
		if (alpha == 255)
			for (int x = 0; x < b.w; x++)
				p[x] = color;
		else
			for (int x = 0; x < b.w; x++)
				p[x] = blend(p[x], color, alpha + (alpha >> 7));
	}
}

/* Stripes run on across neighbouring boxes: their phase depends on the place alone. */
static void hatch(struct image *o, struct box b, uint32_t color)
{
	for (int y = b.y; y < b.y + b.h; y++) {
		uint32_t *p = o->pixel + (size_t)y * (size_t)o->w;
		for (int x = b.x; x < b.x + b.w; x++)
			p[x] = ((x + y) & 7) < 5 ? color : blend(p[x], color, 120);
	}
}

static void dot(struct image *o, struct box clip, int x, int y, uint32_t color)
{
	if (box_has(clip, x, y)) {
		uint32_t *p = o->pixel + (size_t)y * (size_t)o->w + x;
		uint32_t alpha = color >> 24;
		*p = blend(*p, color, alpha + (alpha >> 7));
	}
}

/* Part of the line that can lie in the clip: far ends outside the picture would take for ever. */
static bool shorten(double *x0, double *y0, double *x1, double *y1, struct box c)
{
	double dx = *x1 - *x0, dy = *y1 - *y0, t0 = 0, t1 = 1;
	double p[4] = { -dx, dx, -dy, dy };
	double q[4] = { *x0 - c.x, c.x + c.w - *x0, *y0 - c.y, c.y + c.h - *y0 };
	for (int i = 0; i < 4; i++) {
		if (p[i] == 0) {
			if (q[i] < 0)
				return false;
			continue;
		}
		double t = q[i] / p[i];
		if (p[i] < 0)
			t0 = t > t0 ? t : t0;
		else
			t1 = t < t1 ? t : t1;
	}
	if (t0 > t1)
		return false;
	*x1 = *x0 + t1 * dx;
	*y1 = *y0 + t1 * dy;
	*x0 += t0 * dx;
	*y0 += t0 * dy;
	return true;
}

static void line(struct image *o, struct box clip, const struct draw_item *i)
{
	double x0 = i->box.x, y0 = i->box.y, x1 = x0 + i->box.w, y1 = y0 + i->box.h;
	if (!shorten(&x0, &y0, &x1, &y1, clip))
		return;
	double w = x1 - x0, h = y1 - y0, aw = w < 0 ? -w : w, ah = h < 0 ? -h : h;
	int n = (int)(aw > ah ? aw : ah);
	for (int k = 0; k <= n; k++)
		dot(o, clip, (int)(x0 + (n ? w * k / n : 0)), (int)(y0 + (n ? h * k / n : 0)), i->color);
}

static int glyph_of(const struct font *f, uint32_t code)
{
	if (code >= FONT_FIRST && code < FONT_FIRST + FONT_ASCII)
		return (int)(code - FONT_FIRST);
	for (int i = 0; i < FONT_EXTRA; i++)
		if (f->extra[i] == code)
			return FONT_ASCII + i;
	return '?' - FONT_FIRST;
}

static void text(struct image *o, struct box clip, const struct draw_item *i, const char *t, const struct font *f)
{
	int x = i->box.x;
	for (uint32_t code; (code = text_next(&t)) != 0; x += f->cell_w) {
		struct box cell = box_cut(clip, (struct box){ x, i->box.y, f->cell_w, f->cell_h });
		const uint8_t *a = f->alpha + (size_t)glyph_of(f, code) * (size_t)(f->cell_w * f->cell_h);
		if (code == ' ')
			continue;
		for (int y = cell.y; y < cell.y + cell.h; y++) {
			uint32_t *p = o->pixel + (size_t)y * (size_t)o->w;
			const uint8_t *row = a + (y - i->box.y) * f->cell_w;
			for (int k = cell.x; k < cell.x + cell.w; k++)
				if (row[k - x])
					p[k] = blend(p[k], i->color, row[k - x] + (row[k - x] >> 7));
		}
	}
}

static void frame(struct image *o, struct box clip, struct box b, uint32_t color)
{
	fill(o, box_cut(clip, (struct box){ b.x, b.y, b.w, 1 }), color);
	fill(o, box_cut(clip, (struct box){ b.x, b.y + b.h - 1, b.w, 1 }), color);
	fill(o, box_cut(clip, (struct box){ b.x, b.y, 1, b.h }), color);
	fill(o, box_cut(clip, (struct box){ b.x + b.w - 1, b.y, 1, b.h }), color);
}

void raster(struct image *o, const struct draw *d, const struct font *f)
{
	struct box all = { 0, 0, o->w, o->h }, clip = all;
	for (int n = 0; n < d->n_item; n++) {
		const struct draw_item *i = &d->item[n];
		switch (i->kind) {
		case DRAW_RECT: fill(o, box_cut(clip, i->box), i->color); break;
		case DRAW_HATCH: hatch(o, box_cut(clip, i->box), i->color); break;
		case DRAW_FRAME: frame(o, clip, i->box, i->color); break;
		case DRAW_LINE: line(o, clip, i); break;
		case DRAW_TEXT: text(o, clip, i, d->text + i->text, f); break;
		default: clip = box_cut(all, i->box); break;
		}
	}
}

bool font_blocks(struct font *f, int cell_w, int cell_h)
{
	size_t n = (size_t)cell_w * (size_t)cell_h;
	*f = (struct font){ .cell_w = cell_w, .cell_h = cell_h, .alpha = calloc(FONT_GLYPHS, n) };
	for (size_t i = 0; f->alpha && i < FONT_GLYPHS * n; i++)
		f->alpha[i] = (i % (size_t)cell_w) % 3 ? 200 : 0;
	return f->alpha != NULL;
}

void font_free(struct font *f)
{
	free(f->alpha);
	memset(f, 0, sizeof *f);
}
