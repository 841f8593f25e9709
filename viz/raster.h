/*
 * raster.h - draw lists into pixels of an own frame buffer.
 */
#ifndef VIZ_RASTER_H
#define VIZ_RASTER_H

#include "draw.h"

enum { FONT_FIRST = 32, FONT_ASCII = 95, FONT_EXTRA = 24, FONT_GLYPHS = FONT_ASCII + FONT_EXTRA };

/* One monospaced font: FONT_GLYPHS alpha masks of cell_w x cell_h bytes, one behind the other. extra: the code points
 * behind the ASCII ones, 0 = unused. */
struct font { int cell_w, cell_h; uint8_t *alpha; uint32_t extra[FONT_EXTRA]; };

struct image { int w, h; uint32_t *pixel; }; /* 0xffRRGGBB, row by row */

bool image_size(struct image *i, int w, int h);
void image_free(struct image *i);
void raster(struct image *out, const struct draw *d, const struct font *font);
/* A font of blocks, for tests and measurements without font files. */
bool font_blocks(struct font *f, int cell_w, int cell_h);
void font_free(struct font *f);

#endif
